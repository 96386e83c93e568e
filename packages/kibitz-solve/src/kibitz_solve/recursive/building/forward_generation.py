"""Forward generation (Keffer 2013, Algorithm 5, corrected): build a game from one state on, within a budget.

States that were met but not expanded count as ends with the bounds of a heuristic. If the heuristic is admissible, the
true value lies between the values of the generated game with the lower and the upper bounds at its ends.

The printed algorithm looks for a successor only among the waiting states, so it expands states again; here a state
waits once.
"""

from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from itertools import count, islice
from math import inf, tanh
from typing import Literal

from kibitz import core
from kibitz.core.kit.compiled import evaluator
from kibitz.core.kit.numbers import Bounds, Heuristic
from kibitz.core.registry import kit_of
from kibitz_solve.recursive.building.enumeration import (
    ENUMERATED_LIMIT,
    Successors,
    check_size,
    endless_payoff,
    enumerated_from,
    payoff,
    successors_from,
)
from kibitz_solve.recursive.building.recursive_game import RecursiveGame
from kibitz_solve.recursive.values.operators import Deadline

Order = Literal["breadth", "best"]
"""Which waiting states to expand next: all of the next layer, or the one most promising for the player."""
MOST_KEPT = 200_000
"""The most states to remember between plans; with more, all are forgotten."""


class PartialGame:
    """The part of a game met so far: the successors and bounds of each state, computed once."""

    def __init__(self, game: core.Game, heuristic: Heuristic) -> None:
        self.game, self.heuristic = game, heuristic
        self.infinite_play = endless_payoff(game)
        self.known: dict[core.Key, Successors] = {}
        self.bounded: dict[core.Key, Bounds] = {}

    def __deepcopy__(self, memo: dict[int, object]) -> "PartialGame":
        return self  # its entries stay valid, so copies of agents share it

    def successors(self, key: core.Key, state: core.State) -> Successors:
        """The successors of a state."""
        if key not in self.known:
            self.known[key] = successors_from(self.game, key, state)
        return self.known[key]

    def bounds(self, key: core.Key, state: core.State) -> Bounds:
        """The heuristic's lower and upper bound of a state that is not an end."""
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
        """The game from *start* on with at most *nodes* expanded states; the other states met are its ends.

        It expands no further state once *steps* steps of the rules are taken. Remembered steps count again, so that the
        same start always expands the same states.
        """
        if len(self.known) > MOST_KEPT:
            self.known, self.bounded = {}, {}
        closed = self._closed_states(start, nodes, order, player, deadline or Deadline(), steps)

        def end_bounds(key: core.Key, state: core.State) -> Bounds | None:
            if key in closed or state.current_player() == core.CHANCE:
                return None
            return payoff(key, state) or self.bounds(key, state)

        return enumerated_from(
            self.game,
            start,
            self.successors,
            end_bounds,
            infinite_play=self.infinite_play,
            counted=partial(check_size, self.game, limit=max(nodes, ENUMERATED_LIMIT)),
        )

    def _closed_states(
        self, start: core.State, nodes: int, order: Order, player: int, deadline: Deadline, steps: float
    ) -> dict[core.Key, core.State]:
        """The expanded states, by whole layers if *order* is `breadth`.

        States with a known value need no expansion, except the first.
        """
        waiting: list[tuple[float, int, core.Key]] = []
        arrivals = count()

        def wait(key: core.Key, bounds: Bounds) -> None:
            """The first that came is expanded first, or the most promising for *player*."""
            hoped = bounds[1] if player == 0 else -bounds[0]
            heappush(waiting, (-hoped if order == "best" else 0.0, next(arrivals), key))

        met = {start.key(): start}
        closed: dict[core.Key, core.State] = {}
        if not start.is_terminal():
            wait(start.key(), (0.0, 0.0))
        taken, layer, complete = 0, len(waiting), 0
        while waiting and len(closed) < nodes and not (closed and (taken >= steps or deadline.has_passed())):
            if order == "breadth" and not layer:
                layer, complete = len(waiting), len(closed)
                if complete + layer > nodes:
                    break
            key = heappop(waiting)[2]
            closed[key] = met[key]
            successors, more = self._choosing(key, met[key])
            taken, layer = taken + more, layer - 1
            for successor, state in successors:
                if successor not in met:
                    met[successor] = state
                    bounds = self.bounds(successor, state)
                    if bounds[0] < bounds[1] or not self.heuristic.admissible:
                        wait(successor, bounds)
        if order == "breadth" and layer and complete:  # a layer that is not complete would be judged unevenly
            return dict(islice(closed.items(), complete))
        return closed

    def _choosing(self, key: core.Key, state: core.State) -> tuple[list[tuple[core.Key, core.State]], int]:
        """The successors with a choice, those after chance moves included, and the steps to all."""
        reached, waiting, steps = [], [(key, state)], 0
        while waiting:
            after = self.successors(*waiting.pop())
            steps += len(after.keys)
            for successor in zip(after.keys, after.states, strict=True):
                current = successor[1].current_player()
                if current == core.CHANCE:
                    waiting.append(successor)
                elif current != core.TERMINAL:
                    reached.append(successor)
        return reached, steps


