"""Small games that the tests solve, and a table written by hand."""

import numpy as np

from kibitz import core
from kibitz.core.kernels import kernel
from kibitz.core.kit.state_table import COLUMN_BITS, OUTSIDE, PAYOFF, SUCCESSORS, StateTable
from kibitz_solve import RecursiveGame, recursive_game

MONKEY = {"N": (0, -1), "S": (0, 1), "E": (-1, 0), "W": (1, 0)}
SIGNS = ((0.0, 1.0), (-1.0, 1.0), (0.0, 1.0, 0.3), (-1.0, 0.5, 1.0), (0.0, -1.0))


def guan(loss: float = 0.0) -> RecursiveGame:
    names = {"S": (("wait", "run"), ("wait", "fire"))}
    return recursive_game({"S": [["S", "X"], ["X", "D"]]}, {"X": 1, "D": loss}, actions=names)


def purgatory(levels: int) -> RecursiveGame:
    ups = [*range(2, levels + 1), "win"]
    return recursive_game({level: [[up, "lost"], [1, up]] for level, up in enumerate(ups, 1)}, {"win": 1, "lost": 0})


def right_turn(radius: int) -> RecursiveGame:
    """Algorithm 1 on a board whose outside is worth 0."""
    side = range(-radius, radius + 1)
    cells = [(x, y) for x in side for y in side if abs(x) > 1 or abs(y) > 1]
    moved = {cell: [[orc_at(cell, row, step, radius) for step in MONKEY.values()] for row in "FR"] for cell in cells}
    return recursive_game(moved, {"caught": 1, "outside": 0})


def orc_at(cell: tuple[int, int], row: str, step: tuple[int, int], radius: int) -> object:
    x, y = cell[0] + step[0], cell[1] + step[1]
    x, y = (x, y + 2) if row == "F" else (-y, x + 2)
    if abs(x) <= 1 and abs(y) <= 1:
        return "caught"
    return (x, y) if abs(x) <= radius and abs(y) <= radius else "outside"


def random_game(rng: np.random.Generator, signs: tuple[float, ...], chance: float, states: int = 4) -> RecursiveGame:
    """Matrices of random successors, some of them drawn by chance."""
    names = [f"s{number}" for number in range(states)]
    payoffs = {f"e{place}": sign for place, sign in enumerate(signs)}
    everything = [*names, *payoffs]

    def successor() -> object:
        one, other = (everything[rng.integers(len(everything))] for _ in range(2))
        odds = float(rng.integers(1, 8)) / 8.0
        return {one: odds, other: 1.0 - odds} if rng.random() < chance and one != other else one

    shapes = {name: rng.integers(1, 4, 2) for name in names}
    return recursive_game(
        {name: [[successor() for _ in range(shape[1])] for _ in range(shape[0])] for name, shape in shapes.items()},
        payoffs,
    )


class Walk(core.Game):
    """Both show a coin: equal ones lead a step to the right on a line, where player 0 wins, others to the left."""

    def __init__(self, size: int = 5) -> None:
        self.size = size

    def new_initial_state(self) -> "WalkState":
        return WalkState(self, self.size // 2)


class WalkState(core.State):
    def __init__(self, game: Walk, cell: int) -> None:
        self.game, self.cell = game, cell

    def current_player(self) -> int:
        return core.SIMULTANEOUS if 0 < self.cell < self.game.size - 1 else core.TERMINAL

    def legal_actions(self, player: int | None = None) -> list[int]:
        return [] if self.is_terminal() else [0, 1]

    def apply_action(self, action: int) -> None:
        raise TypeError("both step at once")

    def apply_actions(self, actions: list[int]) -> None:
        self.cell += 1 if actions[0] == actions[1] else -1

    def returns(self) -> list[float]:
        won = float(self.cell == self.game.size - 1) - float(self.cell == 0)
        return [won, -won]

    def key(self) -> core.Key:
        return self.cell


@kernel(SUCCESSORS)
def walk_successors(parameters, number, found):
    if number in (0, parameters[0] - 1):
        return 0
    found[0] = found[3] = number + 1
    found[1] = found[2] = number - 1
    return 2 << COLUMN_BITS | 2


@kernel(PAYOFF)
def walk_payoff(parameters, number):
    return 1.0 if number == parameters[0] - 1 else -1.0


def walk_table(game: Walk, **changes: object) -> StateTable:
    fields = {
        "size": game.size,
        "most_pairs": 4,
        "parameters": np.array([game.size]),
        "successors": walk_successors,
        "payoff": walk_payoff,
        "number": lambda state: state.cell if 0 <= state.cell < game.size else OUTSIDE,
        "state": lambda number: WalkState(game, number),
    }
    return StateTable(**{**fields, **changes})
