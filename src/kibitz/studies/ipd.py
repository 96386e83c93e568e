"""The study of the iterated prisoner's dilemma: which strategy earns most, and how soon a watcher names a strategy."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

import numpy as np

from kibitz.arena.plots.charts import dots, heat_map, panels
from kibitz.arena.runs import by_game
from kibitz.arena.statistics import Estimate, mean_interval, payoffs
from kibitz.arena.tournament import Tournament
from kibitz.core.insight import UNKNOWN
from kibitz.core.match.play import play
from kibitz.core.registry import make_game, spec_of
from kibitz.models.hypotheses import known_strategies
from kibitz.store import MatchResult
from kibitz.studies.blocks import Block, Conclusion, Figure, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.results import Results
from kibitz.studies.sentences import join_names, percents
from kibitz.studies.study import Case, Matches, Part, Row, Section, Settings, Study, Work, cross_factors

OUTSIDER = "random"
"""A player whose strategy the watcher does not know: the right name for it is `unknown`."""
NICE = frozenset({"tit_for_tat", "pavlov", "grim", "generous", "two_tats", "cooperator"})
"""Never the first to defect (Axelrod 1984, ch. 2)."""
ALIKE = 1e-6
"""Shares that differ by less are equal."""
POINTS = (0.0, 5.0)
"""The range of points per round."""
BOOK = "Axelrod 1984, ch. 2"


def strategies() -> list[str]:
    """The strategies that come with the game, and the outsider, by their short names."""
    return [*(spec_of(each).name.rpartition(".")[2] for each in known_strategies(make_game("dilemma"))), OUTSIDER]


def parts(settings: Settings, seed: int) -> list[Part]:
    """A round robin, then matches of all strategies with all others, watched by the strategy filter."""
    names = strategies()
    tournament = Tournament(
        games=tuple(f"dilemma(rounds={rounds})" for rounds in settings["rounds"]),
        agents={name: name for name in names},
        mirror=True,
        repeats=settings["repeats"],
        shared=True,
        seed=seed,
    )
    factors = {"strategy": names, "opponent": names, "rounds": [settings["watched"]]}
    cases = cross_factors(factors, repeats=settings["watches"], seed=seed)
    return [
        Matches(name="scores", tournament=tournament),
        Work(name="naming", work=watch_match, cases=cases, weight=2.0),
    ]


def watch_match(case: Case) -> Row:
    """How a spectator names the first player after every round: alone, tied with others, or wrong."""
    names = [case["strategy"], case["opponent"]]
    record = play(f"dilemma(rounds={case['rounds']})", names, models=["strategy_filter"], seed=case["seed"])
    held = [record.header.beliefs, *(entry.beliefs for entry in record.entries)]
    named = [top(beliefs["strategy_filter"][0]) for beliefs in held]
    truth = UNKNOWN if case["strategy"] == OUTSIDER else case["strategy"]
    seen = "".join("w" if truth not in best else "a" if best == [truth] else "t" for best in named)
    return {"seen": seen, "settled": settling_round(seen), "named": named[-1]}


def top(belief: Mapping[str, float]) -> list[str]:
    """The likeliest labels, ties included, without the game's name."""
    most = max(belief.values())
    return sorted(label.rpartition(".")[2] for label, share in belief.items() if share > most - ALIKE)


def settling_round(seen: str) -> int | None:
    """The round from which it was right and alone until the end; None if it was not at the end.

    >>> settling_round("tatwaa"), settling_round("aat")
    (4, None)
    """
    return len(seen.rstrip("a")) if seen.endswith("a") else None


