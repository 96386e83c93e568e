"""The page that lists the recorded matches: when, which game, who, how it ended, how long; with a search."""

from typing import Any

from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.core.kit.about import described_game, label_name
from kibitz.core.registry import make_game
from kibitz_lab.store import MatchResult
from kibitz_web.page_frame import heading, keep_doing
from kibitz_web.parts.seat_names import date_words, result_words
from kibitz_web.server.live.archive import Archive
from kibitz_web.visit import Visit

LISTED = 200
"""Number of newest records listed."""
DATED = 25
"""Records whose dates are read at once, so that a page does not wait for all of them."""
COLUMNS: list[dict[str, Any]] = [
    {"name": name, "label": label, "field": name, "align": "left", "sortable": True}
    for name, label in (
        ("name", "record"), ("date", "date"), ("game", "game"), ("players", "players"), ("result", "result"),
        ("plies", "moves"),
    )
]  # fmt: skip


async def build(visit: Visit) -> None:
    """A table of the newest records, each a link to its debrief and replay."""
    archive = visit.service.lobby.archive
    rows = await visit.run_thread(newest_rows, archive)
    heading("Records", 1)
    if not rows:
        ui.label("No matches yet. Every finished match is listed here, with its debrief.")
        return
    search = ui.input("search").props("dense clearable").classes("w-full")
    table = ui.table(columns=COLUMNS, rows=rows, row_key="name", pagination=25).classes("w-full records").props("flat")
    table.add_slot(
        "body-cell-name",
        '<q-td :props="props"><a :href="`replay/${props.value}`">match {{ props.value }}</a></q-td>',
    )
    search.bind_value_to(table, "filter")
    keep_doing(add_dates(visit, table, rows))


async def add_dates(visit: Visit, table: ui.table, rows: list[dict[str, object]]) -> None:
    """Fill in when the matches were played, some at a time."""
    for first in range(0, len(rows), DATED):
        some = rows[first : first + DATED]
        names = [str(row["name"]) for row in some]
        dates = await visit.run_thread(visit.service.lobby.archive.dates, names)
        for row in some:
            row["date"] = date_words(dates.get(str(row["name"]), ""))
        table.update_rows(rows, clear_selection=False)


def newest_rows(archive: Archive) -> list[dict[str, object]]:
    """The rows of the newest records."""
    games: dict[str, Game | None] = {}
    return [row_of(result, games) for result in archive.newest(LISTED)]


def row_of(result: MatchResult, games: dict[str, Game | None]) -> dict[str, object]:
    """The row of one match."""
    if result.game not in games:
        games[result.game] = known_game(result.game)
    game = games[result.game]
    names = result.names if game is None else [label_name(game, name) for name in result.names]
    return {
        "name": str(result.index),
        "date": "",
        "game": result.game if game is None else described_game(game).title,
        "players": " against ".join(names),
        "result": result_words(list(names), result.returns),
        "plies": result.plies,
    }


def known_game(spec: str) -> Game | None:
    """The game of a record; None if it cannot be made here."""
    try:
        return make_game(spec)
    except KibitzError:
        return None
