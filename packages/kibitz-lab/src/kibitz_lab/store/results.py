"""The stored results of matches and studies, on which all else is built."""

from enum import StrEnum
from typing import Any

import msgspec


class RunKind(StrEnum):
    """The kind of a stored run."""

    TOURNAMENT = "tournament"
    COMPARISON = "comparison"
    STUDY = "study"
    IMPORT = "import"
    SERVER = "server"


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """One match of a run. Lists per player are in the order of the seats."""

    index: int
    """Index of the match in the run."""
    series: int
    """Matches of one series are played one after another by agents that keep what they learned."""
    block: int
    """Series on the same seeds with seats exchanged; blocks are independent, matches in one block are not."""
    game: str
    seed: int
    names: tuple[str, ...]
    """The names of the agents in the run."""
    returns: tuple[float, ...]
    plies: int
    reason: str
    seconds: tuple[float, ...]
    """Thinking time."""
    strikes: tuple[int, ...]
    forfeits: tuple[int, ...] = ()
    """The seats that forfeited."""


class StoredMatch(msgspec.Struct, frozen=True):
    """A match for the store: its row, and its record as bytes."""

    result: MatchResult
    record: bytes


class StudyRow(msgspec.Struct, frozen=True):
    """The result of one case of a study."""

    index: int
    """Index of the case in the run."""
    row: dict[str, Any]
    """The result as JSON values; it is read back as JSON."""
    seconds: float = 0.0
    """Time of the work; not part of the result."""
    kibitz: str = ""
    """The code that did the work (`store.version`)."""
