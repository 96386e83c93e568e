"""Statistics of match results with their uncertainty: pure functions over results or plain arrays."""

from kibitz_lab.arena.statistics.intervals import Estimate, mean_interval
from kibitz_lab.arena.statistics.payoffs import payoffs
from kibitz_lab.arena.statistics.sequential import Sequential
from kibitz_lab.arena.statistics.summary import ResultColumns, Summary, summary

__all__ = ["Estimate", "ResultColumns", "Sequential", "Summary", "mean_interval", "payoffs", "summary"]
