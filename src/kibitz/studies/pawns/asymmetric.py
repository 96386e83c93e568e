"""Tables 11.1 to 11.3: what changes if black's tree is asymmetric, and what that costs."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from kibitz.agents.search.asymmetric import Asymmetric
from kibitz.arena.statistics import Estimate
from kibitz.games.pawns.agents import TABLE
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.pawns import thesis
from kibitz.studies.pawns.fields import (
    Field,
    change,
    direction,
    field_of,
    overall_change,
    pairing_name,
    per_search,
    points,
)
from kibitz.studies.pawns.games import NOISE, PLAIN, tournament, tournament_cases
from kibitz.studies.pawns.networks import (
    NETWORKS,
    THEIRS,
    VARIANTS,
    learn_network,
    network_cases,
    packed_networks,
    rule_text,
    watcher,
)
from kibitz.studies.pawns.thesis import PAIRINGS, SOURCE, STRATEGIES, Pairing
from kibitz.studies.results import Results
from kibitz.studies.sentences import join_names
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

OTHERWISE = {
    "nodes": "other rules in what the thesis leaves open, and a table and history save nodes here",
    "seconds": "another machine",
}
"""Why costs are not comparable."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Networks learned from some of the plain tournaments, and tournaments in which black uses the thesis's."""
    wins = len(settings["wins"])
    planned = wins * settings["tournaments"]
    return [
        Work(name="networks", work=learn_network, cases=network_cases, planned=wins * len(NETWORKS), weight=2.0),
        Work(name="asymmetric", work=asymmetric_tournament, cases=asymmetric_cases, planned=planned, weight=2.0),
    ]


def asymmetric_cases(results: Results) -> list[Case]:
    """Tournaments with the thesis's way of predicting, on the seeds of the plain ones."""
    return networked_cases(results, [THEIRS], results.settings["tournaments"])


def networked_cases(results: Results, variants: Sequence[str], repeats: int) -> list[Case]:
    """Tournaments in which black predicts by *variants*, each with its network, on the seeds of the plain ones."""
    settings = results.settings
    networks = {wins: packed_networks(results, wins) for wins in settings["wins"]}
    return [
        {**case, "max_pr": settings["max_pr"], "network": networks[case["wins"]].get(VARIANTS[case["player"]][0])}
        for case in tournament_cases(settings, results.seed, variants, repeats)
    ]


def asymmetric_tournament(case: Case) -> Row:
    """Every strategy as black with an asymmetric tree against every one as white with plain search."""
    rule = rule_text(VARIANTS[case["player"]][1], case["max_pr"])

    def player(strategy: str) -> Asymmetric:
        return Asymmetric(
            model=watcher(case["network"], strategy),
            depth=case["depth"],
            rule=rule,
            noise=NOISE,
            win_value=case["wins"],
            weights=TABLE[strategy],
        )

    return {"games": tournament(player, case)}


def both(results: Results) -> dict[str, tuple[Field, Field]]:
    """The plain and the asymmetric tournaments of each win value."""
    values = results.settings["wins"]
    return {wins: (field_of(results, PLAIN, wins), field_of(results, THEIRS, wins)) for wins in values}


def asymmetric_section(results: Results) -> Iterator[Block]:
    """Table 11.1 beside ours: what changes if black's tree is asymmetric."""
    pairs = both(results)
    shares = ("theirs, plain", "theirs, asymmetric", "ours, plain", "ours, asymmetric")
    columns = ("black v white", *shares, "draws", "change", f"more than chance? (of {PAIRINGS} looks)")
    for wins, (before, after) in pairs.items():
        yield Table(
            columns,
            [*pairing_rows(before, after), *strategy_rows(before, after)],
            f"The share of games that black won (95 % interval), win value `{wins}`: {thesis.GAMES} games of each "
            f"pairing there, {len(before.rows)} here. Changes are between games on the same seeds.",
        )
    yield Paragraph(
        "Black's tree is asymmetric in these games: depth "
        f"{results.settings['depth']}, two plies more below moves that the network of {SOURCE} (one slice for both "
        "colours, four slices, EM with the opponent's strategy missing in every row) and the rule `seen_before` "
        "consider likely. The network was learned from other tournaments than those compared."
    )
    claims = [claim for wins, pair in pairs.items() for claim in claim_comparisons(wins, *pair)]
    yield comparison_table(claims, "The conclusions of chapter 12.")
    for wins, pair in pairs.items():
        yield Conclusion(effect(wins, *pair))


