"""The page that lists the recorded matches."""

from typing import Any

from nicegui import ui

from kibitz.store import MatchResult
from kibitz.web.look import heading

LISTED = 200
"""Number of newest records listed."""
COLUMNS: list[dict[str, Any]] = [
    {"name": "name", "label": "record", "field": "name", "align": "left", "sortable": True},
    {"name": "game", "label": "game", "field": "game", "align": "left", "sortable": True},
    {"name": "agents", "label": "players", "field": "agents", "align": "left"},
    {"name": "plies", "label": "events", "field": "plies", "sortable": True},
    {"name": "result", "label": "result", "field": "result", "align": "left"},
]


def build(results: list[MatchResult]) -> None:
    """A table of the newest records, each a link to its replay."""
    heading("Records", 1)
    if not results:
        ui.label("No matches yet. Every finished match is listed here.")
        return
    if len(results) > LISTED:
        ui.label(f"The newest {LISTED} of {len(results)}.").classes("quiet")
    rows = [row_of(result) for result in results[:LISTED]]
    table = ui.table(columns=COLUMNS, rows=rows, row_key="name", pagination=20).classes("w-full").props("flat dense")
    table.add_slot(
        "body-cell-name",
        '<q-td :props="props"><a :href="`/replay/${props.value}`">{{ props.value }}</a></q-td>',
    )


def row_of(result: MatchResult) -> dict[str, object]:
    """The row of one match."""
    return {
        "name": str(result.index),
        "game": result.game,
        "agents": ", ".join(result.names),
        "plies": result.plies,
        "result": ", ".join(f"{value:+g}" for value in result.returns),
    }
