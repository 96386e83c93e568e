"""The store: runs, their matches with records, and rows of studies, in SQLite or PostgreSQL."""

from typing import TYPE_CHECKING, Any

from kibitz.store.results import MatchResult, StoredMatch, StudyRow

if TYPE_CHECKING:
    from kibitz.store.store import Run, Store, Writer

__all__ = ["MatchResult", "Run", "Store", "StoredMatch", "StudyRow", "Writer"]


def __getattr__(name: str) -> Any:
    """Load the database classes only when they are used: workers play without them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kibitz.store import store

    return getattr(store, name)