def pairing_rows(before: Field, after: Field) -> list[tuple[Cell, ...]]:
    """What changes in every pairing, and whether that is more than chance."""
    return [
        (
            pairing_name(pairing),
            str(thesis.PLAIN[pairing]),
            str(thesis.ASYMMETRIC[pairing]),
            before.win_share(pairing),
            after.win_share(pairing),
            after.draw_share(pairing),
            change(before, after, pairing),
            direction(before, after, pairing),
        )
        for pairing in thesis.PLAIN
    ]


def strategy_rows(before: Field, after: Field) -> list[tuple[Cell, ...]]:
    """What changes for every strategy as black, and for all of them."""
    return [
        (
            f"{strategy or 'all'} v all",
            f"{thesis.mean_won(thesis.PLAIN, strategy):.4g} %",
            f"{thesis.mean_won(thesis.ASYMMETRIC, strategy):.4g} %",
            before.overall(strategy),
            after.overall(strategy),
            "",
            overall_change(before, after, strategy),
            "",
        )
        for strategy in (*STRATEGIES, "")
    ]


def claim_comparisons(wins: str, before: Field, after: Field) -> Iterator[Comparison]:
    """The thesis's conclusions about weak and strong strategies, for our weakest and strongest as black."""
    ranked = sorted(STRATEGIES, key=lambda strategy: before.overall(strategy).mean)
    for kind, strategy, there in (
        ("weakest", ranked[0], "poor strategies gain significantly"),
        ("strongest", ranked[-1], "the strong ones lose, above all S4"),
    ):
        found = overall_change(before, after, strategy)
        signed = found if kind == "weakest" else opposite(found)
        yield Comparison(
            what=f"`{wins}`: change of the {kind} strategy's wins",
            source=f"{SOURCE}, ch. 12",
            there=there,
            here=f"{strategy}: {points(found)}",
            holds=True if signed.low > 0.0 else False if signed.high < 0.0 else None,
        )


def opposite(found: Estimate) -> Estimate:
    """A difference with its sign reversed."""
    return msgspec.structs.replace(found, mean=-found.mean, low=-found.high, high=-found.low)


def effect(wins: str, before: Field, after: Field) -> str:
    """What the asymmetric tree changed, in total and by pairing."""
    total, directions = overall_change(before, after), {p: direction(before, after, p) for p in before.games}
    sure = {way: [pairing_name(p) for p, found in directions.items() if found == way] for way in ("up", "down")}
    verdict = "more" if total.low > 0.0 else "less" if total.high < 0.0 else "neither clearly more nor less"
    parts = [f"{way} in {join_names(names)}" for way, names in sure.items() if names]
    cells = join_names(parts) if parts else "in none of them"
    return (
        f"With win value `{wins}` black wins {verdict} with the asymmetric tree: {points(total)}, where the thesis's "
        f"tables give {thesis.mean_won(thesis.ASYMMETRIC) - thesis.mean_won(thesis.PLAIN):+.1f}. The share changes "
        f"by more than chance {cells} (of {PAIRINGS} pairings)."
    )


def up_and_down_section(results: Results) -> Iterator[Block]:
    """Tables 11.2 and 11.3: which changes they report, which are in the data, and which are more than chance."""
    pairs = both(results)
    columns = ["black v white", "reported in", "theirs", "p, 9 games", "p, 3 games"]
    columns += [f"ours, `{each}`: change" for each in pairs] + [f"ours, `{each}`" for each in pairs]
    rows: list[tuple[Cell, ...]] = []
    untold = [pairing for pairing in thesis.changes()["up"] if pairing not in thesis.UP]
    for pairing in [*thesis.UP, *untold, *thesis.DOWN]:
        before, after = thesis.PLAIN[pairing], thesis.ASYMMETRIC[pairing]
        p = [thesis.fisher(before.count(n), after.count(n), n) for n in (thesis.GAMES, thesis.DISTINCT)]
        rows.append(
            (
                pairing_name(pairing),
                told_in(pairing),
                f"{before} → {after}",
                *(f"{each:.3f}" for each in p),
                *(change(*pair, pairing) for pair in pairs.values()),
                *(direction(*pair, pairing) for pair in pairs.values()),
            )
        )
    yield Table(
        tuple(columns),
        rows,
        "The changes that Tables 11.2 and 11.3 report, with the numbers of Tables 10.2 and 11.1; p is Fisher's exact "
        "test of their counts, for 9 games a cell and for 3 that differ; ours with 95 % intervals.",
    )
    yield from errata()
    yield Conclusion(changes_found_again(pairs))


def told_in(pairing: Pairing) -> str:
    """The table of the thesis that reports a change, and whether the data have it."""
    if pairing not in thesis.UP and pairing not in thesis.DOWN:
        return "no table, though it rose"
    table, told = ("11.2", thesis.UP) if pairing in thesis.UP else ("11.3", thesis.DOWN)
    wrong = told[pairing] != thesis.ASYMMETRIC[pairing].won
    return f"{table}, as {told[pairing]} %: wrong" if wrong else table


