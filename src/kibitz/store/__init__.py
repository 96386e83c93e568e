"""The store: runs, their matches with records, and rows of studies, in SQLite or PostgreSQL."""

from typing import TYPE_CHECKING

from kibitz.lazy_names import lazy_names
from kibitz.store.results import MatchResult, StoredMatch, StudyRow

if TYPE_CHECKING:
    from kibitz.store.store import Run as Run
    from kibitz.store.store import Store as Store
    from kibitz.store.store import Writer as Writer

__all__ = ["MatchResult", "Run", "Store", "StoredMatch", "StudyRow", "Writer"]

__getattr__ = lazy_names(__name__, dict.fromkeys(("Run", "Store", "Writer"), "kibitz.store.store"))
"""The database classes are imported only when they are used: workers play without them."""
