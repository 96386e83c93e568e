"""The matches that are kept."""

from typing import Any

from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.core.records import Record, read_record
from kibitz.web.house import House
from kibitz.web.look import heading

LISTED = 200
"""So many of the newest are listed."""
COLUMNS: list[dict[str, Any]] = [
    {"name": "name", "label": "record", "field": "name", "align": "left", "sortable": True},
    {"name": "game", "label": "game", "field": "game", "align": "left", "sortable": True},
    {"name": "agents", "label": "players", "field": "agents", "align": "left"},
    {"name": "plies", "label": "events", "field": "plies", "sortable": True},
    {"name": "result", "label": "result", "field": "result", "align": "left"},
]


def build(house: House) -> None:
    """A table of the newest records, each a link to its replay."""
    heading("Records", 1)
    names = house.record_names()
    rows = [row_of(house, name) for name in names[:LISTED]]
    if not rows:
        ui.label("Nothing has been played yet. Every match is kept here once it is over.")
        return
    if len(names) > LISTED:
        ui.label(f"The newest {LISTED} of {len(names)}.").classes("quiet")
    table = ui.table(columns=COLUMNS, rows=rows, row_key="name", pagination=20).classes("w-full").props("flat dense")
    table.add_slot(
        "body-cell-name",
        '<q-td :props="props"><a :href="`/replay/${props.value}`">{{ props.value }}</a></q-td>',
    )


def row_of(house: House, name: str) -> dict[str, object]:
    """What the list says of one record."""
    try:
        record = read_record(house.record_path(name), salvage=True)
    except KibitzError as error:
        return {"name": name, "result": str(error)}
    header = record.header
    return {
        "name": name,
        "game": header.game,
        "agents": ", ".join(header.agents),
        "plies": len(record.entries),
        "result": result_of(record),
    }


def result_of(record: Record) -> str:
    """What everybody earned."""
    if record.ending is None:
        return "unfinished"
    return ", ".join(f"{value:+g}" for value in record.ending.returns)
