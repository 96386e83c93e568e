"""The declaration of the study of Pawns: its parts, its tables and the claims of the thesis."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import inf

from kibitz.core.seeds import derived_seed
from kibitz_lab.arena.statistics import Estimate, mean_interval
from kibitz_lab.studies.measures import Column, Measure
from kibitz_lab.studies.pawns.play import (
    NETWORKS,
    RANDOM,
    THEIRS,
    learn_network,
    meet_table,
    play_tournament,
    predict_games,
    search_harmony,
)
from kibitz_lab.studies.pawns.strength import GAINS, duel, duel_cases, gain_rows, measure_cost, pilot_cases
from kibitz_lab.studies.pawns.thesis import claims
from kibitz_lab.studies.study import Case, Results, Row, Settings, Study, Work, cross_factors, pack

TREES = ("plain", "asymmetric")


def parts(settings: Settings, seed: int) -> list[Work]:
    """Searches for strategies, tournaments, networks, predictions, and games for strength."""
    wins = len(settings["wins"])
    searches = cross_factors(
        {"search": range(1, settings["searches"] + 1), "depth": [settings["search_depth"]], "wins": ["features"]},
        seed=seed,
    )
    plain = tournament_cases(settings, seed, settings["tournaments"] + settings["learned"])
    judged, duels = wins * settings["tournaments"], len(pilot_cases(settings, seed)) * settings["inside"]
    return [
        Work(
            name="searches",
            work=search_harmony,
            cases=[{**case, "iterations": settings["iterations"]} for case in searches],
            weight=0.6 * settings["iterations"],
        ),
        Work(name="found", work=meet_table, cases=found_cases, planned=settings["found"] * settings["searches"]),
        Work(name="plain", work=play_tournament, cases=plain, weight=1.2),
        Work(name="networks", work=learn_network, cases=network_cases, planned=wins * len(NETWORKS), weight=2.0),
        Work(name="asymmetric", work=play_tournament, cases=asymmetric_cases, planned=judged, weight=2.0),
        Work(
            name="predictions",
            work=predict_games,
            cases=prediction_cases,
            version=3,
            planned=judged * (len(NETWORKS) + 1),
            weight=0.2,
        ),
        Work(name="pilot", work=measure_cost, cases=pilot_cases(settings, seed), weight=0.3),
        Work(name="duels", work=duel, cases=duel_cases, planned=duels, weight=0.1),
    ]


def tournament_cases(settings: Settings, seed: int, repeats: int) -> list[Case]:
    """A case per tournament; those to compare come first, those to learn from last."""
    return cross_factors({"wins": settings["wins"], "depth": [settings["depth"]]}, repeats=repeats, seed=seed)


def found_cases(results: Results) -> list[Case]:
    """Tournaments of what each search found."""
    factors = {"depth": [results.settings["depth"]], "wins": ["features"]}
    return [
        {**case, "strategy": f"H{row['search']}", "weights": row["best"]}
        for row in results.rows("searches")
        for case in cross_factors(
            factors, repeats=results.settings["found"], seed=derived_seed(results.seed, "found", row["search"])
        )
    ]


def network_cases(results: Results) -> list[Case]:
    """Each network with each win value, and the games it learns from, which are never used for judging."""
    cases = []
    for wins, network in product(results.settings["wins"], NETWORKS):
        games = [game for row in plain_rows(results, wins, judged=False) for game in moves_of(row)]
        seed = derived_seed(results.seed, "network", wins, network)
        cases.append({"wins": wins, "network": network, "seed": seed, "games": games})
    return cases


def plain_rows(results: Results, wins: str, *, judged: bool) -> list[Row]:
    """The plain tournaments with one win value: those to compare, or those to learn from."""
    least = results.settings["tournaments"]
    return [row for row in results.rows("plain") if row["wins"] == wins and (row["repeat"] < least) == judged]


def moves_of(row: Row) -> list[Row]:
    """Who played what in the games of a tournament."""
    return [{name: game[name] for name in ("black", "white", "moves")} for game in row["games"]]


def packed_networks(results: Results) -> dict[tuple[str, str], bytes]:
    """The parameters of all networks by win value and name."""
    return {(row["wins"], row["network"]): pack(row["parameters"]) for row in results.rows("networks")}


def asymmetric_cases(results: Results) -> list[Case]:
    """Tournaments with the thesis's way of predicting, on the seeds of the plain ones."""
    networks, settings = packed_networks(results), results.settings
    cases = tournament_cases(settings, results.seed, settings["tournaments"])
    return [{**case, "network": networks[case["wins"], THEIRS]} for case in cases]


def prediction_cases(results: Results) -> list[Case]:
    """A case per network and plain tournament from which none was learned."""
    networks, settings = packed_networks(results), results.settings
    return [
        {
            "wins": wins,
            "network": network,
            "repeat": row["repeat"],
            "seed": derived_seed(row["seed"], "predictions"),
            "parameters": networks.get((wins, network)),
            "games": moves_of(row),
        }
        for wins in settings["wins"]
        for row in plain_rows(results, wins, judged=True)
        for network in (*NETWORKS, RANDOM)
    ]


def game_rows(results: Results) -> Iterator[Row]:
    """Every game of the tournaments, plain and asymmetric on the same seed side by side."""
    played = {(row["wins"], row["repeat"]): row["games"] for row in results.rows("asymmetric")}
    for row in results.rows("plain"):
        for first, second in zip(row["games"], played.get((row["wins"], row["repeat"]), ()), strict=False):
            won = [float(game["result"] > 0) for game in (first, second)]
            yield {
                **{name: row[name] for name in ("wins", "repeat")},
                **{name: first[name] for name in ("black", "white")},
                **dict(zip(TREES, won, strict=True)),
                "change": won[1] - won[0],
                "games": {"plain": first, "asymmetric": second},
            }


