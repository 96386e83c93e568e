"""`repeated`: any stage of two players as a repeated game, the stage by its name or as a matrix in text."""

from typing import NamedTuple

from kibitz import core
from kibitz.core.errors import BadSpec, advice
from kibitz.games.dilemma.rules import NAMES, RepeatedStage, Table

MOST_ACTIONS = 26
"""The most actions of a stage in text: they are named by letters."""
LARGEST = 1_000_000.0


class StageTable(NamedTuple):
    """A stage: what both earn, and the names of their actions."""

    table: Table
    names: tuple[tuple[str, ...], tuple[str, ...]]


def zero_sum_table(*rows: tuple[float, ...]) -> Table:
    """A table in which player 1 loses what player 0 wins."""
    return tuple(tuple((won, 0.0 - won) for won in row) for row in rows)


THROWS = ("rock", "paper", "scissors")
SIDES = ("heads", "tails")
GOING_OUT = ("opera", "football")
STAGES = {
    "dilemma": StageTable((((3.0, 3.0), (0.0, 5.0)), ((5.0, 0.0), (1.0, 1.0))), (NAMES, NAMES)),
    "stag-hunt": StageTable((((4.0, 4.0), (0.0, 3.0)), ((3.0, 0.0), (3.0, 3.0))), (("stag", "hare"), ("stag", "hare"))),
    "chicken": StageTable(
        (((3.0, 3.0), (1.0, 4.0)), ((4.0, 1.0), (0.0, 0.0))), (("swerve", "straight"), ("swerve", "straight"))
    ),
    "battle": StageTable((((3.0, 2.0), (0.0, 0.0)), ((0.0, 0.0), (2.0, 3.0))), (GOING_OUT, GOING_OUT)),
    "coordination": StageTable(
        (((1.0, 1.0), (0.0, 0.0)), ((0.0, 0.0), (1.0, 1.0))), (("left", "right"), ("left", "right"))
    ),
    "pennies": StageTable(zero_sum_table((1.0, -1.0), (-1.0, 1.0)), (SIDES, SIDES)),
    "rps": StageTable(zero_sum_table((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0)), (THROWS, THROWS)),
}
"""The stages that have names."""


class Repeated(RepeatedStage):
    """A stage game of two players, chosen at once, *rounds* times; points are added up.

    *stage* is a name, such as stag-hunt, or a matrix in text: rows for player 0's actions with `;` between them, and in
    each cell what player 0 and player 1 earn, `"3,3 0,5; 5,0 1,1"`, or one number if player 1 loses what player 0 wins.
    *noise* is the probability that a choice turns into another one; both players see what was done.
    """

    def __init__(self, stage: str = "stag-hunt", rounds: core.Count = 20, noise: core.Probability = 0.0) -> None:
        self.stage, self.rounds, self.noise = stage, rounds, noise
        self.table, self.names = read_stage(stage)
        self.set_bounds()


def read_stage(text: str) -> StageTable:
    """The stage that *text* names or writes out."""
    if text in STAGES:
        return STAGES[text]
    if not any(letter.isdigit() for letter in text):
        raise BadSpec(f"repeated(stage={text!r})", f"there is no stage {text!r}; {advice(text, STAGES)}")
    rows = [row.split() for row in text.split(";") if row.strip()]
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        raise BadSpec(f"repeated(stage={text!r})", f"its rows have {join_numbers(widths)} cells, not equally many")
    if max(len(rows), *widths) > MOST_ACTIONS:
        raise BadSpec(f"repeated(stage={text!r})", f"a player has more than {MOST_ACTIONS} actions")
    table = tuple(tuple(read_cell(text, cell) for cell in row) for row in rows)
    letters = tuple("abcdefghijklmnopqrstuvwxyz")
    return StageTable(table, (letters[: len(table)], letters[: len(table[0])]))


def read_cell(text: str, cell: str) -> tuple[float, float]:
    """What both earn in one cell: `3,0`, or `1` for 1 and -1."""
    numbers = cell.split(",")
    try:
        found = [float(number) for number in numbers]
    except ValueError:
        found = []
    if len(found) not in (1, 2) or not all(abs(number) <= LARGEST for number in found):
        why = f"the cell {cell!r} is not one or two numbers up to {LARGEST:,.0f}, as in 3,0"
        raise BadSpec(f"repeated(stage={text!r})", why)
    return (found[0], found[1]) if len(found) == 2 else (found[0], 0.0 - found[0])


def join_numbers(numbers: set[int]) -> str:
    """Numbers in a sentence."""
    *first, last = sorted(numbers)
    return f"{', '.join(map(str, first))} and {last}" if first else str(last)
