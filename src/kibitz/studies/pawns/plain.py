"""Table 10.2: all strategies against all, both sides with plain search."""

from collections.abc import Iterator, Mapping, Sequence

from kibitz.arena.plots.charts import dots
from kibitz.arena.statistics import Estimate
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.pawns import thesis
from kibitz.studies.pawns.fields import Field, field_of, overlap, pairing_name
from kibitz.studies.pawns.games import PLAIN, plain_tournament, tournament_cases
from kibitz.studies.pawns.thesis import PAIRINGS, SOURCE, STRATEGIES
from kibitz.studies.results import Results
from kibitz.studies.sentences import join_names, percents
from kibitz.studies.study import Case, Part, Section, Settings, Work


def parts(settings: Settings, seed: int) -> list[Part]:
    """The plain tournaments."""
    return [Work(name="plain", work=plain_tournament, cases=plain_cases(settings, seed), weight=1.2)]


def plain_cases(settings: Settings, seed: int) -> list[Case]:
    """A case per tournament; those to compare come first, those to learn from last."""
    return tournament_cases(settings, seed, [PLAIN], settings["tournaments"] + settings["learned"])


def section(results: Results) -> Iterator[Block]:
    """Table 10.2 beside ours."""
    ours = {wins: field_of(results, PLAIN, wins) for wins in results.settings["wins"]}
    columns = ["black v white", f"{SOURCE}, Table 10.2"]
    for wins in ours:
        columns += [f"`{wins}`: black won", "draws", "distinct games"]
    rows: list[tuple[Cell, ...]] = []
    for pairing, theirs in thesis.PLAIN.items():
        cells = [
            cell
            for field in ours.values()
            for cell in (field.win_share(pairing), field.draw_share(pairing), field.distinct(pairing))
        ]
        rows.append((pairing_name(pairing), str(theirs), *cells))
    games = results.settings["tournaments"]
    yield Table(
        tuple(columns),
        rows,
        f"The share of games that black won (95 % interval; theirs with draws in brackets), both with plain search at "
        f"depth {results.settings['depth']}: {thesis.GAMES} games of each pairing there, {games} here.",
    )
    yield comparison_table(list(plain_findings(ours)), "What Table 10.2 says, and whether our games agree.")
    yield Conclusion(distinctness(ours, games))
    yield Conclusion(agreement(ours))
    yield Figure(
        "balance",
        "Games that black won, by pairing, with 95 % intervals; theirs as if their 9 games had been independent.",
        lambda: dots(
            {
                f"{SOURCE}": {pairing_name(p): each.of(thesis.GAMES) for p, each in thesis.PLAIN.items()},
                **{
                    f"win value {wins}": {pairing_name(p): field.win_share(p) for p in field.games}
                    for wins, field in ours.items()
                },
            },
            label="share of games that black won",
        ),
    )


def plain_findings(ours: Mapping[str, Field]) -> Iterator[Comparison]:
    """What the text and the table say about plain play."""
    for wins, field in ours.items():
        means = {strategy: field.overall(strategy) for strategy in STRATEGIES}
        best, worst = max(means, key=lambda name: means[name].mean), min(means, key=lambda name: means[name].mean)
        yield Comparison(
            what=f"`{wins}`: S4 is the strongest as black",
            source=f"{SOURCE}, ch. 12",
            there=f"S4 won {thesis.mean_won(thesis.PLAIN, 'S4'):.0f} %",
            here=f"{best} won {percents(means[best])}; S4 {percents(means['S4'])}",
            holds=apart(means["S4"], [each for name, each in means.items() if name != "S4"]),
        )
        yield Comparison(
            what=f"`{wins}`: S1 and S2 are the weakest as black",
            source=f"{SOURCE}, Table 10.2",
            there="S1 and S2 won 33 %",
            here=f"{worst} won {percents(means[worst])}; "
            + ", ".join(f"{name} {means[name].mean:.0%}" for name in STRATEGIES if name != worst),
            holds={*sorted(means, key=lambda name: means[name].mean)[:2]} == {"S1", "S2"},
        )
        yield Comparison(
            what=f"`{wins}`: black wins",
            source=f"{SOURCE}, Table 10.2 (computed)",
            there=thesis.mean_won(thesis.PLAIN) / 100.0,
            here=field.overall(),
        )


def apart(first: Estimate, others: Sequence[Estimate]) -> bool | None:
    """Whether one is above all others; None if the intervals do not decide."""
    if all(first.low > each.high for each in others):
        return True
    return False if any(first.high < each.low for each in others) else None


def distinctness(ours: Mapping[str, Field], games: int) -> str:
    """How many games differ, theirs and ours."""
    counts = {(wins, p): field.distinct(p) for wins, field in ours.items() for p in field.games}
    (wins, pairing), fewest = min(counts.items(), key=lambda item: item[1])
    return (
        f"All shares of Tables 10.2 and 11.1 are thirds of {thesis.GAMES} games, as if {thesis.DISTINCT} games of each "
        f"pairing had differed. With ties broken at random at every leaf, at least {fewest} of our {games} games of a "
        f"pairing differ ({pairing_name(pairing)}, win value `{wins}`), and in "
        f"{sum(n > games / 2 for n in counts.values())} of {len(counts)} pairings more than half of them."
    )


def agreement(ours: Mapping[str, Field]) -> str:
    """In how many pairings their share agrees with ours."""
    said = []
    for wins, field in ours.items():
        fits = [
            sum(overlap(told.of(games), field.win_share(pairing)) for pairing, told in thesis.PLAIN.items())
            for games in (thesis.GAMES, thesis.DISTINCT)
        ]
        said.append(f"{fits[0]} with win value `{wins}` ({fits[1]} if only {thesis.DISTINCT} of their games differed)")
    return (
        f"Of the {PAIRINGS} pairings of Table 10.2 the share that black won agrees with ours, as far as "
        f"{thesis.GAMES} games can show, in {join_names(said)}."
    )


SECTIONS = (Section(title="Plain search (Table 10.2)", parts=("plain",), blocks=section),)