def errata() -> Iterator[Block]:
    """What does not add up in the thesis itself, computed from its tables."""
    found = thesis.changes()
    small = [p for p in (*found["up"], *found["down"]) if significant(p, thesis.DISTINCT)]
    large = [p for p in (*found["up"], *found["down"]) if significant(p, thesis.GAMES)]
    by_row = ", ".join(
        f"{name} {thesis.mean_won(thesis.PLAIN, name):g} → {thesis.mean_won(thesis.ASYMMETRIC, name):g}"
        for name in STRATEGIES
    )
    yield Conclusion(
        f"By the thesis's own tables {len(found['up'])} pairings rose, {len(found['down'])} fell and "
        f"{len(found['same'])} stayed, and black won {thesis.mean_won(thesis.PLAIN):.1f} % with plain search and "
        f"{thesis.mean_won(thesis.ASYMMETRIC):.1f} % with the asymmetric tree ({by_row}): less, not more. Its weakest "
        "strategy, S2, halved, so the data do not show that it improves poor strategies. Table 11.2 reports S3 v S1 as "
        "risen to 100 %, but Table 11.1 has it unchanged at 67 %; and it omits S3 v S4, which rose from 33 % to 67 %."
    )
    yield Conclusion(
        f"Of the {len(found['up']) + len(found['down'])} changes {len(large)} are beyond chance at the level of 5 % if "
        f"all 9 games of a pairing were independent, and {len(small)} if only 3 of them differed (Fisher's exact test, "
        "each by itself)."
    )


def significant(pairing: Pairing, games: int) -> bool:
    """Whether a change of the thesis is beyond chance by Fisher's test, if *games* games were independent."""
    return thesis.fisher(thesis.PLAIN[pairing].count(games), thesis.ASYMMETRIC[pairing].count(games), games) < 0.05


def changes_found_again(pairs: Mapping[str, tuple[Field, Field]]) -> str:
    """Which of their changes we reproduce, by sign and beyond chance."""
    found = thesis.changes()
    said = []
    for wins, (before, after) in pairs.items():
        same = [
            pairing_name(pairing)
            for way in ("up", "down")
            for pairing in found[way]
            if direction(before, after, pairing) == way
        ]
        against = [
            pairing_name(pairing)
            for way, other in (("up", "down"), ("down", "up"))
            for pairing in found[way]
            if direction(before, after, pairing) == other
        ]
        said.append(
            f"with win value `{wins}` {join_names(same) if same else 'none'} "
            f"({join_names(against) if against else 'none'} the other way)"
        )
    return f"Of their changes these are reproduced beyond chance: {join_names(said)}."


def cost_section(results: Results) -> Iterator[Block]:
    """Nodes and seconds of a search, plain and asymmetric."""
    pairs = both(results)
    costs = [
        (wins, what, there, kind, field)
        for wins, pair in pairs.items()
        for what, there in (("nodes", thesis.NODES), ("seconds", thesis.SECONDS))
        for kind, field in zip(there, pair, strict=True)
    ]
    rows = [
        Comparison(
            what=f"`{wins}`: {what} of a search, {kind}",
            source=f"{SOURCE}, sec. 11.2",
            there=there[kind],
            here=per_search(field, what),
            apart=OTHERWISE[what],
        )
        for wins, what, there, kind, field in costs
    ]
    yield comparison_table(rows, "What a search of black costs.")
    yield Paragraph(
        "The thesis calls 2673 nodes slightly less than 2670, and equal numbers both tuned and a surprise; its time is "
        "4.4 times as long at equal nodes. A node is a child visited, leaves included. Black's games differ between "
        "the rows, so each row counts its own positions."
    )
    for wins, (before, after) in pairs.items():
        ratio = {what: per_search(after, what).mean / per_search(before, what).mean for what in OTHERWISE}
        yield Conclusion(
            f"With win value `{wins}` a search of the asymmetric tree takes {ratio['nodes']:.2f} times the nodes of a "
            f"plain one (theirs {thesis.NODES['asymmetric'] / thesis.NODES['plain']:.2f}) and {ratio['seconds']:.1f} "
            f"times the time (theirs {thesis.SECONDS['asymmetric'] / thesis.SECONDS['plain']:.1f})."
        )


SECTIONS = (
    Section(title="Asymmetric trees (Table 11.1)", parts=("plain", "asymmetric"), blocks=asymmetric_section),
    Section(title="Up and down (Tables 11.2 and 11.3)", parts=("plain", "asymmetric"), blocks=up_and_down_section),
    Section(title="Nodes and time", parts=("plain", "asymmetric"), blocks=cost_section),
)
