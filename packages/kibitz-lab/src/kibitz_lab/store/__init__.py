"""The store: runs, their matches with records, and rows of studies, in SQLite or PostgreSQL."""

from typing import TYPE_CHECKING, Any

from kibitz.lazy_names import lazy_name
from kibitz_lab.store.results import MatchResult, StoredMatch, StudyRow

if TYPE_CHECKING:
    from kibitz_lab.store.store import Run as Run
    from kibitz_lab.store.store import Store as Store
    from kibitz_lab.store.store import Writer as Writer

_HOME = dict.fromkeys(("Run", "Store", "Writer"), "kibitz_lab.store.store")
"""The database classes are imported only when they are used: workers play without them."""

__all__ = ["MatchResult", "Run", "Store", "StoredMatch", "StudyRow", "Writer"]


def __getattr__(name: str) -> Any:
    return lazy_name(__name__, _HOME, name)
