"""The matrix: measures costs, plays every cell in stages until it is decided, and reports gains beside controls."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import nan
from statistics import mean
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import BadDefinition
from kibitz.core.registry import make_game, spec_of
from kibitz.core.seeds import derived_seed
from kibitz.studies.awareness.arms import MODEL, TRUTH, WRONG, budget_of
from kibitz.studies.awareness.cells import (
    ADAPTING,
    KNOWN,
    LEAST,
    STRANGERS,
    Cell,
    CellTest,
    all_cells,
    cell_of,
    control_cell,
    cost_cell,
    refusal_of,
)
from kibitz.studies.awareness.pairs import measure_cost, play_pairs
from kibitz.studies.blocks import Block, Conclusion, Figure, Paragraph, Table
from kibitz.studies.blocks import Cell as Entry
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Section, Settings, Work

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

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


def parts(settings: Settings, seed: int) -> list[Part]:
    """What the models cost, then the pairs of matches in stages: each plays only the cells that need more."""
    stages = checked_stages(settings)
    cells = all_cells(settings)
    costs = [cost_case(cell, settings, seed) for cell in dict.fromkeys(map(cost_cell, cells))]
    found: list[Part] = [Work(name="costs", work=measure_cost, cases=costs)]
    done = 0
    for number, pairs in enumerate(stages):
        planned = sum(len(list(chunks(cell, settings, done, pairs))) for cell in cells if not refusal_of(cell))
        cases = partial(stage_cases, number, done, pairs)
        share = planned if number == 0 else planned // 2  # some cells are decided before
        found.append(Work(name=stage_name(number), work=play_pairs, cases=cases, planned=share))
        done = pairs
    return found


def checked_stages(settings: Settings) -> list[int]:
    """The pairs of a cell after each stage, which must rise; the setting `pairs` is the most that a cell may have."""
    stages, most = list(settings["stages"]), settings["pairs"]
    if not stages or stages[0] < 1 or any(late <= early for early, late in pairwise(stages)):
        raise BadDefinition("awareness", f"stages: they must rise from 1 or more, not {stages}")
    if most < 1:
        raise BadDefinition("awareness", f"pairs: a cell needs at least 1, not {most}")
    return [each for each in stages if each < most] + ([most] if most <= stages[-1] else [])


def stage_name(number: int) -> str:
    """The name of the part of a stage."""
    return f"pairs_{number + 1}"


def series_of(cell: Cell, settings: Settings) -> int:
    """The matches that the same players play one after another."""
    return settings["hands"] if spec_of(make_game(cell.game)).name in HANDS else 1


def base_case(cell: Cell, settings: Settings, seed: int) -> Case:
    """What every case of a cell holds."""
    name = spec_of(make_game(cell.game)).name
    found = {"adapters": list(settings["adapters"]), "series": series_of(cell, settings), "seed": seed}
    return {**cell.levels(), **found, "opening": OPENINGS.get(name, 0)}


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
    costs = {cell_of(row): row for row in results.rows("costs")}
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
    costs = {cell_of(row): row for row in results.rows("costs")}
    played = sum(not refusal(cell, costs) for cell in cells)
    planned = len(checked_stages(results.settings))
    found = {cell: CellTest(cell, played * planned) for cell in cells}
    names = [stage_name(number) for number in range(planned)]
    for name in names[:stages]:
        for row in results.rows(name) if name in results.runs else ():
            found[cell_of(row)].add(row)
    return found


def blocks(results: Results) -> Iterator[Block]:
    """The table of gains, the heat map, the refusals, and what the bars say."""
    costs = {cell_of(row): row for row in results.rows("costs")}
    tests = cell_tests(results)
    rows = [cell for cell in tests if cell.arm == MODEL and not refusal(cell, costs)]
    yield from conclusions(rows, tests)
    columns = (
        "game",
        "agent",
        "model",
        "opponents",
        "gain",
        "truth told",
        "wrong model",
        "no model",
        "time",
        "pairs",
        "verdict",
    )
    entries = [matrix_row(cell, tests, costs) for cell in rows]
    played = sum(len(test.gains) * make_game(cell.game).players for cell, test in tests.items())
    cells = sum(bool(test.gains) for test in tests.values())
    caption = (
        f"Gains at equal cost as shares of the range of returns, from {played:,} pairs in {cells} cells; all "
        "intervals hold together with 95 %. `no model` is what the agent earns without one, from 0 (the least) to 1; "
        "`time` is how many times as long the agent takes with the model, before its budget without one is raised."
    )
    short = [short_row(cell, tests) for cell in rows]
    heads = ("where", "opponents", "gain", "interval", "truth", "wrong", "pairs", "verdict")
    yield Table(heads, short, f"Gains from {played:,} pairs in {cells} cells, as shares of the range.", shown=True)
    yield Table(columns, entries, caption)
    yield Figure("matrix", "Gains by what the agent is told; a dot marks gains that are certain.", map_of(rows, tests))
    refused = [(refused_name(cell), why) for cell in tests if (why := refusal(cell, costs))]
    if refused:
        yield Table(("what", "why not"), list(dict.fromkeys(refused)), "Refused.", shown=True)
    strikes = [f"{cell.agent} with {cell.model} in {cell.game}" for cell, test in tests.items() if test.strikes]
    if strikes:
        yield Paragraph(f"These made illegal or failed moves: {', '.join(dict.fromkeys(strikes))}.")
    fixed = [cell for cell in rows if budget_of(cell.agent, spec_of(make_game(cell.game)).name) is None]
    if fixed:
        names = ", ".join(dict.fromkeys(f"`{cell.agent}`" for cell in fixed))
        yield Paragraph(f"Nothing is scaled for {names}: these name no budget.")


def refusal(cell: Cell, costs: dict[Cell, dict[str, Any]]) -> str:
    """Why a cell was not played; empty if it was."""
    return refusal_of(cell) or str(costs.get(cost_cell(cell), {}).get("refused", ""))


def refused_name(cell: Cell) -> str:
    """What was refused, in words: for most reasons the opponents do not matter."""
    if refusal_of(cell):
        return f"{cell.arm}, {cell.opponents} opponents"
    return f"{cell.game}: {cell.agent} with {cell.model}"


def conclusions(rows: Sequence[Cell], tests: dict[Cell, CellTest]) -> Iterator[Block]:
    """How many cells reach what is asked of them."""
    for kind, whom, wanted, reaches in QUESTIONS:
        cells = [cell for cell in rows if cell.opponents == kind]
        met = [cell for cell in cells if reaches(tests[cell])]
        if cells:
            named = ", ".join(f"{cell.game} ({agent_name(cell)})" for cell in met) or "none"
            yield Conclusion(f"Against {whom}, {len(met)} of {len(cells)} cells {wanted}: {named}.")


def gains_surely(test: CellTest) -> bool:
    """Whether a gain is above 0 for certain."""
    return test.verdict == "gains"


def loses_little(test: CellTest) -> bool:
    """Whether a loss is less than LEAST for certain."""
    return test.verdict not in ("loses", "undecided") or (test.estimate is not None and test.estimate.low > -LEAST)


QUESTIONS: tuple[tuple[str, str, str, Callable[[CellTest], bool]], ...] = (
    (KNOWN, "known players", "gain for certain", gains_surely),
    (STRANGERS, "strangers", f"lose less than {LEAST:g} of the range for certain", loses_little),
    (ADAPTING, "players who adapt", f"lose less than {LEAST:g} of the range for certain", loses_little),
)


def agent_name(cell: Cell) -> str:
    """The agent without its parameters, and its model."""
    return f"{cell.agent.partition('(')[0]}, {cell.model.partition('(')[0]}"


def matrix_row(cell: Cell, tests: dict[Cell, CellTest], costs: dict[Cell, dict[str, Any]]) -> tuple[Entry, ...]:
    """A line of the table."""
    test = tests[cell]
    players = make_game(cell.game).players
    earned = sum(test.plain) / len(test.plain) if test.plain else None
    ratio = costs[cost_cell(cell)]["ratio"]
    controls = [tests[control_cell(cell, arm)].estimate for arm in (TRUTH, WRONG)]
    gain = test.estimate
    levels = (cell.game, cell.agent, cell.model, cell.opponents)
    return *levels, gain, *controls, earned, ratio, len(test.gains) * players, test.verdict


def short_row(cell: Cell, tests: dict[Cell, CellTest]) -> tuple[Entry, ...]:
    """A line of the table for the terminal."""
    test = tests[cell]
    found = [tests[control_cell(cell, arm)].estimate for arm in (MODEL, TRUTH, WRONG)]
    gain, truth, wrong = ("–" if each is None else f"{each.mean:+.3f}" for each in found)
    interval = "–" if found[0] is None else f"{found[0].low:+.3f} {found[0].high:+.3f}"
    where = f"{cell.game}, {agent_name(cell)}"
    pairs = len(test.gains) * make_game(cell.game).players
    return where, cell.opponents, gain, interval, truth, wrong, pairs, test.verdict


def map_of(rows: Sequence[Cell], tests: dict[Cell, CellTest]) -> "Callable[[], Picture]":
    """The drawing of the matrix: a line per game, agent and model; the gains by opponents and by what is told."""
    lines = list(dict.fromkeys((cell.game, cell.agent, cell.model) for cell in rows))
    kinds = list(dict.fromkeys(cell.opponents for cell in rows))
    columns = [(kind, arm) for kind in kinds for arm in (MODEL, TRUTH, WRONG)]
    values, marks = [], []
    for game, agent, model in lines:
        found = [tests.get(control_cell(Cell(game, agent, model, MODEL, kind), arm)) for kind, arm in columns]
        values.append([mean(each.gains) if each is not None and each.gains else nan for each in found])
        marks.append([each is not None and each.verdict == "gains" for each in found])
    names = [f"{game} · {agent_name(Cell(game, agent, model, MODEL, ''))}" for game, agent, model in lines]
    heads = [f"{kind}: {arm}" for kind, arm in columns]

    def draw() -> "Picture":
        from kibitz.arena.plots.charts import gain_map

        return gain_map(names, heads, values, marks, label="gain, as a share of the range")

    return draw


SECTIONS = (Section(title="The matrix", parts=("costs",), blocks=blocks),)
