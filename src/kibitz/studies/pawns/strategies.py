"""Table 10.1: Harmony* searches for strategies; do the ones it finds beat each other?"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations, product
from statistics import fmean, pstdev

import msgspec

from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.seeds import derived_seed
from kibitz.games.pawns.agents import TABLE
from kibitz.games.pawns.features import NAMES
from kibitz.learn import harmony
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.pawns.games import plain_player, play_game
from kibitz.studies.pawns.thesis import SOURCE
from kibitz.studies.results import Results
from kibitz.studies.sentences import join_names, percents
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

PEDERSEN = harmony.HarmonySettings()
"""Memory, probabilities, width and grid as in the thesis."""
STAGES = 10
"""How many stages a search has; a stopped search resumes after its last stage."""
SEARCH_PARTS = tuple(f"harmony_{number}" for number in range(1, STAGES + 1))


def parts(settings: Settings, seed: int) -> list[Part]:
    """The searches stage by stage, the last tournament of each repeated, and tournaments of the strategies found."""
    iterations = settings["iterations"] / STAGES
    stages = [
        Work(
            name=name,
            work=continue_search,
            cases=first_cases(settings, seed) if number == 1 else partial(next_cases, number),
            planned=settings["searches"],
            weight=0.6 * (iterations + (number == 1)),
        )
        for number, name in enumerate(SEARCH_PARTS, 1)
    ]
    again = settings["searches"] * settings["rescored"]
    return [
        *stages,
        Work(name="rescored", work=rescore_memory, cases=rescored_cases, planned=again, weight=0.4),
        Work(name="found", work=found_tournament, cases=found_cases, planned=settings["found_tournaments"], weight=3.0),
    ]


def first_cases(settings: Settings, seed: int) -> list[Case]:
    """A case for each search, from its random memory to the end of the first stage."""
    factors = {"search": range(1, settings["searches"] + 1), **search_levels(settings)}
    until = settings["iterations"] // STAGES
    return [{**case, "until": until, "stage": None} for case in cross_factors(factors, seed=seed)]


def search_levels(settings: Settings) -> dict[str, list[object]]:
    """How to play the games of a search."""
    return {"depth": [settings["search_depth"]], "wins": [settings["wins"][0]]}


def next_cases(number: int, results: Results) -> list[Case]:
    """The searches from the end of the stage before to the end of stage *number*."""
    until = results.settings["iterations"] * number // STAGES
    before = results.rows(SEARCH_PARTS[number - 2])
    fresh = first_cases(results.settings, results.seed)
    return [{**case, "until": until, "stage": row["stage"]} for case, row in zip(fresh, before, strict=True)]


def continue_search(case: Case) -> Row:
    """A search continued to the iteration of its case."""
    stage = None if case["stage"] is None else msgspec.convert(case["stage"], harmony.Stage)
    stayed = 0
    while stage is None or stage.iteration < case["until"]:
        iteration = 0 if stage is None else stage.iteration + 1
        costs = partial(relative_costs, case, derived_seed(case["seed"], "tournament", iteration))
        if stage is None:
            stage = harmony.first_stage(costs, PEDERSEN, case["seed"])
        else:
            stage = harmony.next_stage(stage, costs, PEDERSEN, case["seed"])
            stayed += stage.joined in stage.memory
    return {"stage": msgspec.to_builtins(stage), "stayed": stayed}


def relative_costs(case: Case, seed: int, vectors: Sequence[harmony.Vector]) -> list[float]:
    """Not-wins less wins of every vector in a tournament in which each pair meets once with either colour."""
    costs = [0.0] * len(vectors)
    for number, (black, white) in enumerate(permutations(range(len(vectors)), 2)):
        agents = plain_player(vectors[black], case), plain_player(vectors[white], case)
        result = play_game(*agents, derived_seed(seed, number))["result"]
        costs[black] += -1.0 if result > 0 else 1.0
        costs[white] += -1.0 if result < 0 else 1.0
    return costs


def last_stages(results: Results) -> list[harmony.Stage]:
    """Where the searches ended."""
    return [msgspec.convert(row["stage"], harmony.Stage) for row in results.rows(SEARCH_PARTS[-1])]


def rescored_cases(results: Results) -> list[Case]:
    """The last memory of every search, to be scored repeatedly."""
    settings, memories = results.settings, [stage.memory for stage in last_stages(results)]
    factors = {"search": range(1, len(memories) + 1), **search_levels(settings)}
    cases = cross_factors(factors, repeats=settings["rescored"], seed=derived_seed(results.seed, "rescored"))
    return [{**case, "memory": memories[case["search"] - 1]} for case in cases]


def rescore_memory(case: Case) -> Row:
    """The costs of a memory in one more tournament."""
    return {"costs": relative_costs(case, case["seed"], case["memory"])}


def found_cases(results: Results) -> list[Case]:
    """Tournaments of what the searches found."""
    factors = {"depth": [results.settings["depth"]], "wins": [results.settings["wins"][0]]}
    cases = cross_factors(
        factors, repeats=results.settings["found_tournaments"], seed=derived_seed(results.seed, "found")
    )
    return [{**case, "found": found_weights(results)} for case in cases]


def found_weights(results: Results) -> dict[str, harmony.Vector]:
    """The best of each search: H1, H2 and so on."""
    return {f"H{number}": stage.best for number, stage in enumerate(last_stages(results), 1)}


def found_tournament(case: Case) -> Row:
    """Each strategy found against each one found, itself included, and against Table 10.1's with either colour."""
    weights = {**case["found"], **TABLE}
    pairings = [(a, b) for a, b in product(weights, repeat=2) if a in case["found"] or b in case["found"]]
    games = []
    for black, white in pairings:
        agents = plain_player(weights[black], case), plain_player(weights[white], case)
        seed = derived_seed(case["seed"], black, white)
        games.append({"black": black, "white": white, "result": play_game(*agents, seed)["result"]})
    return {"games": games}


