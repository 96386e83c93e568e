"""The gain ratio of a test (Quinlan 1993, ch. 2-3), slow and readable, beside `split_kernels.merits`."""

from collections.abc import Sequence
from itertools import pairwise
from math import isnan, log2
from typing import NamedTuple


class Merit(NamedTuple):
    """The information gain of a test, and the split information of its branches, in bits."""

    gain: float
    split_info: float

    @property
    def ratio(self) -> float:
        """Quinlan's gain ratio."""
        return self.gain / self.split_info if self.split_info > 0.0 else 0.0


class Threshold(NamedTuple):
    """A numeric test: its merit, and the two neighbouring values it lies between."""

    merit: Merit
    below: float
    above: float


def information(counts: Sequence[float]) -> float:
    """The entropy of labels with these counts."""
    total = sum(counts)
    return -sum(count / total * log2(count / total) for count in counts if count > 0.0)


def merit(branches: Sequence[Sequence[float]], missing: float = 0.0) -> Merit:
    """The merit of a test, from the weight of every label in every branch and the weight of unknown outcomes.

    >>> outlook = merit([(2, 3), (4, 0), (3, 2)])
    >>> print(f"{outlook.gain:.3f} {outlook.ratio:.3f}")
    0.247 0.156
    """
    sizes = [sum(branch) for branch in branches]
    known = sum(sizes)
    everything = known + missing
    labels = [sum(column) for column in zip(*branches, strict=True)]
    left = sum(size / known * information(branch) for size, branch in zip(sizes, branches, strict=True) if size > 0.0)
    return Merit(known / everything * (information(labels) - left), information([*sizes, missing]))


def best_threshold(
    values: Sequence[float],
    labels: Sequence[int],
    weights: Sequence[float],
    *,
    least: float = 2.0,
    penalised: bool = False,
) -> Threshold | None:
    """The threshold of most gain for a numeric feature, the lowest of equals; nan is missing.

    *least* is the least weight of both branches. *penalised* subtracts from the gain the cost of naming the threshold
    among all possible ones (Quinlan 1996).
    """
    number = max(labels) + 1
    missing = sum(weight for value, weight in zip(values, weights, strict=True) if isnan(value))
    distinct = sorted({value for value in values if not isnan(value)})
    best = None
    for below, above in pairwise(distinct):
        branches = [[0.0] * number, [0.0] * number]
        for value, label, weight in zip(values, labels, weights, strict=True):
            if not isnan(value):
                branches[value > below][label] += weight
        if min(map(sum, branches)) >= least:
            found = merit(branches, missing)
            if best is None or found.gain > best.merit.gain + 1e-12:
                best = Threshold(found, below, above)
    if best is None or not penalised:
        return best
    cost = log2(len(distinct) - 1) / sum(weights)
    return best._replace(merit=best.merit._replace(gain=best.merit.gain - cost))
