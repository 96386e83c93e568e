"""The list of live matches on the home page: join one with an open seat, or watch."""

from functools import partial

from nicegui import ui

from kibitz_web.page_frame import button, heading
from kibitz_web.parts.seat_names import agent_name
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.visit import Visit, match_address, sit_down

PAUSE = 1.0
"""Seconds between refreshes."""
SHOWN = 20
"""Matches on the page: where hundreds are played, nobody reads them all, and each costs the server some work."""
Row = tuple[int, str, tuple[str, ...], bool]
"""A match: its number, its game, its players, and whether a seat is open."""


class MatchesList:
    """Lists the live matches while the page is open; a line is built once and taken away when its match ends."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.lines: dict[Row, ui.element] = {}
        with ui.element("div") as self.area:
            heading("Being played now")
            self.waiting, self.running = ui.element("div"), ui.element("div")
            self.rest = ui.label().classes("quiet")

    def build(self) -> None:
        """Fill the list, and keep it fresh."""
        self.refresh()
        ui.timer(PAUSE, self.refresh)

    def rows(self) -> list[Row]:
        """The rows: matches with open seats first, then those that are on the page already, then the newest."""
        listed = {row[0] for row in self.lines}
        live = self.visit.service.lobby.live_matches()
        live.sort(key=lambda match: (not match.open_seats, match.number not in listed, -match.number))
        self.rest.set_text(f"and {len(live) - SHOWN} more" if len(live) > SHOWN else "")
        return [self.row(match) for match in live[:SHOWN]]

    def row(self, match: LiveMatch) -> Row:
        names = tuple(agent_name(match.game, match.who(player)) for player in range(match.game.players))
        return match.number, self.visit.gallery.title(match.game), names, bool(match.open_seats)

    def refresh(self) -> None:
        """Take away the lines that are no longer true, and add the new ones."""
        rows = self.rows()
        for gone in self.lines.keys() - set(rows):
            self.lines.pop(gone).delete()
        for row in sorted(set(rows) - self.lines.keys()):
            with self.waiting if row[3] else self.running:
                self.lines[row] = self.line(row)
                self.lines[row].move(target_index=0)
        self.area.set_visibility(bool(rows))

    def line(self, row: Row) -> ui.element:
        """One match: a link to its page, who plays, and a button if a seat is open."""
        number, game, players, waits = row
        with ui.element("div").classes("row") as line:
            ui.link(f"Match {number}: {game}", match_address(number))
            ui.label(" against ".join(players)).classes("quiet")
            if waits:
                button("Sit down", partial(sit_down, self.visit, number), f"sit down in match {number}")
        return line
