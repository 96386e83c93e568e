"""Forward generation (Keffer 2013, Algorithm 5, mended): a game made on the fly from one state on, within a budget.

States that were met and not looked into count as ends that pay what a heuristic says of them. With an admissible one
the game that was made is worth at least and at most what its ends allow, and the true value lies in between.

The algorithm as printed looks for a successor among the waiting states only, so that states already looked into come
back; here a state waits once.
"""

from collections import deque
from functools import partial
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Literal, Protocol

from kibitz import core
from kibitz.core.abilities.heuristics import Bounds, Heuristic
from kibitz.solve.recursive.enumeration import (
    ENUMERATED_LIMIT,
    Successors,
    endless_payoff,
    enumerated_from,
    payoff,
    ways_from,
)
from kibitz.solve.recursive.model import RecursiveGame
from kibitz.solve.recursive.operators import Deadline
from kibitz.solve.recursive.sizes import check_size

Order = Literal["breadth", "best"]
"""Which waiting state is looked into next: the first that came, or the one that promises the player most."""
MOST_KEPT = 200_000
"""States that are remembered between plans; beyond that all are forgotten."""


class OpenList(Protocol):
    """States that were met and not yet looked into."""

    def push(self, key: core.Key, bounds: Bounds) -> None: ...
    def pop(self) -> core.Key: ...
    def __len__(self) -> int: ...


class BreadthFirst:
    """First come, first served."""

    def __init__(self) -> None:
        self.keys: deque[core.Key] = deque()

    def push(self, key: core.Key, bounds: Bounds) -> None:
        self.keys.append(key)

    def pop(self) -> core.Key:
        return self.keys.popleft()

    def __len__(self) -> int:
        return len(self.keys)


class BestFirst:
    """The state first that may be worth most to *player*; of equal ones the first that came."""

    def __init__(self, player: int) -> None:
        self.player, self.arrivals = player, count()
        self.heap: list[tuple[float, int, core.Key]] = []

    def push(self, key: core.Key, bounds: Bounds) -> None:
        hoped = bounds[1] if self.player == 0 else -bounds[0]
        heappush(self.heap, (-hoped, next(self.arrivals), key))

    def pop(self) -> core.Key:
        return heappop(self.heap)[2]

    def __len__(self) -> int:
        return len(self.heap)


class PartialGame:
    """The part of a game that was met so far: what follows each state and what it may be worth, asked once."""

    def __init__(self, game: core.Game, heuristic: Heuristic) -> None:
        self.game, self.heuristic = game, heuristic
        self.infinite_play = endless_payoff(game)
        self.known: dict[core.Key, Successors] = {}
        self.bounded: dict[core.Key, Bounds] = {}

    def __deepcopy__(self, memo: dict[int, object]) -> "PartialGame":
        return self  # what it knows stays true, so copies of agents share it

    def ways(self, key: core.Key, state: core.State) -> Successors:
        """Where a state leads."""
        if key not in self.known:
            self.known[key] = ways_from(self.game, key, state)
        return self.known[key]

    def bounds(self, key: core.Key, state: core.State) -> Bounds:
        """What a state in which the game goes on is worth at least and at most, as the heuristic says."""
        if key not in self.bounded:
            self.bounded[key] = self.heuristic.bounds(state)
        return self.bounded[key]

    def grow_game(
        self,
        start: core.State,
        nodes: int,
        order: Order = "breadth",
        player: int = 0,
        deadline: Deadline | None = None,
        steps: float = inf,
    ) -> RecursiveGame:
        """The game from *start* on, of which at most *nodes* states are looked into; the others met are its ends.

        No further state is looked into once *steps* of the rules are taken. What is remembered counts as taken again,
        so that the same states are looked into from the same start.
        """
        if len(self.known) > MOST_KEPT:
            self.known, self.bounded = {}, {}
        closed = self._closed_states(start, nodes, order, player, deadline or Deadline(), steps)

        def worth(key: core.Key, state: core.State) -> Bounds | None:
            if key in closed or state.current_player() == core.CHANCE:
                return None
            return payoff(key, state) or self.bounds(key, state)

        return enumerated_from(
            self.game,
            start,
            self.ways,
            worth,
            infinite_play=self.infinite_play,
            counted=partial(check_size, self.game, limit=max(nodes, ENUMERATED_LIMIT)),
        )

    def _closed_states(
        self, start: core.State, nodes: int, order: Order, player: int, deadline: Deadline, steps: float
    ) -> dict[core.Key, core.State]:
        """The states that are looked into; those whose value is known need not be, but for the first."""
        waiting: OpenList = BreadthFirst() if order == "breadth" else BestFirst(player)
        met = {start.key(): start}
        closed: dict[core.Key, core.State] = {}
        if not start.is_terminal():
            waiting.push(start.key(), (0.0, 0.0))
        taken = 0
        while len(waiting) and len(closed) < nodes and not (closed and (taken >= steps or deadline.has_passed())):
            key = waiting.pop()
            closed[key] = met[key]
            successors, more = self._choosing(key, met[key])
            taken += more
            for successor, state in successors:
                if successor not in met:
                    met[successor] = state
                    bounds = self.bounds(successor, state)
                    if bounds[0] < bounds[1] or not self.heuristic.admissible:
                        waiting.push(successor, bounds)
        return closed

    def _choosing(self, key: core.Key, state: core.State) -> tuple[list[tuple[core.Key, core.State]], int]:
        """The successors in which somebody chooses, those behind chance moves included, and the steps to all."""
        found, todo, steps = [], [(key, state)], 0
        while todo:
            after = self.ways(*todo.pop())
            steps += len(after.keys)
            for successor in zip(after.keys, after.states, strict=True):
                current = successor[1].current_player()
                if current == core.CHANCE:
                    todo.append(successor)
                elif current != core.TERMINAL:
                    found.append(successor)
        return found, steps
