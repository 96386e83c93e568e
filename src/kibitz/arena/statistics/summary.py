"""Summaries of every agent, from one pass over the results."""

from collections.abc import Iterable
from typing import TypedDict, TypeVar

import msgspec
import numpy as np

from kibitz.arena.statistics.estimates import Bounds, Estimate
from kibitz.arena.statistics.intervals import Clusters
from kibitz.arena.statistics.shares import Shares, shares_of
from kibitz.arena.statistics.table import Indices, ResultColumns, Results, result_columns

Value = TypeVar("Value")


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
    longest: float
    """The longest thinking time of one match."""
    strikes: int
    forfeits: int


def summary(results: Results, *, level: float = 0.95, bounds: Bounds | None = None) -> dict[str, Summary]:
    """The summary of every agent by name; *bounds* are a return's, None derives them from wins, draws and losses.

    Without results it is empty. Unknown thinking time counts as none.
    """
    table = result_columns(results)
    if len(table.match) == 0:
        return {}
    outcomes = table.outcomes()
    counts = [np.bincount(table.agent, np.nan_to_num(outcome)).astype(np.int64).tolist() for outcome in outcomes]
    everything = np.arange(len(table.match))
    overall = Grouping(table, everything, np.zeros_like(table.match), level, bounds).rows()
    left, right = table.pairs()
    opponents = Grouping(table, left, table.agent[right], level, bounds).rows()
    seats = Grouping(table, everything, table.seat, level, bounds).rows()
    position = table.position()[table.match]
    curves = Grouping(table, everything, position, level, bounds).scores()
    times = effort(table)
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
            **times[i],
        )
        for i, name in enumerate(table.names)
    }


class Grouping:
    """Rows of the table by agent and a label, with an estimate for every pair that occurs."""

    def __init__(
        self, table: ResultColumns, rows: Indices, labels: Indices, level: float, bounds: Bounds | None
    ) -> None:
        self.table, self.chosen, self.level = table, rows, level
        self.bounds = bounds or table.bounds()
        self.many = int(labels.max(initial=0)) + 1
        self.keys, groups = np.unique(table.agent[rows] * self.many + labels, return_inverse=True)
        self.clusters = Clusters(table.block[rows], groups, len(self.keys))

    def scores(self) -> list[dict[int, Estimate]]:
        """For every agent, the score of every label."""
        return self.values_by_agent(self.clusters.estimates(self.table.score[self.chosen], self.level, self.bounds))

    def rows(self) -> list[dict[int, SummaryRow]]:
        """For every agent, the score and shares of every label."""
        won, drawn, lost = (outcome[self.chosen] for outcome in self.table.outcomes())
        scores = self.clusters.estimates(self.table.score[self.chosen], self.level, self.bounds)
        return self.values_by_agent(map(SummaryRow, scores, shares_of(self.clusters, (won, drawn, lost), self.level)))

    def values_by_agent(self, values: Iterable[Value]) -> list[dict[int, Value]]:
        """One value per key as a dictionary by label for every agent."""
        found: list[dict[int, Value]] = [{} for _ in self.table.names]
        for key, value in zip(self.keys.tolist(), values, strict=True):
            found[key // self.many][key % self.many] = value
        return found


class Effort(TypedDict):
    """An agent's thinking time and faults."""

    seconds: float
    longest: float
    strikes: int
    forfeits: int


def effort(table: ResultColumns) -> list[Effort]:
    """For every agent: mean and longest thinking time of a match, strikes and forfeits."""
    many = len(table.names)
    seconds, strikes, forfeits = (np.zeros(len(table.match)) for _ in range(3))
    for first, result in zip(table.first.tolist(), table.results, strict=True):
        seconds[first : first + len(result.seconds)] = result.seconds
        if any(result.strikes):
            strikes[first : first + len(result.strikes)] = result.strikes
        for seat in result.forfeits:
            forfeits[first + seat] = 1.0
    longest = np.zeros(many)
    np.maximum.at(longest, table.agent, seconds)
    counts = np.bincount(table.agent, minlength=many)
    totals = [np.bincount(table.agent, column, minlength=many) for column in (seconds, strikes, forfeits)]
    return [
        {
            "seconds": float(totals[0][i] / counts[i]),
            "longest": float(longest[i]),
            "strikes": int(totals[1][i]),
            "forfeits": int(totals[2][i]),
        }
        for i in range(many)
    ]
