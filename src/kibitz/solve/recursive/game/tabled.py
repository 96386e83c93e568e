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
from kibitz.solve.recursive.game.enumeration import RuleStates
from kibitz.solve.recursive.game.game import Ints, RecursiveGame, Structure, beyond_infinite_play
from kibitz.solve.recursive.game.sizes import check_size

WIDTH = (1 << tables.COLUMN_BITS) - 1
LIVE, PAIRS, ENDS, WRONG = range(4)
"""The counts of `read_table`; the last is the number of an invalid state."""
FINE, BAD_STATE, TOO_MANY_PAYOFFS, TOO_MANY_PAIRS = range(4)
"""The verdicts of `read_table`."""


@kernel(
    f"int64(FunctionType({tables.SUCCESSORS}), FunctionType({tables.PAYOFF}), int64[::1], int64, int32[::1],"
    " int32[::1], uint16[::1], int32[::1], int32[::1], float64[::1], int64[::1])"
)
def read_table(
    successors: Any,
    payoff: Any,
    parameters: NDArray[np.int64],
    most_pairs: int,
    nodes: NDArray[np.int32],
    first: NDArray[np.int32],
    columns: NDArray[np.uint16],
    written: NDArray[np.int32],
    numbers: NDArray[np.int32],
    ends: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> int:
    """Give every state its node, ends as -1 - their place in *ends*, which gets every payoff once.

    The states that go on get their number, shape and the numbers of their successors, which `place_successors` turns
    into nodes.
    """
    found = np.empty(most_pairs, np.int64)
    counts[:] = 0
    for number in range(len(nodes)):
        shape = successors(parameters, number, found)
        if shape == 0:
            end = end_of(payoff(parameters, number), ends, counts)
            if end < 0:
                counts[WRONG] = number
                return BAD_STATE if end == -1 else TOO_MANY_PAYOFFS
            nodes[number] = -1 - end
            continue
        live, at, width = counts[LIVE], counts[PAIRS], shape & WIDTH
        pairs = (shape >> tables.COLUMN_BITS) * width
        if at + pairs > len(written):
            return TOO_MANY_PAIRS
        wrong = pairs <= 0 or pairs > most_pairs
        for place in range(0 if wrong else pairs):
            wrong = wrong or found[place] < tables.OUTSIDE or found[place] >= len(nodes)
            written[at + place] = found[place]
        if wrong:
            counts[WRONG] = number
            return BAD_STATE
        nodes[number], first[live], columns[live], numbers[live] = live, at, width, number
        counts[LIVE] += 1
        counts[PAIRS] += pairs
    first[counts[LIVE]] = counts[PAIRS]
    return FINE


@kernel("int64(float64, float64[::1], int64[::1])")
def end_of(paid: float, ends: NDArray[np.float64], counts: NDArray[np.int64]) -> int:
    """The place of a payoff in *ends*, which gets it if it is new; -1 if it is not a number, -2 if *ends* is full."""
    if not np.isfinite(paid):
        return -1
    for place in range(counts[ENDS]):
        if ends[place] == paid:
            return place
    if counts[ENDS] == len(ends):
        return -2
    ends[counts[ENDS]] = paid
    counts[ENDS] += 1
    return int(counts[ENDS] - 1)


@kernel("int64(int32[::1], int32[::1], int64, int64)")
def place_successors(nodes: NDArray[np.int32], written: NDArray[np.int32], live: int, outside: int) -> int:
    """Turn the numbers of successors into nodes, in place; ends come after the *live* states."""
    for place in range(len(written)):
        node = nodes[written[place]] if written[place] >= 0 else -1 - outside
        written[place] = node if node >= 0 else live - 1 - node
    return len(written)


STATE_LIMIT = 20_000_000
MOST_PAIRS = 2**31 - 1
MOST_PAYOFFS = 4096
"""The most different payoffs of a table's ends."""


def from_table(
    game: core.Game, table: StateTable, *, infinite_play: float = 0.0, limit: int = STATE_LIMIT
) -> RecursiveGame:
    """All states of a table."""
    check_size(game, table.size, limit, f", {table.size:,} in its table")
    size, most = table.size, min(table.size * table.most_pairs, MOST_PAIRS)
    nodes, numbers = np.empty(size, np.int32), np.empty(size, np.int32)
    first, columns, written = np.empty(size + 1, np.int32), np.empty(size, np.uint16), np.empty(most, np.int32)
    ends, counts = np.empty(MOST_PAYOFFS), np.empty(4, np.int64)
    verdict = read_table(
        table.successors,
        table.payoff,
        table.parameters,
        table.most_pairs,
        nodes,
        first,
        columns,
        written,
        numbers,
        ends,
        counts,
    )
    if verdict:
        raise BadGame(game, _complaint(verdict, int(counts[WRONG])))
    live, pairs, payoffs = (int(count) for count in counts[:3])
    successors = written[:pairs].copy()
    del written
    place_successors(nodes, successors, live, payoffs)
    structure = Structure(
        first=first[: live + 1].copy(),
        columns=columns[:live].copy(),
        successors=successors,
        chance_first=np.zeros(1, np.int32),
        chance_successors=np.empty(0, np.int32),
        chance_odds=np.empty(0),
        stage=np.empty(0),
    )
    low, high = (beyond_infinite_play(np.append(ends[:payoffs], bound), infinite_play) for bound in table.outside)
    states = TableStates(game, table, nodes, numbers[:live].copy())
    return RecursiveGame(structure, low, high, states, infinite_play)


def _complaint(verdict: int, number: int) -> str:
    """What the kernel found wrong with a table."""
    if verdict == BAD_STATE:
        return f"number {number} of its table has an invalid shape, successor or payoff"
    if verdict == TOO_MANY_PAYOFFS:
        return f"its ends pay more than {MOST_PAYOFFS} different amounts; enumerate it instead"
    return f"it has more than {MOST_PAIRS:,} pairs of actions; give narrower bounds"


class TableStates(RuleStates):
    """The states of a table, with a lookup by state or by key."""

    def __init__(self, game: core.Game, table: StateTable, nodes: Ints, numbers: Ints) -> None:
        super().__init__(game)
        self.table, self.placed, self.numbers = table, nodes, numbers

    def node(self, state: Any) -> int:
        number = self.table.number(state) if isinstance(state, core.State) else self.keys.get(state, OUTSIDE)
        if number == OUTSIDE:
            raise KeyError(state)
        node = int(self.placed[number])
        return node if node >= 0 else len(self.numbers) - 1 - node

    def state(self, node: int) -> core.State:
        return self.table.state(int(self.numbers[node]))

    @cached_property
    def keys(self) -> dict[Hashable, int]:
        """The number of every state's key, computed on the first lookup by key: a table itself finds only states."""
        return {self.name(node): int(number) for node, number in enumerate(self.numbers)}
