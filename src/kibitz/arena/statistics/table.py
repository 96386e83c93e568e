"""Match results as columns: one row per seat of every match."""

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kibitz.arena.statistics.estimates import Bounds, Floats
from kibitz.store.results import MatchResult

Indices = NDArray[np.int64]


class ResultColumns:
    """The results of a run in the order of their index, as arrays. Names are numbered alphabetically."""

    def __init__(self, results: Iterable[MatchResult]) -> None:
        self.results: Sequence[MatchResult] = sorted(results, key=lambda result: result.index)
        rows = self.results
        self.sizes = np.array([len(result.names) for result in rows], dtype=np.int64)
        self.match = np.repeat(np.arange(len(rows)), self.sizes)
        self.first = np.cumsum(self.sizes) - self.sizes
        self.seat = np.arange(len(self.match)) - self.first[self.match]
        flat = list(chain.from_iterable(result.names for result in rows))
        self.names = sorted(set(flat))
        number = {name: i for i, name in enumerate(self.names)}
        self.agent = np.array([number[name] for name in flat], dtype=np.int64)
        self.score = np.array(list(chain.from_iterable(result.returns for result in rows)), dtype=np.float64)
        self.blocks = number_labels([result.block for result in rows])
        self.block = self.blocks[self.match]
        """Block of every row, from 0 in the order of the run's block numbers."""

    def position(self) -> Indices:
        """Position of every match in its series, from 0."""
        series = number_labels([result.series for result in self.results])
        key = self.blocks * (int(series.max(initial=0)) + 1) + series
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
        return places

    def outcomes(self) -> tuple[Floats, Floats, Floats]:
        """For every row, 1 or 0: won (strictly highest), drawn (shared highest), lost. All are nan if a return is."""
        if len(self.match) == 0:
            return self.score, self.score, self.score
        starts = self.first[self.sizes > 0]
        most = np.maximum.reduceat(self.score, starts)
        at_most = self.score == np.repeat(most, self.sizes[self.sizes > 0])
        shared = np.repeat(np.add.reduceat(at_most.astype(np.int64), starts), self.sizes[self.sizes > 0]) > 1
        broken = np.repeat(np.isnan(most), self.sizes[self.sizes > 0])
        columns = (at_most & ~shared, at_most & shared, ~at_most)
        won, drawn, lost = (np.where(broken, np.nan, column.astype(np.float64)) for column in columns)
        return won, drawn, lost

    def pairs(self) -> tuple[Indices, Indices]:
        """Rows of all ordered pairs of seats in one match."""
        left: list[Indices] = []
        right: list[Indices] = []
        for size in np.unique(self.sizes):
            starts = self.first[self.sizes == size]
            i, j = np.nonzero(~np.eye(int(size), dtype=bool))
            left.append((starts[:, None] + i).ravel())
            right.append((starts[:, None] + j).ravel())
        if not left:
            return self.match, self.match
        return np.concatenate(left), np.concatenate(right)

    def bounds(self) -> Bounds | None:
        """The lowest and highest return seen, if at most one value was seen between: wins, losses and draws."""
        different = np.unique(self.score[np.isfinite(self.score)])
        return (float(different[0]), float(different[-1])) if 2 <= len(different) <= 3 else None


def number_labels(labels: Sequence[int]) -> Indices:
    """Labels as numbers from 0, in their order."""
    return np.unique(np.array(labels, dtype=np.int64), return_inverse=True)[1].astype(np.int64)


Results = Iterable[MatchResult] | ResultColumns


def result_columns(results: Results) -> ResultColumns:
    """Results as columns; columns are returned unchanged."""
    return results if isinstance(results, ResultColumns) else ResultColumns(results)
