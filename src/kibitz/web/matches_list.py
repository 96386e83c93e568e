"""The list of live matches on the home page: join one with an open seat, or watch."""

from functools import partial

from nicegui import ui

from kibitz.server.matches import LiveMatch
from kibitz.web.look import button, heading
from kibitz.web.visit import Visit, match_address, sit_down

PAUSE = 1.0
"""Seconds between refreshes."""
Row = tuple[int, str, tuple[str, ...], bool]
"""A match: its number, its game, its players, and whether a seat is open."""


class MatchesList:
    """Lists the live matches while the page is open."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.listed: list[Row] = []

    def build(self) -> None:
        """Lay the list out, and refresh it."""
        self.listed = self.rows()
        self.list()
        ui.timer(PAUSE, self.look)

    def rows(self) -> list[Row]:
        """The rows, matches with open seats first."""
        found = [self.row(match) for match in self.visit.service.lobby.live_matches()]
        return sorted(found, key=lambda row: not row[3])

    def row(self, match: LiveMatch) -> Row:
        players = range(match.game.players)
        return match.number, repr(match.game), tuple(match.who(player) for player in players), bool(match.open_seats)

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
            heading("Matches")
        for number, game, players, waits in self.listed:
            with ui.element("div").classes("row"):
                ui.link(f"match {number}: {game}", match_address(number))
                ui.label(", ".join(players)).classes("quiet")
                if waits:
                    button("Sit down", partial(sit_down, self.visit, number), f"sit down in match {number}")
