"""The store: runs, their matches with records, beliefs and ratings, and rows of studies, in SQLite or PostgreSQL."""

from kibitz.store.results import MatchResult, Played, StudyRow
from kibitz.store.store import Run, Store, Writer

__all__ = ["MatchResult", "Played", "Run", "Store", "StudyRow", "Writer"]
