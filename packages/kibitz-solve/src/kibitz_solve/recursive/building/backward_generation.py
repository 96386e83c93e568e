"""Backward generation: states that lead to chosen ends, layer by layer, as many as a budget allows.

All states beyond the generated ones count as ends that pay anything from the game's least to its most. So every
state gets two values, one as if that end were lost and one as if it were won; if they agree, the state is *closed*,
and further states cannot change it.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import BadGame
from kibitz.core.kit.state_table import OUTSIDE, StateTable
from kibitz_solve.recursive.building.enumeration import endless_payoff
from kibitz_solve.recursive.building.policies import PolicyTable
from kibitz_solve.recursive.building.recursive_game import Predecessors, RecursiveGame, predecessors_of
from kibitz_solve.recursive.building.restriction import restrict_states
from kibitz_solve.recursive.building.tabled import TableStates, from_table
from kibitz_solve.recursive.proofs.solution import Solution
from kibitz_solve.recursive.proofs.solving import solve
from kibitz_solve.recursive.values.chains import entries_of_rows

Nodes = NDArray[np.int64]


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
) -> BackwardSolution:
    """Generate a table from *ends* (all that player 0 wins) by predecessors, up to *budget* states, and solve it."""
    endless = endless_payoff(game)
    whole = from_table(game, table, infinite_play=endless, limit=table.size)
    before, generated, sizes = predecessors_of(whole), np.empty(0, np.int64), []
    if ends is None:
        layer = _nodes_before(before, whole.live + np.flatnonzero(whole.low[:-1] + endless > 0.0))
    else:
        layer = _nodes_before_ends(whole, table, [table.number(end) for end in ends])
    while True:
        layer = np.setdiff1d(layer[layer < whole.live], generated)[: budget - len(generated)]
        if not len(layer):
            break
        generated = np.union1d(generated, layer)
        sizes.append(len(layer))
        layer = _nodes_before(before, layer)
    if not len(generated):
        raise BadGame(game, "no state leads to the chosen ends")
    least, most = game.utility
    low, high = whole.start(whole.low, least - endless), whole.start(whole.high, most - endless)
    part, _ = restrict_states(whole, generated, low, high)
    assert isinstance(whole.states, TableStates)
    states = GeneratedStates(game, table, np.empty(0, np.int32), whole.states.numbers[generated])
    solution = solve(msgspec.structs.replace(part, states=states), objective="survival")
    return BackwardSolution(solution, tuple(sizes), complete=len(generated) < budget)


def _nodes_before(before: Predecessors, nodes: Nodes) -> Nodes:
    """The nodes that lead to some nodes."""
    return np.unique(before.nodes[entries_of_rows(before.first, nodes)[1]]).astype(np.int64)


def _nodes_before_ends(whole: RecursiveGame, table: StateTable, ends: list[int]) -> Nodes:
    """The nodes that lead to some ends, given by their numbers: as nodes, ends of equal payoff are one."""
    assert isinstance(whole.states, TableStates)
    reached, successors = np.zeros(whole.choices, bool), np.empty(table.most_pairs, np.int64)
    for node, number in enumerate(whole.states.numbers.tolist()):
        table.successors(table.parameters, number, successors)
        rows, columns = whole.shape(node)
        reached[node] = np.isin(successors[: rows * columns], ends).any()
    return np.flatnonzero(reached)


class GeneratedStates(TableStates):
    """The generated states, of a table that may be far larger."""

    def node(self, state: Any) -> int:
        number = self.table.number(state) if isinstance(state, core.State) else self.keys.get(state, OUTSIDE)
        node = int(np.searchsorted(self.numbers, number))
        if node == len(self.numbers) or self.numbers[node] != number:
            raise KeyError(state)
        return node
