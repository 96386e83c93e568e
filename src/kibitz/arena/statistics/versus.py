"""Head to head: is A better than B, and how sure are we?"""

import msgspec
import numpy as np

from kibitz.arena.statistics.estimates import Bounds, Estimate, Floats
from kibitz.arena.statistics.intervals import mean_interval
from kibitz.arena.statistics.table import Indices, ResultColumns, Results, result_columns


class HeadToHead(msgspec.Struct, frozen=True):
    """A's returns minus B's, per match, in the matches both played in."""

    a: str
    b: str
    difference: Estimate

    def better(self) -> str | None:
        """The better agent, if the interval leaves no doubt."""
        if not self.difference.matches:
            return None
        return self.a if self.difference.low > 0.0 else self.b if self.difference.high < 0.0 else None

    def verdict(self) -> str:
        """The answer in a sentence."""
        estimate = self.difference
        if not estimate.matches:
            return f"not decided: {self.a} and {self.b} played no match together"
        counts = (
            f"{count_text(estimate.matches, 'match', 'matches')} in {count_text(estimate.blocks, 'block', 'blocks')}"
        )
        if np.isnan(estimate.mean):
            return f"not decided: a return is not a number, {counts}"
        if self.better() == self.b:
            return f"{self.b} is better than {self.a}: {difference_text(negate_estimate(estimate))}, {counts}"
        if self.better() == self.a:
            return f"{self.a} is better than {self.b}: {difference_text(estimate)}, {counts}"
        return f"not decided: {self.a} against {self.b} {difference_text(estimate)}, {counts}"


def head_to_head(results: Results, a: str, b: str, *, level: float = 0.95, bounds: Bounds | None = None) -> HeadToHead:
    """How A and B compare. *bounds* are a return's; None uses the returns seen, if they were wins, draws and losses."""
    table = result_columns(results)
    differences, blocks = meetings(table, a, b)
    known = bounds or table.bounds()
    limits = difference_bounds(known) if known is not None else None
    return HeadToHead(a, b, mean_interval(differences, blocks, level=level, bounds=limits))


def meetings(table: ResultColumns, a: str, b: str) -> tuple[Floats, Indices]:
    """Returns of A minus those of B in every match both played in, by index, with the blocks.

    An agent in several seats gets their mean.
    """
    if a not in table.names or b not in table.names:
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    many = len(table.results)
    means, counts = [], []
    for name in (a, b):
        rows = np.flatnonzero(table.agent == table.names.index(name))
        count = np.bincount(table.match[rows], minlength=many)
        means.append(np.bincount(table.match[rows], table.score[rows], minlength=many) / np.maximum(count, 1))
        counts.append(count)
    both = (counts[0] > 0) & (counts[1] > 0)
    return (means[0] - means[1])[both], table.blocks[both]


def difference_bounds(bounds: Bounds) -> Bounds:
    """The bounds of a difference of two scores."""
    return bounds[0] - bounds[1], bounds[1] - bounds[0]


def negate_estimate(estimate: Estimate) -> Estimate:
    """The estimate of the negative."""
    bounds = estimate.bounds and (-estimate.bounds[1], -estimate.bounds[0])
    return msgspec.structs.replace(estimate, mean=-estimate.mean, low=-estimate.high, high=-estimate.low, bounds=bounds)


def difference_text(estimate: Estimate) -> str:
    """A difference in words: `+0.31 per match, 95 % interval 0.12 to 0.50`."""
    mean, _, interval = str(estimate).partition(", ")
    return f"{mean} per match, {interval}"


def count_text(number: int, one: str, many: str) -> str:
    """`1 block`, `2 blocks`."""
    return f"{number} {one if number == 1 else many}"
