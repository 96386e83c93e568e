"""Recursive games read from a game's table of states."""

from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np

from kibitz import core
from kibitz.core.errors import BadGame
from kibitz.core.kit.state_table import OUTSIDE, StateTable
from kibitz.solve.recursive.game import table_kernels
from kibitz.solve.recursive.game.enumeration import action_names
from kibitz.solve.recursive.game.game import Ints, RecursiveGame, Structure, beyond_infinite_play
from kibitz.solve.recursive.game.sizes import check_size

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
    verdict = table_kernels.read_table(
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
        raise BadGame(game, _complaint(verdict, int(counts[table_kernels.WRONG])))
    live, pairs, payoffs = (int(count) for count in counts[:3])
    successors = written[:pairs].copy()
    del written
    table_kernels.place_successors(nodes, successors, live, payoffs)
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
    if verdict == table_kernels.BAD_STATE:
        return f"number {number} of its table has an invalid shape, successor or payoff"
    if verdict == table_kernels.TOO_MANY_PAYOFFS:
        return f"its ends pay more than {MOST_PAYOFFS} different amounts; enumerate it instead"
    return f"it has more than {MOST_PAIRS:,} pairs of actions; give narrower bounds"


class TableStates:
    """The states of a table, with a lookup by state or by key."""

    def __init__(self, game: core.Game, table: StateTable, nodes: Ints, numbers: Ints) -> None:
        self.game, self.table, self.placed, self.numbers = game, table, nodes, numbers

    def node(self, state: Any) -> int:
        number = self.table.number(state) if isinstance(state, core.State) else self.keys.get(state, OUTSIDE)
        if number == OUTSIDE:
            raise KeyError(state)
        node = int(self.placed[number])
        return node if node >= 0 else len(self.numbers) - 1 - node

    def name(self, node: int) -> Hashable:
        return self.state(node).key()

    def state(self, node: int) -> core.State:
        return self.table.state(int(self.numbers[node]))

    def actions(self, node: int, player: int) -> list[str] | None:
        return action_names(self.game, self.state(node), player)

    @cached_property
    def keys(self) -> dict[Hashable, int]:
        """The number of every state's key, computed on the first lookup by key: a table itself finds only states."""
        return {self.name(node): int(number) for node, number in enumerate(self.numbers)}
