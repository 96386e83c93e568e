"""The study `awareness`: what an opponent model wins, in every game, for every agent that can use one."""

from collections.abc import Iterator
from functools import partial

from kibitz.core.registry import make_game, spec_of
from kibitz.core.seeds import derived_seed
from kibitz_lab.studies.awareness.arms import MODEL, TRUTH, WRONG
from kibitz_lab.studies.awareness.cells import (
    Cell,
    CellTest,
    all_cells,
    cell_of,
    control_cell,
    cost_cell,
    refusal_of,
)
from kibitz_lab.studies.awareness.pairs import measure_cost, play_pairs
from kibitz_lab.studies.measures import Measure, exact_columns
from kibitz_lab.studies.study import Case, Results, Row, Settings, Study, Work

SETTINGS: Settings = {
    "games": ("kuhn(players=2)", "leduc", "dilemma", "offers", "trails", "pawns", "pennies"),
    "agents": ("mcts(simulations=100)", "aware(simulations=100)"),
    "models": ("strategy_filter", "usual"),
    "opponents": ("known", "strangers", "adapting"),
    "adapters": ("adapting", "mcts(simulations=50, model=strategy_filter(unknown=1.0))"),
    "stages": (20, 60, 200, 600, 2000),
    "pairs": 2000,
    "control_pairs": 60,
    "hands": 20,
    "cost_blocks": 3,
    "cost_choices": 60,
    "cpu_hours": 2.0,
}
QUICK: Settings = {
    "games": ("kuhn(players=2)", "pennies"),
    "agents": ("mcts(simulations=20)", "aware(simulations=20)"),
    "models": ("strategy_filter",),
    "adapters": ("adapting",),
    "stages": (4, 8),
    "control_pairs": 4,
    "hands": 4,
    "cost_blocks": 1,
    "cost_choices": 1,
}
HANDS = ("kuhn", "leduc")
"""The games of which one match is too short to learn anything: a series of them counts as one."""
OPENINGS = {"trails": 2}
"""The random first moves of games in which players without chance would repeat the same match."""
CHUNK = 2
"""The most blocks of a case: what is lost when a study is interrupted."""


def parts(settings: Settings, seed: int) -> list[Work]:
    """What the models cost, then the pairs of matches in stages: each plays only the cells that need more."""
    cells = all_cells(settings)
    costs = [cost_case(cell, settings, seed) for cell in dict.fromkeys(map(cost_cell, cells))]
    found: list[Work] = [Work(name="costs", work=measure_cost, cases=costs)]
    done = 0
    for number, pairs in enumerate(stages_of(settings)):
        planned = sum(len(list(chunks(cell, settings, done, pairs))) for cell in cells if not refusal_of(cell))
        cases = partial(stage_cases, number, done, pairs)
        share = planned if number == 0 else planned // 2  # some cells are decided before
        found.append(Work(name=stage_name(number), work=play_pairs, cases=cases, planned=share))
        done = pairs
    return found


def stages_of(settings: Settings) -> list[int]:
    """The pairs of a cell after each stage; the setting `pairs` is the most that a cell may have."""
    stages, most = settings["stages"], settings["pairs"]
    return [each for each in stages if each < most] + ([most] if most <= stages[-1] else [])


def stage_name(number: int) -> str:
    """The name of the part of a stage."""
    return f"pairs_{number + 1}"


def base_case(cell: Cell, settings: Settings, seed: int) -> Case:
    """What every case of a cell holds."""
    name = spec_of(make_game(cell.game)).name
    players = {"adapters": list(settings["adapters"]), "series": settings["hands"] if name in HANDS else 1}
    return {**cell.levels(), **players, "seed": seed, "opening": OPENINGS.get(name, 0)}


def cost_case(cell: Cell, settings: Settings, seed: int) -> Case:
    """The measurement of a cell's cost."""
    own = derived_seed(seed, "cost", *cell.levels().values())  # agents may remember matches of other cells
    return {**base_case(cell, settings, own), "blocks": settings["cost_blocks"], "choices": settings["cost_choices"]}


