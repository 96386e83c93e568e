"""Measures of a negotiation: how far its result is from what both could have had, and what promises were worth.

What both could have had are the BestUse scores after every exchange of the chips they were dealt. Of these pairs the
Pareto front holds those that no other pair betters for both; the Nash point has the largest product of gains, and the
Kalai-Smorodinsky point gives both the same share of the most they could gain.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import hypot
from typing import NamedTuple

import numpy as np

from kibitz import core
from kibitz.core.kit.numbers import Measure
from kibitz_trails.board import Board, plus
from kibitz_trails.offer_scoring import limit_chips, pack_board, parts
from kibitz_trails.rules import Trails
from kibitz_trails.situation import History

Point = tuple[float, float]


class BargainingSet(NamedTuple):
    """What two players can have by one exchange: the Pareto front, what they have without one, and two solutions."""

    front: tuple[Point, ...]
    disagreement: Point
    nash: Point
    kalai_smorodinsky: Point

    def distance_to_front(self, result: Point) -> float:
        """How far both are from a pair on the front that is better for both or for one; 0 on the front or beyond."""
        return min(hypot(max(0.0, one - result[0]), max(0.0, other - result[1])) for one, other in self.front)


@lru_cache(maxsize=64)
def bargaining_set(board: Board) -> BargainingSet:
    """The bargaining set of the two players of a board, as they begin."""
    held = limit_chips(*board.chips)
    places = board.starts[0], board.starts[1]
    scores = pack_board(board).offer_scores(places, held, *(parts(side) for side in held))
    pairs = [(float(one), float(other)) for one, other in np.unique(scores, axis=0)]
    start = float(scores[0, 0]), float(scores[0, 1])
    front = pareto_front(pairs)
    fair = [each for each in front if each[0] >= start[0] and each[1] >= start[1]] or [start]
    most = max(each[0] for each in fair) - start[0], max(each[1] for each in fair) - start[1]

    def product_of_gains(each: Point) -> tuple[float, float]:
        return (each[0] - start[0]) * (each[1] - start[1]), sum(each)

    def least_share(each: Point) -> tuple[float, float]:
        shares = [(each[seat] - start[seat]) / most[seat] for seat in (0, 1) if most[seat] > 0.0]
        return min(shares, default=0.0), sum(each)

    return BargainingSet(tuple(front), start, max(fair, key=product_of_gains), max(fair, key=least_share))


def pareto_front(pairs: Iterable[Point]) -> list[Point]:
    """The pairs that no other pair betters for one without being worse for the other.

    >>> pareto_front([(1, 1), (0, 2), (2, 0), (1, 0)])
    [(2, 0), (1, 1), (0, 2)]
    """
    found: list[Point] = []
    for one, other in sorted(set(pairs), reverse=True):
        if not found or other > found[-1][1]:
            found.append((one, other))
    return found


def measures(game: core.Game, events: Iterable[core.Transition], returns: Sequence[float]) -> Sequence[Measure]:
    """The measures of one match, by its events and its returns."""
    assert isinstance(game, Trails)
    history = History()
    for event in events:
        history.observe(event)
    low, high = game.utility
    welfare = Measure(
        "welfare",
        float(sum(returns)),
        "points of all players together",
        more_is_better=True,
        least=game.players * low,
        most=game.players * high,
    )
    kept = [kept_by_value(game.layout, history, player) for player in range(game.players)]
    promises = [
        Measure(
            "promises kept",
            share,
            "share of what they promised, by its value to the receiver",
            player,
            more_is_better=True,
            least=0.0,
            most=1.0,
        )
        for player, share in enumerate(kept)
        if share is not None
    ]
    if game.players != 2 or game.hidden:
        return [welfare, *promises]
    bargain, result = bargaining_set(game.layout), (returns[0], returns[1])
    apart = (
        ("distance to Pareto", bargain.distance_to_front(result), "points that were left on the table"),
        ("distance to Nash", distance(result, bargain.nash), "points from the largest product of gains"),
        (
            "distance to Kalai-Smorodinsky",
            distance(result, bargain.kalai_smorodinsky),
            "points from equal shares of the most each could gain",
        ),
    )
    farthest = hypot(high - low, high - low)
    return [welfare, *(Measure(*each, more_is_better=False, least=0.0, most=farthest) for each in apart), *promises]


def distance(one: Point, other: Point) -> float:
    """How far two results are apart."""
    return hypot(one[0] - other[0], one[1] - other[1])


def kept_by_value(board: Board, history: History, sender: int) -> float | None:
    """What a player sent of all they promised, by the receivers' BestUse; None if they promised nothing of worth."""
    promised = sent = 0.0
    for deal in history.exchanges:
        promise = deal.promise_of(sender) if sender in deal.pair else None
        if promise is None:
            continue
        receiver = deal.pair[1 - deal.pair.index(sender)]
        place, chips = deal.positions[receiver], deal.chips[receiver]
        before = board.best_use(place, chips)
        worth = board.best_use(place, plus(chips, promise)) - before
        promised += worth
        sent += min(worth, board.best_use(place, plus(chips, deal.sent_by(sender))) - before)
    return sent / promised if promised else None
