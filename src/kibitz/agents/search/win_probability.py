"""Turn the value of a position into a probability of winning; you need this to average values.

A value says which position is better, not by how much: the mean of a forced win and a small loss means nothing. The
logistic `1 / (1 + exp(-value / scale))` turns values into probabilities; a forced win or loss is as good as certain.
"""

from collections.abc import Sequence
from math import exp

from kibitz.core.kit.numbers import Evaluation


def chance(value: float, scale: float) -> float:
    """The probability of winning a position of *value*: one half at 0, 0.73 at one *scale*, increasing."""
    ratio = value / scale
    if ratio < 0.0:
        grown = exp(max(ratio, -700.0))
        return grown / (1.0 + grown)
    return 1.0 / (1.0 + exp(-min(ratio, 700.0)))


def scale_of(evaluation: Evaluation, weights: Sequence[float]) -> float:
    """The default scale: the one the game gives for its own weights, if it does."""
    own = tuple(weights[: len(evaluation.weights)]) == evaluation.weights
    return evaluation.scale if own and evaluation.scale is not None else default_scale(weights)


def default_scale(weights: Sequence[float]) -> float:
    """The scale without game data: the largest weight, so one step of that feature turns 0.5 into 0.73."""
    return max((abs(weight) for weight in weights), default=0.0) or 1.0