def scores(results: Results) -> Iterator[Block]:
    """The round robin: points per round, beside Axelrod's results."""
    lengths = {int(game[15:-1]): played for game, played in by_game(results.matches("scores")).items()}
    earned = {rounds: points(played, rounds) for rounds, played in lengths.items()}
    longest = max(lengths)
    ranked = sorted(earned[longest], key=lambda name: -earned[longest][name].mean)
    columns = ("rank", "strategy", "nice", *(f"{rounds} rounds" for rounds in lengths))
    rows = [
        (rank, name, "yes" if name in NICE else "no", *(earned[rounds][name] for rounds in lengths))
        for rank, name in enumerate(ranked, 1)
    ]
    yield Table(columns, rows, f"Points per round (95 % interval), ranked by matches of {longest} rounds.")
    groups = {f"{rounds} rounds": {name: earned[rounds][name] for name in ranked} for rounds in lengths}
    yield Figure("scores", "Points per round with 95 % intervals.", lambda: dots(groups, label="points per round"))
    matrix = payoffs(lengths[longest])
    order = [matrix.names.index(name) for name in ranked]
    cells = matrix.matrix()[np.ix_(order, order)] / longest
    yield Figure(
        "payoffs",
        f"Points per round of the row's strategy against the column's, in matches of {longest} rounds.",
        lambda: heat_map(ranked, ranked, cells, row="earns", column="against"),
    )
    yield Paragraph(
        "A mean is over all opponents, itself included, with equal weight. The interval covers the chance in the play "
        "of generous and random within this field; another field of opponents gives other scores."
    )
    yield comparison_table(
        list(findings(lengths, earned, longest)), "Axelrod's first tournament (15 programs, 200 rounds) and ours."
    )
    yield from ranking(lengths, earned)
    yield without_outsider(lengths[longest], longest)


def points(played: Sequence[MatchResult], rounds: int) -> dict[str, Estimate]:
    """Points per round of every strategy, by blocks of the same seed."""
    found: dict[str, tuple[list[float], list[int]]] = {}
    for result in played:
        for name, returned in zip(result.names, result.returns, strict=True):
            earned, blocks = found.setdefault(name, ([], []))
            earned.append(returned / rounds)
            blocks.append(result.block)
    return {name: mean_interval(earned, blocks, bounds=POINTS) for name, (earned, blocks) in found.items()}


def lead(played: Sequence[MatchResult], first: str, second: str, rounds: int) -> Estimate:
    """The lead of the first over the second in points per round, block by block."""
    sums: dict[int, dict[str, list[float]]] = {}
    for result in played:
        for name, returned in zip(result.names, result.returns, strict=True):
            if name in (first, second):
                sums.setdefault(result.block, {}).setdefault(name, []).append(returned / rounds)
    pairs = [each for each in sums.values() if len(each) == 2]
    differences = [float(np.mean(each[first]) - np.mean(each[second])) for each in pairs]
    return mean_interval(differences, bounds=(-5.0, 5.0))


def findings(
    lengths: Mapping[int, Sequence[MatchResult]], earned: Mapping[int, Mapping[str, Estimate]], longest: int
) -> Iterator[Comparison]:
    """Axelrod's claims, and whether they hold in our longest matches."""
    table = earned[longest]
    ranked = sorted(table, key=lambda name: -table[name].mean)
    rivals = {name: lead(lengths[longest], "tit_for_tat", name, longest) for name in ranked if name != "tit_for_tat"}
    best = max(rivals, key=lambda name: table[name].mean)
    yield Comparison(
        what="tit for tat earns most",
        source=BOOK,
        there="it won",
        here=f"rank {ranked.index('tit_for_tat') + 1} of {len(ranked)}; {lead_in_words(rivals[best])} on {best}",
        holds=True if rivals[best].low > 0 else False if rivals[best].high < 0 else None,
    )
    nice, others = ([name for name in ranked if (name in NICE) is kind] for kind in (True, False))
    worst, rest = nice[-1], others[0]
    gap = lead(lengths[longest], worst, rest, longest)
    yield Comparison(
        what="every nice strategy earns more than every other",
        source=BOOK,
        there="the top 8 of 15 were the nice ones",
        here=f"the last nice one, {worst}, {lead_in_words(gap)} on {rest}, the best of the others",
        holds=True if gap.low > 0 else False if gap.high < 0 else None,
    )
    last = ranked[-1]
    bottom = lead(lengths[longest], ranked[-2] if last == OUTSIDER else last, OUTSIDER, longest)
    yield Comparison(
        what="random earns least",
        source=BOOK,
        there="it came last",
        here=f"{last} is last of {len(ranked)}",
        holds=True if last == OUTSIDER and bottom.low > 0 else False if last != OUTSIDER and bottom.high < 0 else None,
    )
    yield Comparison(
        what="points per round of tit_for_tat",
        source=f"{BOOK}: 504 in 200 rounds",
        there=504 / 200,
        here=table["tit_for_tat"],
        apart="another field of opponents",
    )