def chunks(cell: Cell, settings: Settings, done: int, pairs: int) -> Iterator[tuple[int, int]]:
    """The blocks of a cell between two numbers of pairs: the first of each chunk, and how many; controls need fewer."""
    players = make_game(cell.game).players
    most = pairs if cell.arm == MODEL else min(pairs, settings["control_pairs"])
    first, last = -(-done // players), -(-most // players)
    for start in range(first, last, CHUNK):
        yield start, min(CHUNK, last - start)


def stage_cases(number: int, done: int, pairs: int, results: Results) -> list[Case]:
    """The cases of a stage: cells that are refused, decided or out of time have none."""
    settings, found = results.settings, []
    costs = costs_of(results)
    for cell, test in cell_tests(results, number).items():
        cost = costs[cost_cell(cell)]
        if refusal(cell, costs) or test.is_decided or test.seconds > 3600.0 * settings["cpu_hours"]:
            continue
        for first, blocks in chunks(cell, settings, done, pairs):
            base = base_case(cell, settings, results.seed)
            found.append({**base, "first": first, "blocks": blocks, "amount": cost["amount"]})
    return found


def cell_tests(results: Results, stages: int | None = None) -> dict[Cell, CellTest]:
    """The gains of all cells after the first *stages* stages, by default all that were played."""
    cells = all_cells(results.settings)
    costs = costs_of(results)
    played = sum(not refusal(cell, costs) for cell in cells)
    planned = len(stages_of(results.settings))
    found = {cell: CellTest(cell, played * planned) for cell in cells}
    names = [stage_name(number) for number in range(planned)]
    for name in names[:stages]:
        for row in results.rows(name) if name in results.runs else ():
            found[cell_of(row)].add(row)
    return found


def gain_rows(results: Results) -> Iterator[Row]:
    """A row for every cell with a model, with its controls."""
    costs, tests = costs_of(results), cell_tests(results)
    for cell, test in tests.items():
        if cell.arm == MODEL and not refusal(cell, costs):
            yield {
                **cell.levels(),
                "gain": test.estimate,
                "truth told": tests[control_cell(cell, TRUTH)].estimate,
                "wrong model": tests[control_cell(cell, WRONG)].estimate,
                "no model": sum(test.plain) / len(test.plain) if test.plain else None,
                "time": costs[cost_cell(cell)]["ratio"],
                "pairs": len(test.gains) * make_game(cell.game).players,
                "strikes": test.strikes,
                "verdict": test.verdict,
            }


def refused_rows(results: Results) -> Iterator[Row]:
    """What was not played, and why; for most reasons the opponents do not matter."""
    costs = costs_of(results)
    for cell in all_cells(results.settings):
        why = refusal(cell, costs)
        if refusal_of(cell):
            yield {"what": f"{cell.arm}, {cell.opponents} opponents", "why": why}
        elif why:
            yield {"what": f"{cell.game}: {cell.agent} with {cell.model}", "why": why}


def costs_of(results: Results) -> dict[Cell, Row]:
    """The measured costs by cell."""
    return {cell_of(row): row for row in results.rows("costs")}


def refusal(cell: Cell, costs: dict[Cell, Row]) -> str:
    """Why a cell was not played; empty if it was."""
    return refusal_of(cell) or str(costs.get(cost_cell(cell), {}).get("refused", ""))


STUDY = Study(
    name="awareness",
    title="Awareness: what is a model of the opponent worth?",
    asks=(
        "An opponent model is worth what it wins. Here an agent plays with one and without one: the same seeds, "
        "the same seats, the same opponents, and the same cost. The time of the model counts: the agent without one "
        "thinks longer by the ratio that was measured before. The opponents are the strategies that come with the "
        "game, unseen opponents of the published set (strangers), and players who adapt to us.\n\n"
        "A gain is what the agent earns more with the model, as a fraction of the range of the game's returns. A block "
        "is a pair of matches in each seat; a cell is played in stages, until its question is decided or its pairs are "
        "used up. All intervals hold together with 95 %, however many cells there are and whenever one stops: each is "
        "made at 5 % divided by the number of cells times stages (Bonferroni)."
    ),
    settings=SETTINGS,
    quick=QUICK,
    parts=parts,
    measures=(
        Measure(
            name="Gains",
            part="costs",
            by=("game", "agent", "model", "opponents"),
            rows=gain_rows,
            columns=exact_columns(
                "gain", "truth told", "wrong model", "no model", "time", "pairs", "strikes", "verdict"
            ),
            about=(
                "`gain` is what the agent earns more with the model; `truth told`, the same if it is told the true "
                "strategy, which is about the most that a model can win; `wrong model`, if it is sure of a wrong one. "
                "`no model` is what it earns without one, from 0 (the least) to 1; `time`, how many times as long it "
                "takes with the model, before its budget without one is raised; `strikes`, illegal or failed moves."
            ),
            shown=True,
            drawn=True,
        ),
        Measure(
            name="Refused",
            part="costs",
            by=("what",),
            rows=refused_rows,
            columns=exact_columns("why"),
            shown=True,
        ),
    ),
)
