"""Turn the value of a position into a probability of winning; you need this to average values.

A value says which position is better, not by how much: the mean of a forced win and a small loss means nothing. The
logistic `1 / (1 + exp(-value / scale))` turns values into probabilities; a forced win or loss is as good as certain.
"""

from collections.abc import Iterable, Sequence
from math import exp

from kibitz.core.abilities.evaluation import Evaluation

STEPS = 60
"""Bisection steps after which an interval has no width."""


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


def fitted_scale(games: Iterable[tuple[float, float]]) -> float:
    """The maximum-likelihood scale for pairs of a position's value and its game's result, 1, 0 or a half.

    The log-likelihood is concave in 1 / scale, so its slope has one zero, which bisection finds. If the larger
    value never lost, the likeliest scale is 0; the function then returns the smallest scale that it tells apart from 0.

    >>> round(fitted_scale([(100.0, 1.0), (100.0, 1.0), (100.0, 1.0), (100.0, 0.0)]), 2)
    91.02
    """
    pairs = [(value, result) for value, result in games if value]
    largest = max((abs(value) for value, _ in pairs), default=1.0)
    low, high = 1e-6, 50.0  # of largest / scale

    def slope(steepness: float) -> float:
        return sum(value / largest * (result - chance(steepness * value / largest, 1.0)) for value, result in pairs)

    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if slope(middle) > 0.0 else (low, middle)
    return 2.0 * largest / (low + high)
