"""Shares of wins, draws and losses."""

import msgspec
import numpy as np

from kibitz.arena.statistics.estimates import NOTHING, Estimate
from kibitz.arena.statistics.intervals import Clusters
from kibitz.arena.statistics.table import Results, result_columns


class Shares(msgspec.Struct, frozen=True):
    """The shares of matches won (strictly highest return), drawn (shared highest) and lost."""

    won: Estimate = NOTHING
    drawn: Estimate = NOTHING
    lost: Estimate = NOTHING


def shares(results: Results, *, level: float = 0.95) -> dict[str, Shares]:
    """The shares of every agent. An agent alone in a match wins."""
    table = result_columns(results)
    clusters = Clusters(table.block, table.agent, len(table.names))
    return dict(zip(table.names, shares_of(clusters, table.outcomes(), level), strict=True))


def shares_of(clusters: Clusters, outcomes: tuple[np.ndarray, np.ndarray, np.ndarray], level: float) -> list[Shares]:
    """The shares of every group of rows."""
    columns = [clusters.estimates(outcome, level, (0.0, 1.0)) for outcome in outcomes]
    return [Shares(*row) for row in zip(*columns, strict=True)]
