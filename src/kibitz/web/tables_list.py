"""The list of live matches on the home page: join one with an open seat, or watch."""

from functools import partial

from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.server.tables import Table
from kibitz.web.house import House
from kibitz.web.look import button, heading

PAUSE = 1.0
"""Seconds between refreshes."""
Row = tuple[int, str, tuple[str, ...], bool]
"""A match: its number, its game, its players, and whether a seat is open."""


class TablesList:
    """Lists the live matches while the page is open."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.listed: list[Row] = []

    def build(self) -> None:
        """Lay the list out, and refresh it."""
        self.listed = self.rows()
        self.list()
        ui.timer(PAUSE, self.look)

    def rows(self) -> list[Row]:
        """The rows, matches with open seats first."""
        found = [self.row(table) for table in self.house.tables()]
        return sorted(found, key=lambda row: not row[3])

    def row(self, table: Table) -> Row:
        players = range(table.game.players)
        return table.number, repr(table.game), tuple(table.who(player) for player in players), bool(table.open_seats)

    def look(self) -> None:
        """Refresh the list if something has changed."""
        rows = self.rows()
        if rows != self.listed:
            self.listed = rows
            self.list.refresh()

    @ui.refreshable_method
    def list(self) -> None:
        """A line per match."""
        if self.listed:
            heading("Tables")
        for number, game, players, waits in self.listed:
            with ui.element("div").classes("row"):
                ui.link(f"table {number}: {game}", f"/table/{number}")
                ui.label(", ".join(players)).classes("quiet")
                if waits:
                    button("Sit down", partial(sit_down, self.house, number), f"sit down at table {number}")


def sit_down(house: House, number: int) -> None:
    """Take the first open seat of a match, and go to its page."""
    try:
        sitting = house.sitting(number)
        address = sitting.address(sitting.sit())
    except KibitzError as error:
        ui.notify(str(error), type="warning")
        return
    ui.navigate.to(address)
