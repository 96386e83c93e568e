"""The six features of a Pawns position (Pedersen 2008, ch. 7), each black's number less white's."""

from collections.abc import Sequence
from itertools import combinations
from math import hypot

from kibitz import core
from kibitz.core.abilities.evaluation import Evaluation, Features
from kibitz.core.drawing.squares import Square, number
from kibitz.games.pawns.rules import BLACK, WHITE, State

NAMES = ("BMax", "BSum", "DSum", "OBMin", "OBSum", "PD")
HABITS = (
    ("sends one pawn ahead", "keeps the foremost pawn back"),
    ("brings all pawns forward", "leaves pawns at home"),
    ("spreads their pawns", "keeps their pawns together"),
    ("keeps away from the other base", "heads for the other base"),
    ("holds their pawns back", "brings all pawns near the other base"),
    ("wins pawns", "gives pawns away"),
)
"""What a player does who likes each feature high, or low."""
METRICS = ("euclid", "chebyshev", "manhattan")
"""How DSum measures; the weights' seventh number says which."""


def features(state: core.State, metric: int = 0) -> tuple[float, ...]:
    """The scores in the order of NAMES."""
    assert isinstance(state, State)
    black, white = (side_features(state, player, metric) for player in (BLACK, WHITE))
    return tuple(own - other for own, other in zip(black, white, strict=True))


def side_features(state: State, player: int, metric: int = 0) -> tuple[float, ...]:
    """The numbers of one side. Pawns at home stand on the corner; without pawns OBMin is as far as can be."""
    game = state.game
    squares = sorted([*state.outside[player], *[game.corner(player)] * state.at_home[player]], key=number)
    away = [game.distance(square, player) for square in squares]
    to_go = [game.distance(square, 1 - player) for square in squares]
    farthest = game.size - game.base_size
    apart = 0.0
    for one, other in combinations(squares, 2):
        apart += 2.0 * gap(one, other, metric)  # not `sum`, which rounds differently from Python 3.12 on
    return (
        float(max(away, default=0)),
        float(sum(away)),
        apart,
        float(min(to_go, default=farthest)),
        float(sum(to_go)),
        float(len(squares)),
    )


def gap(a: Square, b: Square, metric: int) -> float:
    """How far two squares are apart."""
    dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
    return (hypot(dx, dy), float(max(dx, dy)), float(dx + dy))[metric]


def evaluate(state: core.State, weights: Sequence[float]) -> float:
    """Weights · features, for black; a seventh weight chooses the metric of DSum."""
    metric = int(weights[6]) if len(weights) > 6 else 0
    value = 0.0
    for weight, score in zip(weights, features(state, metric), strict=False):
        value += weight * score
    return value


FEATURES = Features(NAMES, features, HABITS)
EVALUATION = Evaluation((100.0, 1000.0, 0.0, -10000.0, 0.0, 10.0), evaluate, choices=((0.0, 1.0, 2.0),))
