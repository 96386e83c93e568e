"""Features of a Breakthrough position: a number per piece, and a way to make one number of them all.

`total(rows_advanced)` is how far all pieces have come, `maximum(rows_advanced)` how far the first has. Every feature
is player 0's number less player 1's.
"""

from collections.abc import Callable, Sequence

from kibitz import core
from kibitz.core.abilities.evaluation import Evaluation, Features
from kibitz.core.drawing.squares import Square
from kibitz.games.breakthrough.rules import State, step

PieceNumber = Callable[[State, Square, int], int]
"""A number of one piece, which is *player*'s and stands on *square*."""
SideNumber = Callable[[State, int], float]
"""A number of all pieces of *player*."""


def total(number: PieceNumber) -> SideNumber:
    """The sum over the pieces."""
    return lambda state, player: float(sum(each(number, state, player)))


def average(number: PieceNumber) -> SideNumber:
    """The mean over the pieces; 0 without any."""
    return lambda state, player: sum(each(number, state, player)) / max(1, len(state.pieces[player]))


def maximum(number: PieceNumber) -> SideNumber:
    """The largest; 0 without pieces."""
    return lambda state, player: float(max(each(number, state, player), default=0))


def minimum(number: PieceNumber) -> SideNumber:
    """The smallest; without pieces as far as across the board."""
    return lambda state, player: float(min(each(number, state, player), default=state.game.rows - 1))


def each(number: PieceNumber, state: State, player: int) -> list[int]:
    """The number of every piece."""
    return [number(state, square, player) for square in state.pieces[player]]


def one(state: State, square: Square, player: int) -> int:
    """1, to count pieces by."""
    return 1


def rows_advanced(state: State, square: Square, player: int) -> int:
    """Rows between a piece and its home row."""
    return state.game.rows_advanced(square, player)


def to_go(state: State, square: Square, player: int) -> int:
    """Rows between a piece and the far row."""
    return state.game.rows_advanced(square, 1 - player)


def at_home(state: State, square: Square, player: int) -> int:
    """Whether a piece still keeps its home row."""
    return int(rows_advanced(state, square, player) == 0)


def mobility(state: State, square: Square, player: int) -> int:
    """How many steps a piece has."""
    return len(state.steps(square, player))


def defenders(state: State, square: Square, player: int) -> int:
    """How many own pieces could retake on *square*."""
    return reaching(state, square, player)


def attackers(state: State, square: Square, player: int) -> int:
    """How many pieces of the other side could take this one."""
    return reaching(state, square, 1 - player)


def reaching(state: State, square: Square, player: int) -> int:
    """How many pieces of *player* stand one diagonal step before *square*."""
    return sum(step(square, 1 - player, sideways) in state.pieces[player] for sideways in (-1, 1))


def is_guarded(state: State, square: Square, player: int) -> int:
    """Whether a piece has a defender."""
    return int(defenders(state, square, player) > 0)


def is_exposed(state: State, square: Square, player: int) -> int:
    """Whether a piece has more attackers than defenders."""
    return int(attackers(state, square, player) > defenders(state, square, player))


SIDE_NUMBERS: dict[str, SideNumber] = {
    "material": total(one),
    "furthest": maximum(rows_advanced),
    "to_go": minimum(to_go),
    "mean_advance": average(rows_advanced),
    "advance": total(rows_advanced),
    "keepers": total(at_home),
    "mobility": total(mobility),
    "guarded": total(is_guarded),
    "exposed": total(is_exposed),
}
NAMES = tuple(SIDE_NUMBERS)
HABITS = (
    ("likes to take", "rarely takes"),
    ("sends one piece ahead", "keeps the foremost piece back"),
    ("keeps away from the far row", "heads for the far row"),
    ("brings all pieces forward", "holds their pieces back"),
    ("brings all pieces forward", "holds their pieces back"),
    ("keeps their home row", "leaves their home row"),
    ("keeps their pieces free to move", "blocks their own pieces"),
    ("guards their pieces", "leaves pieces unguarded"),
    ("leaves pieces exposed", "keeps their pieces safe"),
)
"""What a player does who likes each feature high, or low."""


def features(state: core.State) -> tuple[float, ...]:
    """The scores in the order of NAMES."""
    assert isinstance(state, State)
    return tuple(side(state, 0) - side(state, 1) for side in SIDE_NUMBERS.values())


def evaluate(state: core.State, weights: Sequence[float]) -> float:
    """Weights · features, for player 0. Features of weight 0 are not computed."""
    assert isinstance(state, State)
    value = 0.0
    for weight, side in zip(weights, SIDE_NUMBERS.values(), strict=False):
        if weight != 0.0:
            value += weight * (side(state, 0) - side(state, 1))
    return value


def feature_weights(**weights: float) -> tuple[float, ...]:
    """A weight per feature, 0 where none is named: `weighed(material=100.0)`."""
    assert weights.keys() <= set(NAMES), f"no features: {sorted(weights.keys() - set(NAMES))}"
    return tuple(weights.get(name, 0.0) for name in NAMES)


FEATURES = Features(NAMES, features, HABITS)
EVALUATION = Evaluation(
    feature_weights(material=20.0, to_go=-30.0, advance=10.0, keepers=10.0, mobility=5.0),
    evaluate,
    scale=790.0,  # from 270 games between the strategies of `agents`, opened at random
)
