"""The store: runs, their matches with whole records, beliefs and ratings, in SQLite or PostgreSQL."""

from kibitz.store.results import MatchResult, Played
from kibitz.store.store import Run, Store, Writer

__all__ = ["MatchResult", "Played", "Run", "Store", "Writer"]
