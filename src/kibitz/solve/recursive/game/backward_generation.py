"""Backward generation: states that lead to chosen ends, layer by layer, as many as a budget allows.

All states beyond the generated ones count as one end that pays anything from the game's least to its most. So every
state gets two values, one as if that end were lost and one as if it were won; if they agree, the state is *closed*,
and further states cannot change it.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.abilities.state_table import OUTSIDE, StateTable
from kibitz.core.errors import BadGame
from kibitz.solve.recursive.game import table_kernels
from kibitz.solve.recursive.game.enumeration import endless_payoff
from kibitz.solve.recursive.game.game import RecursiveGame, Structure
from kibitz.solve.recursive.game.policies import PolicyTable
from kibitz.solve.recursive.game.tabled import TableStates
from kibitz.solve.recursive.proofs.solution import Solution
from kibitz.solve.recursive.proofs.solving import Objective, solve

Numbers = NDArray[np.int64]


class BackwardSolution(msgspec.Struct, frozen=True):
    """The result of backward generation: a solution of the states in the budget, and the size of each layer."""

    solution: Solution
    layers: tuple[int, ...]
    complete: bool
    """Whether it has every state that can lead to the chosen ends."""

    def closed_states(self, width: float = 1e-6) -> NDArray[np.bool_]:
        """Which states are settled, whatever the other states are worth."""
        return np.less_equal((self.solution.high - self.solution.low)[: len(self.solution)], width)

    def tables(self, width: float = 1e-6) -> tuple[PolicyTable, PolicyTable]:
        """The closed rows, and the open rows."""
        rows, closed = self.solution.table().rows, self.closed_states(width)
        return (
            PolicyTable([row for row, done in zip(rows, closed, strict=True) if done]),
            PolicyTable([row for row, done in zip(rows, closed, strict=True) if not done]),
        )


def grown_backward(
    game: core.Game,
    table: StateTable,
    *,
    ends: Sequence[core.State] | None = None,
    budget: int = 100_000,
    objective: Objective = "survival",
    width: float = 1e-6,
    seconds: float | None = None,
) -> BackwardSolution:
    """Generate a table from *ends* (all that player 0 wins) by predecessors, up to *budget* states, and solve it."""
    predecessors = _NamedPredecessors(table) if table.predecessors is not None else _ScannedPredecessors(table)
    if ends is None:
        layer = np.flatnonzero(_payoffs(table, np.arange(table.size)) > 0.0)
    else:
        layer = np.array([table.number(end) for end in ends], np.int64)
    made, sizes = np.empty(0, np.int64), []
    while len(layer) and len(made) < budget:
        layer = np.setdiff1d(predecessors.before(layer), made)[: budget - len(made)]
        made = np.union1d(made, layer)
        sizes.append(len(layer))
    if not len(made):
        raise BadGame(game, "no state leads to the chosen ends")
    solution = solve(_partial(game, table, made), objective=objective, width=width, seconds=seconds)
    return BackwardSolution(solution, tuple(size for size in sizes if size), complete=not len(layer))


class _NamedPredecessors:
    """Predecessors from the game's kernel."""

    def __init__(self, table: StateTable) -> None:
        self.table = table

    def before(self, numbers: Numbers) -> Numbers:
        """The states that may lead to any of these."""
        room = np.empty(max(self.table.most_predecessors, 1), np.int64)
        found = [room[: self.table.predecessors(self.table.parameters, int(number), room)].copy() for number in numbers]
        candidates = np.unique(np.concatenate(found))
        return candidates[np.isnan(_payoffs(self.table, candidates))]


class _ScannedPredecessors:
    """Predecessors from one scan of the whole table."""

    def __init__(self, table: StateTable) -> None:
        live = np.flatnonzero(np.isnan(_payoffs(table, np.arange(table.size))))
        first, _, self.after = _successors(table, live)
        self.source = np.repeat(live, np.diff(first))

    def before(self, numbers: Numbers) -> Numbers:
        """The states that lead to any of these."""
        return np.unique(self.source[np.isin(self.after, numbers)])


def _payoffs(table: StateTable, numbers: Numbers) -> NDArray[np.float64]:
    """The payoff of each state, NaN if the game goes on."""
    payoffs = np.empty(len(numbers))
    table_kernels.list_payoffs(table.successors, table.payoff, table.parameters, table.most_pairs, numbers, payoffs)
    return payoffs


def _successors(table: StateTable, numbers: Numbers) -> tuple[NDArray[np.int32], NDArray[np.uint16], Numbers]:
    """The index of each state's first successor, its columns, and all successors' numbers."""
    first, columns = np.empty(len(numbers) + 1, np.int32), np.empty(len(numbers), np.uint16)
    found = np.empty(len(numbers) * table.most_pairs, np.int64)
    pairs = table_kernels.list_successors(
        table.successors, table.parameters, table.most_pairs, numbers, first, columns, found
    )
    return first, columns, found[:pairs]


def _partial(game: core.Game, table: StateTable, made: Numbers) -> RecursiveGame:
    """The generated states as a game; its last two ends stand for states outside the table and states not generated."""
    first, columns, found = _successors(table, made)
    numbers, which = np.unique(found, return_inverse=True)
    place = np.searchsorted(made, numbers).clip(0, len(made) - 1)
    paid = _payoffs(table, np.maximum(numbers, 0))
    amounts = np.unique(paid[~np.isnan(paid) & (numbers >= 0)])
    outside = len(made) + len(amounts)
    nodes = np.where(np.isnan(paid), outside + 1, len(made) + np.searchsorted(amounts, paid))
    nodes = np.where(made[place] == numbers, place, nodes)
    nodes[numbers == OUTSIDE] = outside
    structure = Structure(
        first=first,
        columns=columns,
        successors=nodes[which].astype(np.int32),
        chance_first=np.zeros(1, np.int32),
        chance_successors=np.empty(0, np.int32),
        chance_odds=np.empty(0),
        stage=np.empty(0),
    )
    worth = endless_payoff(game)
    low, high = (np.concatenate([amounts, [table.outside[side], game.utility[side]]]) - worth for side in (0, 1))
    return RecursiveGame(structure, low, high, GeneratedStates(game, table, np.empty(0, np.int32), made), worth)


class GeneratedStates(TableStates):
    """The generated states, of a table that may be far larger."""

    def node(self, state: Any) -> int:
        number = self.table.number(state) if isinstance(state, core.State) else self.keys.get(state, OUTSIDE)
        place = int(np.searchsorted(self.numbers, number))
        if place == len(self.numbers) or self.numbers[place] != number:
            raise KeyError(state)
        return place
