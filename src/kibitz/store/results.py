"""The stored results of matches and studies, on which all else is built, and the rows of tables that hold them."""

from collections.abc import Sequence
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
    """The code that did the work (`core.version`)."""


def progress(stored: int, planned: int) -> str:
    """The progress of a run in words: "3 of 12", or "3" for an open-ended run."""
    return f"{stored} of {planned}" if planned else str(stored)


Rows = list[tuple[Any, ...]]
"""Rows of a table, in the order of its columns."""
MADE_BY = "__kibitz__"
"""The key under which the text of a study's row names the code that made it."""


def study_text(row: StudyRow) -> str:
    """A row of a study as the database stores it."""
    return msgspec.json.encode({**row.row, **({MADE_BY: row.kibitz} if row.kibitz else {})}).decode()


def study_row(index: int, text: str, seconds: float) -> StudyRow:
    """A row of a study from the database's text; raises DecodeError if it is damaged."""
    row = msgspec.json.decode(text, type=dict[str, Any])
    return StudyRow(index, row, seconds, str(row.pop(MADE_BY, "")))


def rows_of(run: int, played: Sequence[StoredMatch]) -> tuple[Rows, Rows]:
    """The rows of matches and of their seats."""
    matches: Rows = []
    seats: Rows = []
    for each in played:
        result, index = each.result, each.result.index
        told = result.game, str(result.seed), result.plies, result.reason
        matches.append((run, index, result.series, result.block, *told, each.record))
        per_seat = zip(result.names, result.returns, result.seconds, result.strikes, strict=True)
        for seat, of_seat in enumerate(per_seat):
            seats.append((run, index, seat, *of_seat, seat in result.forfeits))
    return matches, seats


def result_of(seats: Sequence[Any]) -> MatchResult:
    """A match from the rows of its seats, each with the columns of the match."""
    match = seats[0]
    return MatchResult(
        index=match.index_,
        series=match.series,
        block=match.block,
        game=match.game,
        seed=int(match.seed),
        names=tuple(row.name for row in seats),
        returns=tuple(row.returned for row in seats),
        plies=match.plies,
        reason=match.reason,
        seconds=tuple(row.seconds for row in seats),
        strikes=tuple(row.strikes for row in seats),
        forfeits=tuple(seat for seat, row in enumerate(seats) if row.forfeited),
    )
