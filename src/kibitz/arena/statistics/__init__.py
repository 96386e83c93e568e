"""Statistics of match results with their uncertainty: pure functions over results or plain arrays."""

from kibitz.arena.statistics.bootstrap import PairedDifference, paired_bootstrap
from kibitz.arena.statistics.estimates import Estimate, Estimates
from kibitz.arena.statistics.intervals import mean_interval
from kibitz.arena.statistics.payoffs import Payoffs, payoffs
from kibitz.arena.statistics.sequential import Sequential
from kibitz.arena.statistics.shares import Shares, shares
from kibitz.arena.statistics.summary import Summary, SummaryRow, summary
from kibitz.arena.statistics.table import ResultColumns
from kibitz.arena.statistics.versus import HeadToHead, head_to_head

__all__ = [
    "Estimate",
    "Estimates",
    "HeadToHead",
    "PairedDifference",
    "Payoffs",
    "ResultColumns",
    "Sequential",
    "Shares",
    "Summary",
    "SummaryRow",
    "head_to_head",
    "mean_interval",
    "paired_bootstrap",
    "payoffs",
    "shares",
    "summary",
]