def section(results: Results) -> Iterator[Block]:
    """Table 10.1 beside our searches' results, how much of them is chance, and which strategy beats which."""
    settings, found, stages = results.settings, found_weights(results), last_stages(results)
    yield Paragraph(
        f"{settings['searches']} searches of {settings['iterations']} iterations, each with a memory of "
        f"{PEDERSEN.memory}; a component comes from the memory with probability {PEDERSEN.considering} and is shifted "
        f"by at most {PEDERSEN.width} places with probability {PEDERSEN.adjusting}. A new vector joins, all meet each "
        f"other with both colours at depth {settings['search_depth']} (win value `{settings['wins'][0]}`), and the one "
        "with the most not-wins less wins leaves. The thesis does not say how deep its games were, nor on which grid "
        "its weights lay; ours is 0 and ±10, 100, 1000 and 10000, as Table 10.1 suggests."
    )
    rows: list[tuple[Cell, ...]] = [(name, SOURCE, *map(int, weights), None) for name, weights in TABLE.items()]
    rows += [
        (name, "ours", *map(int, found[name]), min(stage.costs)) for name, stage in zip(found, stages, strict=True)
    ]
    yield Table(("strategy", "found by", *NAMES, "its cost at the end"), rows, "Strategies: theirs and ours.")
    yield comparison_table(list(likenesses(list(found.values()))), "What Table 10.1's strategies have in common.")
    yield noise(results)
    yield from mutual_results(results)


def likenesses(found: Sequence[harmony.Vector]) -> Iterator[Comparison]:
    """What all strategies of Table 10.1 share, and how many of ours do."""
    claims = {
        "a pawn near the other base counts for black (OBMin below 0)": lambda vector: vector[NAMES.index("OBMin")] < 0,
        "pawns far from home count for black (BSum above 0)": lambda vector: vector[NAMES.index("BSum")] > 0,
        "pawns far apart count nothing (DSum 0)": lambda vector: vector[NAMES.index("DSum")] == 0,
    }
    for what, true in claims.items():
        count, there = sum(map(true, found)), sum(map(true, TABLE.values()))
        yield Comparison(
            what=what,
            source=f"{SOURCE}, Table 10.1",
            there=f"{there} of {len(TABLE)}",
            here=f"{count} of {len(found)}",
            holds=count == len(found),
        )


def noise(results: Results) -> Conclusion:
    """How much of a cost is chance: the last memories, scored again."""
    deviations, spreads, agreed = [], [], []
    for number, stage in enumerate(last_stages(results), 1):
        again = [row["costs"] for row in results.rows("rescored") if row["search"] == number]
        members = list(zip(*again, strict=True))
        deviations.append(fmean(pstdev(costs) for costs in members))
        spreads.append(pstdev([fmean(costs) for costs in members]))
        best = stage.memory.index(stage.best)
        agreed += [costs[best] == min(costs) for costs in again]
    chance, difference = fmean(deviations), fmean(spreads)
    return Conclusion(
        f"A cost of Harmony* is {'mostly chance' if chance > difference else 'more than chance'}: the same vector in "
        f"the same memory scores differently by {chance:.1f} (standard deviation over {results.settings['rescored']} "
        f"tournaments), while the mean costs of the members of a memory differ by {difference:.1f}. The vector that a "
        f"search calls its best is best again, ties included, in {percents(mean_interval(agreed, bounds=(0.0, 1.0)))} "
        f"of the tournaments; one of {PEDERSEN.memory} equal vectors would be in {1 / PEDERSEN.memory:.0%} or more."
    )


def mutual_results(results: Results) -> Iterator[Block]:
    """Whether each strategy found can beat some other, and how well they play against Table 10.1's."""
    names = list(found_weights(results))
    games = [game for row in results.rows("found") for game in row["games"]]
    rows: list[tuple[Cell, ...]] = [
        (name, *(point_share(games, [name], [other]) for other in (*names, *TABLE))) for name in names
    ]
    yield Table(
        ("", *names, *TABLE),
        rows,
        f"Share of points (95 % interval) of ours against each other and against Table 10.1's, both colours, depth "
        f"{results.settings['depth']}, a draw as half.",
    )
    beating = [name for name in names if any(ahead(games, name, other) for other in names if other != name)]
    rest = [name for name in names if name not in beating]
    outside = point_share(games, names, list(TABLE))
    yield Conclusion(
        f"{len(beating)} of the {len(names)} strategies found win more often than not against some other of them"
        + (f"; {join_names(rest)} against none" if rest else ", as the thesis requires of its own")
        + f". Against those of Table 10.1 they score {percents(outside)}"
        + (": being the best of a memory says little outside it." if outside.high < 0.5 else ".")
    )


def point_share(games: Sequence[Row], ours: Sequence[str], others: Sequence[str]) -> Estimate:
    """The share of points of some strategies against others, over both colours."""
    points = [(1.0 + game["result"]) / 2.0 for game in games if game["black"] in ours and game["white"] in others]
    points += [(1.0 - game["result"]) / 2.0 for game in games if game["white"] in ours and game["black"] in others]
    return mean_interval(points, bounds=(0.0, 1.0))


def ahead(games: Sequence[Row], name: str, other: str) -> bool:
    """Whether one scores more than the other."""
    return point_share(games, [name], [other]).mean > 0.5


SECTIONS = (Section(title="Strategies (Table 10.1)", parts=(*SEARCH_PARTS, "rescored", "found"), blocks=section),)
