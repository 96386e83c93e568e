"""Recursive games read from a game's table of states, by kernels."""

from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import BadGame
from kibitz.core.kernels import kernel
from kibitz.core.kit import state_table as tables
from kibitz.core.kit.state_table import OUTSIDE, StateTable
from kibitz_solve.recursive.building.enumeration import RuleStates, check_size
from kibitz_solve.recursive.building.recursive_game import Ints, RecursiveGame, Structure, beyond_infinite_play

WIDTH = (1 << tables.COLUMN_BITS) - 1
STATE_LIMIT = 20_000_000
MOST_PAIRS = 2**31 - 1


@kernel(
    f"int64(FunctionType({tables.SUCCESSORS}), FunctionType({tables.PAYOFF}), int64[::1], int64, int64[::1],"
    " int32[::1], float64[::1])"
)
def read_table(
    successors: Any,
    payoff: Any,
    parameters: NDArray[np.int64],
    most_pairs: int,
    shapes: NDArray[np.int64],
    written: NDArray[np.int32],
    paid: NDArray[np.float64],
) -> int:
    """Write the shape of every state and the numbers of its successors, or what it pays if it is an end.

    Return how many successors there are, one more than *written* holds if they do not fit, or -1 - the number of an
    invalid state.
    """
    found, pairs = np.empty(most_pairs, np.int64), 0
    for number in range(len(shapes)):
        shapes[number] = shape = successors(parameters, number, found)
        if shape == 0:
            paid[number] = payoff(parameters, number)
            if not np.isfinite(paid[number]):
                return -1 - number
            continue
        count = (shape >> tables.COLUMN_BITS) * (shape & WIDTH)
        if count <= 0 or count > most_pairs:
            return -1 - number
        if pairs + count > len(written):
            return len(written) + 1
        for pair in range(count):
            if found[pair] < tables.OUTSIDE or found[pair] >= len(shapes):
                return -1 - number
            written[pairs + pair] = found[pair]
        pairs += count
    return pairs


def from_table(
    game: core.Game, table: StateTable, *, infinite_play: float = 0.0, limit: int = STATE_LIMIT
) -> RecursiveGame:
    """All states of a table."""
    check_size(game, table.size, limit, f", {table.size:,} in its table")
    shapes, paid = np.empty(table.size, np.int64), np.empty(table.size)
    written = np.empty(min(table.size * table.most_pairs, MOST_PAIRS), np.int32)
    pairs = read_table(table.successors, table.payoff, table.parameters, table.most_pairs, shapes, written, paid)
    if pairs < 0:
        raise BadGame(game, f"number {-1 - pairs} of its table has an invalid shape, successor or payoff")
    if pairs > len(written):
        raise BadGame(game, f"it has more than {MOST_PAIRS:,} pairs of actions; give narrower bounds")
    numbers, ended = np.flatnonzero(shapes).astype(np.int32), shapes == 0
    columns, rows = shapes[numbers] & WIDTH, shapes[numbers] >> tables.COLUMN_BITS
    payoffs, seen, payoff = np.unique(paid[ended], return_index=True, return_inverse=True)
    nodes = np.empty(table.size + 1, np.int32)
    nodes[numbers] = np.arange(len(numbers))
    nodes[:-1][ended] = len(numbers) + np.argsort(np.argsort(seen))[payoff]  # payoffs in the order of their first ends
    nodes[OUTSIDE] = len(numbers) + len(payoffs)
    structure = Structure(
        first=np.concatenate([[0], np.cumsum(rows * columns)]).astype(np.int32),
        columns=columns.astype(np.uint16),
        successors=nodes[written[:pairs]],
        chance_first=np.zeros(1, np.int32),
        chance_successors=np.empty(0, np.int32),
        chance_odds=np.empty(0),
        stage=np.empty(0),
    )
    ends = payoffs[np.argsort(seen)]
    low, high = (beyond_infinite_play(np.append(ends, bound), infinite_play) for bound in table.outside)
    return RecursiveGame(structure, low, high, TableStates(game, table, nodes, numbers), infinite_play)


class TableStates(RuleStates):
    """The states of a table, with a lookup by state or by key."""

    def __init__(self, game: core.Game, table: StateTable, nodes: Ints, numbers: Ints) -> None:
        super().__init__(game)
        self.table, self.node_of, self.numbers = table, nodes, numbers

    def node(self, state: Any) -> int:
        number = self.table.number(state) if isinstance(state, core.State) else self.keys.get(state, OUTSIDE)
        if number == OUTSIDE:
            raise KeyError(state)
        return int(self.node_of[number])

    def state(self, node: int) -> core.State:
        return self.table.state(int(self.numbers[node]))

    @cached_property
    def keys(self) -> dict[Hashable, int]:
        """The number of every state's key, computed on the first lookup by key: a table itself finds only states."""
        return {self.name(node): int(number) for node, number in enumerate(self.numbers)}
