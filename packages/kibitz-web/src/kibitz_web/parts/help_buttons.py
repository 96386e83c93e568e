"""The buttons below a board: hint, take back, resign, the search tree, and the solution."""

from collections.abc import Callable

from nicegui import ui

from kibitz_web.analysis.hints import advice
from kibitz_web.analysis.overlay import offer_solution, show_pictures
from kibitz_web.analysis.solutions import solved_pictures, tree_behind
from kibitz_web.page_frame import button, errors_shown
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.seats import Seat, Update
from kibitz_web.visit import Visit, match_address


class HelpButtons:
    """What a visitor may ask for besides moves; *holder* and *shown* say who they are now, and what they see."""

    def __init__(
        self, visit: Visit, match: LiveMatch, holder: Callable[[], Seat | None], shown: Callable[[], Update | None]
    ) -> None:
        self.visit, self.match, self.holder, self.shown = visit, match, holder, shown
        self.while_playing: list[ui.button] = []
        """Those that mean nothing once the match is over."""
        self.question: ui.dialog | None = None
        """Whether the player wants to resign."""

    def build_for_player(self) -> None:
        """Lay out what only a player may ask for."""
        if self.match.setup.experiment is None:
            self.while_playing.append(button("Hint", self.hint))
        if self.match.setup.casual:
            self.while_playing.append(button("Take back", self.take_back))
        self.while_playing.append(button("Resign", self.confirm_resignation))

    def build_for_all(self) -> None:
        """Lay out what everyone may ask for."""
        button("Tree", self.tree, "the search tree behind the last move")
        if self.match.setup.experiment is None:
            offer_solution(self.visit.choices, self.match.game, self.solution)

    def hide_when_over(self) -> None:
        """Hide what means nothing once the match is over."""
        for each in self.while_playing:
            each.set_visibility(False)

    async def hint(self) -> None:
        """Show the move of a strong agent."""
        seat, update = self.holder(), self.shown()
        if seat is None or update is None or update.request is None:
            ui.notify("You can ask for a hint when it is your move.")
            return
        with errors_shown():
            found = await advice(self.match, seat.number, self.visit.choices, self.visit.run_cpu)
            ui.notify(f"The adviser would play: {found}")

    async def tree(self) -> None:
        """Show the search tree behind the last move shown."""
        update, match = self.shown(), self.match
        if match.game.hidden and match.live:
            ui.notify("In games with hidden information you can see search trees when the game is over.")
        elif update is not None:
            given = (match.game, match.setup.seats, match.options.seed, list(match.events[: update.ply]))
            await show_pictures(self.visit, tree_behind, *given, match=match.work)

    async def solution(self) -> None:
        """Show what perfect players would do here."""
        update = self.shown()
        if update is not None:
            await show_pictures(self.visit, solved_pictures, self.match.game, update.view, match=self.match.work)

    async def take_back(self) -> None:
        """Continue in a new match without the last choice."""
        seat = self.holder()
        if seat is None:
            return
        with errors_shown():
            again = await self.visit.service.lobby.take_back(seat)
            ui.navigate.to(match_address(again.match.number, again))

    def confirm_resignation(self) -> None:
        """Ask before the player gives up."""
        if self.question is None:
            with ui.dialog() as self.question, ui.card():
                ui.label("Do you want to resign, or to leave your seat if the match has not begun?")
                with ui.element("div").classes("row"):
                    button("Resign now", self.resign)
                    button("Keep playing", self.question.close)
        self.question.open()

    async def resign(self) -> None:
        """Resign, or leave the seat if the match has not begun."""
        if self.question is not None:
            self.question.close()
        seat = self.holder()
        if seat is None:
            return
        if self.match.status == "open":
            ui.navigate.to("/")
        await self.visit.service.lobby.leave(seat)
