"""Match results as columns, one row per seat of every match, and from one pass over them every agent's summary."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz_lab.arena.statistics.intervals import NOTHING, Bounds, Clusters, Estimate, Floats
from kibitz_lab.store.results import MatchResult

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

    def differences(self, a: str, b: str) -> tuple[Floats, Indices]:
        """Returns of *a* minus those of *b* in every match both played in, by index, with the blocks.

        An agent in several seats gets their mean.
        """
        means, counts = [], []
        for name in (a, b):
            rows = np.flatnonzero(self.agent == self.names.index(name)) if name in self.names else self.match[:0]
            count = np.bincount(self.match[rows], minlength=len(self.results))
            total = np.bincount(self.match[rows], self.score[rows], minlength=len(self.results))
            means.append(total / np.maximum(count, 1))
            counts.append(count)
        both = (counts[0] > 0) & (counts[1] > 0)
        return (means[0] - means[1])[both], self.blocks[both]

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


Value = TypeVar("Value")


class Shares(msgspec.Struct, frozen=True):
    """The shares of matches won (strictly highest return), drawn (shared highest) and lost."""

    won: Estimate = NOTHING
    drawn: Estimate = NOTHING
    lost: Estimate = NOTHING


class SummaryRow(msgspec.Struct, frozen=True):
    """Scores and shares of some of an agent's matches."""

    score: Estimate
    shares: Shares


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """One agent's matches. Counts are of seats: an agent with two seats in a match counts twice."""

    name: str
    matches: int
    blocks: int
    score: Estimate
    shares: Shares
    won: int
    drawn: int
    lost: int
    opponents: dict[str, SummaryRow]
    """By the other agents in the match."""
    seats: dict[int, SummaryRow]
    learning: list[Estimate]
    """The score by the number of the match within its series."""
    seconds: float
    """Thinking time per match."""
    strikes: int
    forfeits: int


def summary(results: Results, *, bounds: Bounds | None = None) -> dict[str, Summary]:
    """The summary of every agent by name; *bounds* are a return's, None derives them from wins, draws and losses.

    Without results it is empty. Unknown thinking time counts as none.
    """
    table = result_columns(results)
    if len(table.match) == 0:
        return {}
    outcomes = table.outcomes()
    counts = [np.bincount(table.agent, np.nan_to_num(outcome)).astype(np.int64).tolist() for outcome in outcomes]
    everything = np.arange(len(table.match))
    overall = Grouping(table, everything, np.zeros_like(table.match), bounds).rows()
    left, right = table.pairs()
    opponents = Grouping(table, left, table.agent[right], bounds).rows()
    seats = Grouping(table, everything, table.seat, bounds).rows()
    position = table.position()[table.match]
    curves = Grouping(table, everything, position, bounds).scores()
    seconds, strikes, forfeits = effort(table)
    return {
        name: Summary(
            name=name,
            matches=overall[i][0].score.matches,
            blocks=overall[i][0].score.blocks,
            score=overall[i][0].score,
            shares=overall[i][0].shares,
            won=counts[0][i],
            drawn=counts[1][i],
            lost=counts[2][i],
            opponents={table.names[label]: row for label, row in opponents[i].items()},
            seats=seats[i],
            learning=[curves[i][label] for label in sorted(curves[i])],
            seconds=float(seconds[i] / overall[i][0].score.matches),
            strikes=int(strikes[i]),
            forfeits=int(forfeits[i]),
        )
        for i, name in enumerate(table.names)
    }


class Grouping:
    """Rows of the table by agent and a label, with an estimate for every pair that occurs."""

    def __init__(self, table: ResultColumns, rows: Indices, labels: Indices, bounds: Bounds | None) -> None:
        self.table, self.chosen = table, rows
        self.bounds = bounds or table.bounds()
        self.many = int(labels.max(initial=0)) + 1
        self.keys, groups = np.unique(table.agent[rows] * self.many + labels, return_inverse=True)
        self.clusters = Clusters(table.block[rows], groups, len(self.keys))

    def scores(self) -> list[dict[int, Estimate]]:
        """For every agent, the score of every label."""
        return self.values_by_agent(self.clusters.estimates(self.table.score[self.chosen], bounds=self.bounds))

    def rows(self) -> list[dict[int, SummaryRow]]:
        """For every agent, the score and shares of every label."""
        outcomes = [outcome[self.chosen] for outcome in self.table.outcomes()]
        shares = zip(*(self.clusters.estimates(each, bounds=(0.0, 1.0)) for each in outcomes), strict=True)
        scores = self.clusters.estimates(self.table.score[self.chosen], bounds=self.bounds)
        rows = [SummaryRow(score, Shares(*row)) for score, row in zip(scores, shares, strict=True)]
        return self.values_by_agent(rows)

    def values_by_agent(self, values: Iterable[Value]) -> list[dict[int, Value]]:
        """One value per key as a dictionary by label for every agent."""
        found: list[dict[int, Value]] = [{} for _ in self.table.names]
        for key, value in zip(self.keys.tolist(), values, strict=True):
            found[key // self.many][key % self.many] = value
        return found


def effort(table: ResultColumns) -> list[Floats]:
    """Thinking time, strikes and forfeits of every agent, over all its matches."""
    seconds, strikes, forfeits = (np.zeros(len(table.match)) for _ in range(3))
    for first, result in zip(table.first.tolist(), table.results, strict=True):
        seconds[first : first + len(result.seconds)] = result.seconds
        strikes[first : first + len(result.strikes)] = result.strikes
        forfeits[[first + seat for seat in result.forfeits]] = 1.0
    columns = seconds, strikes, forfeits
    return [np.bincount(table.agent, column, len(table.names)).astype(float) for column in columns]