def lead_in_words(difference: Estimate) -> str:
    """A lead in points: `+0.03 points (0.01 to 0.05)`."""
    return f"{difference.mean:+.3f} points ({difference.low:.3f} to {difference.high:.3f})"


def ranking(
    lengths: Mapping[int, Sequence[MatchResult]], earned: Mapping[int, Mapping[str, Estimate]]
) -> Iterator[Conclusion]:
    """The winner at every length, and whether that is more than chance."""
    for rounds, table in earned.items():
        first, second = sorted(table, key=lambda name: -table[name].mean)[:2]
        gap = lead(lengths[rounds], first, second, rounds)
        sure = "more than chance explains" if gap.low > 0 else "which chance can explain"
        place = sorted(table, key=lambda name: -table[name].mean).index("tit_for_tat") + 1
        own = "" if first == "tit_for_tat" else f" tit_for_tat comes in at rank {place}."
        yield Conclusion(
            f"In matches of {rounds} rounds {first} earns most, {table[first].mean:.2f} points per round, "
            f"{lead_in_words(gap)} ahead of {second}, {sure}.{own}"
        )


def without_outsider(played: Sequence[MatchResult], rounds: int) -> Conclusion:
    """The winner if no player had played at random."""
    table = points([result for result in played if OUTSIDER not in result.names], rounds)
    most = max(each.mean for each in table.values())
    best = [name for name in table if table[name].mean > most - ALIKE]
    return Conclusion(
        f"Without {OUTSIDER} in the field {join_names(best)} {'earns' if len(best) == 1 else 'earn'} most in matches "
        f"of {rounds} rounds, {most:.2f} points per round."
    )


def naming(results: Results) -> Iterator[Block]:
    """How soon the strategy filter names each strategy."""
    rows = results.rows("naming")
    names = [name for name in strategies() if any(row["strategy"] == name for row in rows)]
    rounds = max(row["rounds"] for row in rows)
    table = [naming_row(name, [row for row in rows if row["strategy"] == name], rounds) for name in names]
    yield Paragraph(
        "A spectator who sees only the moves watches the first player: `strategy_filter`, which knows the game's own "
        "strategies. It is right alone if the truth has the largest share, tied if others have the same share, and "
        "wrong otherwise; for random, which it does not know, the truth is `unknown`. Intervals count every match as "
        "one; opponents differ more than repeats do, so they are rather too wide."
    )
    columns = ("strategy", "right alone", "tied", "wrong", "settled after (median)", "never settled")
    caption = f"After {rounds} rounds, over all opponents: shares (95 % interval); the round from which it stays right."
    yield Table(columns, table, caption)
    curves = {name: accuracy([row for row in rows if row["strategy"] == name], rounds) for name in names}
    yield Figure(
        "accuracy",
        "Share of matches in which the strategy is named, by rounds observed, with 95 % bands.",
        lambda: panels(curves, x="rounds observed", y="share of matches", limits=(-0.02, 1.02)),
    )
    right = after(rows, "a")
    counts = [row["settled"] for row in rows if row["settled"] is not None]
    half = f" Of the matches that settle, half do so within {median(counts):g} rounds." if counts else ""
    yield Conclusion(f"After {rounds} rounds the filter alone names {percents(right)} of the players rightly.{half}")
    yield Conclusion(outsider([row for row in rows if row["strategy"] == OUTSIDER], rounds))


def naming_row(name: str, rows: Sequence[Row], rounds: int) -> tuple[str | Estimate | float | None, ...]:
    """The shares of one strategy at the end, and when they settled."""
    found = [row["settled"] for row in rows]
    later = [rounds + 1 if each is None else each for each in found]
    middle = float(median(later))
    when = "never" if middle > rounds else f"{middle:g}"
    never = sum(each is None for each in found) / len(found)
    return (name, *(after(rows, code) for code in "atw"), when, f"{never:.0%}")


def after(rows: Sequence[Row], codes: str, rounds: int = -1) -> Estimate:
    """The share of matches with one of these codes after *rounds* rounds; by default at the end."""
    return mean_interval([row["seen"][rounds] in codes for row in rows], bounds=(0.0, 1.0))


