"""Converts matches and study rows to rows of the tables, and back."""

from collections.abc import Sequence
from typing import Any

import msgspec

from kibitz.store.results import MatchResult, StoredMatch, StudyRow

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
