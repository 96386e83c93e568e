"""What is kept of one match: the row of every table, every statistic and every export."""

from enum import StrEnum
from typing import Any

import msgspec

from kibitz.core.insight import Belief
from kibitz.core.records import Record


class RunKind(StrEnum):
    """What a stored run is."""

    TOURNAMENT = "tournament"
    COMPARISON = "comparison"
    STUDY = "study"
    IMPORT = "import"
    SERVER = "server"


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """One match of a run. Names, returns and all that is said per player are in the order of the seats."""

    index: int
    """Of the match in the run."""
    series: int
    """Matches of one series are played one after another by agents that keep what they learned."""
    block: int
    """Series on the same seeds with seats exchanged; blocks are independent of each other, matches in one are not."""
    game: str
    seed: int
    names: tuple[str, ...]
    """The agents as the run calls them."""
    returns: tuple[float, ...]
    plies: int
    reason: str
    seconds: tuple[float, ...]
    """Thinking time."""
    strikes: tuple[int, ...]
    forfeits: tuple[int, ...] = ()
    """The seats that forfeited."""


class StoredMatch(msgspec.Struct, frozen=True):
    """A match as it is handed to the store: its row, and its record as bytes."""

    result: MatchResult
    record: bytes
    beliefs: tuple["BeliefRow", ...] = ()


class StudyRow(msgspec.Struct, frozen=True):
    """What came of one case of a study."""

    index: int
    """Of the case in the run."""
    row: dict[str, Any]
    """What JSON can hold; it comes back as JSON holds it."""
    seconds: float = 0.0
    """The work took; no part of the answer."""
    kibitz: str = ""
    """The code that did the work (`core.version`); nothing where an earlier version did not say."""


class BeliefRow(msgspec.Struct, frozen=True):
    """What a watcher believed of a player after so many events."""

    seen: int
    watcher: str
    player: int
    belief: Belief


def belief_rows(record: Record) -> tuple[BeliefRow, ...]:
    """All beliefs of a record, those before the first event included."""
    held = [record.header.beliefs, *(entry.beliefs for entry in record.entries)]
    return tuple(
        BeliefRow(seen, watcher, player, belief)
        for seen, beliefs in enumerate(held)
        for watcher, players in beliefs.items()
        for player, belief in enumerate(players)
    )


def progress(stored: int, planned: int) -> str:
    """How far a run is, in words: "3 of 12", or "3" where there is no end to it."""
    return f"{stored} of {planned}" if planned else str(stored)
