"""What a game says about the worth of a position: the abilities `FEATURES` and `EVALUATION`."""

from collections.abc import Callable, Sequence

import msgspec

from kibitz.core.game import State


class Features(msgspec.Struct, frozen=True):
    """Named numbers of a position, each player 0's less player 1's."""

    names: tuple[str, ...]
    scores: Callable[[State], tuple[float, ...]]


class Evaluation(msgspec.Struct, frozen=True):
    """The value of a position for player 0 of two, by weights; *weights* are those used where none are given."""

    weights: tuple[float, ...]
    evaluate: Callable[[State, Sequence[float]], float]