def accuracy(rows: Sequence[Row], rounds: int) -> dict[str, list[Estimate]]:
    """The shares that were right alone, and right or tied, by rounds observed."""
    lines = {"right alone": "a", "right or tied": "at"}
    return {label: [after(rows, codes, at) for at in range(rounds + 1)] for label, codes in lines.items()}


def outsider(rows: Sequence[Row], rounds: int) -> str:
    """Whether the filter calls a player that it does not know unknown."""
    right = after(rows, "a")
    wrong = [name for row in rows if row["seen"][-1] == "w" for name in row["named"]]
    most = f"; otherwise mostly {max(sorted(set(wrong)), key=wrong.count)}" if wrong else ""
    return (
        f"A player outside the library ({OUTSIDER}) is called unknown after {rounds} rounds in {percents(right)} of "
        f"the matches{most}."
    )


def twins(results: Results) -> Iterator[Block]:
    """Which strategies look the same against each opponent."""
    rows = results.rows("naming")
    names = [name for name in strategies() if any(row["strategy"] == name for row in rows)]
    share = [[alone(rows, name, other) for other in names] for name in names]
    yield Figure(
        "by-opponent",
        "Share of matches in which the row's strategy is named alone at the end, by the opponent it met.",
        lambda: heat_map(names, names, share, row="plays", column="against"),
    )
    found = {other: groups([row for row in rows if row["opponent"] == other]) for other in names}
    table = [(other, "; ".join(" = ".join(group) for group in same) or "none") for other, same in found.items()]
    caption = "Strategies that fit equally well at the end of every match, by the opponent they met."
    yield Table(("opponent", "indistinguishable"), table, caption)
    largest = max((group for same in found.values() for group in same), key=len, default=())
    if largest:
        where = [other for other, same in found.items() if largest in same]
        yield Conclusion(
            f"Against {join_names(where)} the strategies {join_names(largest)} are indistinguishable: in every match "
            "they fit equally well to the end."
        )
    told = {other: after([row for row in rows if row["opponent"] == other], "a") for other in names}
    best = max(told, key=lambda other: told[other].mean)
    yield Conclusion(
        f"The most revealing opponent is {best}: of the players who meet it {percents(told[best])} are named alone at "
        "the end."
    )


def alone(rows: Sequence[Row], name: str, other: str) -> float:
    """The share of matches of a pair in which the first player is named alone at the end."""
    ends = [row["seen"][-1] == "a" for row in rows if (row["strategy"], row["opponent"]) == (name, other)]
    return sum(ends) / len(ends) if ends else float("nan")


def groups(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Sets of strategies that were tied at the top at the end of every match of each one."""
    ends: dict[str, set[tuple[str, ...]]] = {}
    for row in rows:
        ends.setdefault(row["strategy"], set()).add(tuple(row["named"]))
    always = {name: next(iter(named)) for name, named in ends.items() if len(named) == 1}
    tied = {named for name, named in always.items() if name in named and len(named) > 1}
    return sorted(named for named in tied if all(always.get(name) == named for name in named))


STUDY = Study(
    name="ipd",
    title="Prisoner's dilemma: who earns most, and who can be recognised",
    asks=(
        "Axelrod (1980, 1984) let programs play the iterated prisoner's dilemma, each with each other and with "
        "itself: tit for tat won, and the strategies that are never the first to defect led all others. Does that hold "
        "for the strategies that come with the game, and does the length of a match matter?\n\n"
        "And how many rounds must you watch to know who plays what? Every strategy plays every other while "
        "`strategy_filter`, exact Bayes over the known strategies, watches as a spectator."
    ),
    settings={"rounds": (10, 50, 200), "repeats": 40, "watched": 50, "watches": 40},
    quick={"rounds": (10, 50), "repeats": 5, "watched": 30, "watches": 4},
    parts=parts,
    sections=(
        Section(title="Scores", parts=("scores",), blocks=scores),
        Section(title="Recognition", parts=("naming",), blocks=naming),
        Section(title="Strategies that look the same", parts=("naming",), blocks=twins),
    ),
    sources=(
        "R. Axelrod (1980). Effective choice in the prisoner's dilemma. Journal of Conflict Resolution 24, 3–25.",
        "R. Axelrod (1984). The Evolution of Cooperation. Basic Books.",
    ),
)