def heuristics_of(game: core.Game) -> dict[str, Heuristic]:
    """All heuristics of a zero-sum game of two players, the default one first.

    `range` gives the least and the most that the game pays, and `forced` what one round forces by a single action,
    whatever the other does, with the game's first heuristic after that; both are admissible in every game. If a game
    has an evaluation and no heuristics, `estimate` turns it into a guess.
    """
    heuristics, evaluation = dict(kit_of(game).heuristics or {}), kit_of(game).evaluation
    if not heuristics and evaluation is not None and evaluation.scale is not None:
        evaluate = evaluator(game, evaluation, evaluation.check_weights(None))
        heuristics["estimate"] = Heuristic(partial(_estimate, game, evaluate, evaluation.scale), admissible=False)
    heuristics.setdefault("range", Heuristic(partial(_range, game)))
    admissible = next(each for each in heuristics.values() if each.admissible)
    heuristics["forced"] = Heuristic(partial(_forced_bounds, game, admissible))
    return heuristics


def _range(game: core.Game, state: core.State) -> Bounds:
    """The range of the game's payoffs."""
    least, most = game.utility
    return max(least, -most), min(most, -least)


def _estimate(game: core.Game, evaluate: Callable[[core.State], float], scale: float, state: core.State) -> Bounds:
    """The payoff expected from the odds of the game's evaluation."""
    least, most = _range(game, state)
    lead = tanh(evaluate(state) / (2.0 * scale))
    guess = (least + most + lead * (most - least)) / 2.0
    return guess, guess


def _forced_bounds(game: core.Game, beyond: Heuristic, state: core.State) -> Bounds:
    """What each player can force in one round by a single action; *beyond* gives the bounds of states after it."""
    least, most = beyond.bounds(state)
    successors = successors_from(game, state.key(), state)
    after = [_after_chance(game, beyond, *each) for each in zip(successors.keys, successors.states, strict=True)]
    rows = [after[first : first + successors.columns] for first in range(0, len(after), successors.columns)]
    forced = max(min(low for low, _ in row) for row in rows)
    conceded = min(max(row[column][1] for row in rows) for column in range(successors.columns))
    return max(least, forced), min(most, conceded)


def _after_chance(game: core.Game, beyond: Heuristic, key: core.Key, state: core.State) -> Bounds:
    """The bounds of a successor, averaged over chance."""
    if state.current_player() != core.CHANCE:
        return payoff(key, state) or beyond.bounds(state)
    successors = successors_from(game, key, state)
    after = [_after_chance(game, beyond, *each) for each in zip(successors.keys, successors.states, strict=True)]
    low, high = (sum(odds * each[side] for odds, each in zip(successors.odds, after, strict=True)) for side in (0, 1))
    return low, high