def per_search(what: str, tree: str) -> Callable[[Sequence[Row]], Estimate]:
    """A column: nodes or seconds of a search of black, with a tournament as a block."""

    def column(rows: Sequence[Row]) -> Estimate:
        sums: dict[int, list[float]] = {}
        for row in rows:
            spent = sums.setdefault(row["repeat"], [0.0, 0.0])
            spent[0] += row["games"][tree][what][0]
            spent[1] += row["games"][tree]["searches"][0]
        return ratio_estimate(list(sums.values()))

    return column


def ratio_estimate(parts_and_wholes: Sequence[Sequence[float]]) -> Estimate:
    """The ratio of two sums, with a pair as a block; its error comes from how pairs deviate from that ratio."""
    kept = [pair for pair in parts_and_wholes if pair[1]]
    if not kept:
        return mean_interval([])
    total = sum(whole for _, whole in kept)
    ratio, size = sum(part for part, _ in kept) / total, total / len(kept)
    return mean_interval([ratio + (part - ratio * whole) / size for part, whole in kept])


def ratio_column(name: str, part: str, whole: str, most: float = inf) -> Column:
    """A column with the ratio of two entries, which is at most *most*."""

    def ratio(rows: Sequence[Row]) -> Estimate:
        return ratio_estimate([(row[part], row[whole]) for row in rows])

    return Column(name=name, of=ratio, bounds=(0.0, most))


WON = (
    *(Column(name=tree, bounds=(0.0, 1.0), block="repeat") for tree in TREES),
    Column(name="change", bounds=(-1.0, 1.0), block="repeat"),
)
WON_ABOUT = "The fraction of games that black won with plain search, and with an asymmetric tree on the same seeds."


def balance(name: str, *by: str) -> Measure:
    """A table of what black won."""
    factors = ("wins", *by)
    return Measure(name=name, part=("plain", "asymmetric"), by=factors, rows=game_rows, columns=WON, about=WON_ABOUT)


STUDY = Study(
    name="pawns",
    title="Pawns: does it pay to look further where the opponent is likely to go?",
    asks=(
        "Pedersen (2008) lets a dynamic Bayesian network predict the opponent's moves in the game of Pawns and looks "
        "two plies further below those it considers likely. Which of the reported results can be reproduced, and "
        "which of them are more than chance?\n\n"
        "Both sides search to the same depth; ties are broken at the leaves. `wins` is what a win is worth, which the "
        "thesis leaves open: its features only, as in the listings, or more than any features (`mate`). Networks learn "
        "from other tournaments than those compared. In the games for strength the controls play on the same seeds, "
        "and one of them spends as many nodes as the search that predicts, its model's included."
    ),
    settings={
        "wins": ("features", "mate"),
        "depth": 6,
        "tournaments": 100,
        "learned": 24,
        "searches": 4,
        "iterations": 100,
        "search_depth": 4,
        "found": 10,
        "owned": ("S1", "S2", "S3", "S4"),
        "base": 4,
        "inside": 63,
        "outside": 20,
    },
    quick={
        "depth": 2,
        "tournaments": 3,
        "learned": 3,
        "searches": 2,
        "iterations": 4,
        "search_depth": 1,
        "found": 1,
        "owned": ("S4",),
        "base": 2,
        "inside": 2,
        "outside": 1,
    },
    parts=parts,
    measures=(
        balance("Black's wins"),
        balance("Black's wins by strategy", "black"),
        balance("Black's wins by pairing", "black", "white"),
        Measure(
            name="Cost of a search",
            part=("plain", "asymmetric"),
            by=("wins",),
            rows=game_rows,
            columns=tuple(
                Column(name=f"{what}, {tree}", of=per_search(what, tree))
                for what in ("nodes", "seconds")
                for tree in TREES
            ),
        ),
        Measure(
            name="Likely sets",
            part="predictions",
            by=("wins", "network", "rule"),
            columns=(
                ratio_column("hits", "hits", "predictions", 1.0),
                ratio_column("fraction of the moves", "chance", "predictions", 1.0),
                ratio_column("lift", "hits", "chance"),
            ),
            about=(
                "How often the likely moves of a network and a rule held white's move in the plain tournaments, what "
                "fraction of the moves they are, and the lift: hits divided by those of random sets of the same sizes."
            ),
        ),
        Measure(
            name="Strategies found by Harmony*",
            part="found",
            by=(),
            columns=(Column(name="score", bounds=(0.0, 1.0)),),
            about="The score of the best strategies of all searches against those of Table 10.1, with both colours.",
        ),
        Measure(
            name="Score",
            part="duels",
            by=("library", "arm"),
            columns=(Column(name="score", bounds=(0.0, 1.0)), ratio_column("nodes a move", "nodes", "moves")),
            about="Against the strategies that the models know (inside), and against others (outside).",
        ),
        Measure(
            name="Gain by predicting",
            part="duels",
            by=("library", "arm"),
            rows=gain_rows,
            columns=tuple(Column(name=name, bounds=(-1.0, 1.0)) for name in GAINS),
            about="The score of a search that predicts less that of plain search, pair by pair on the same seeds.",
            shown=True,
            drawn=True,
        ),
    ),
    claims=tuple(claims()),
    sources=(
        "E. S. Pedersen (2008). Asymmetric game trees using dynamic Bayesian networks. Master's thesis, Aalborg.",
    ),
)
