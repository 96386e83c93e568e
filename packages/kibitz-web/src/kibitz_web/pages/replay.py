"""The replay of a recorded match, step by step, with its stored beliefs or with any models watching."""

from contextlib import suppress
from urllib.parse import urlencode

from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.core.kit.about import described_game
from kibitz.core.match import Moment
from kibitz.core.match.watchers import watcher_labels
from kibitz.core.pictures.match_pictures import deeds, draw_position, drawn_after, with_names
from kibitz.core.records import Record
from kibitz.core.records.replay import Replay
from kibitz_web.analysis.overlay import offer_solution, show_pictures
from kibitz_web.analysis.solutions import solved_pictures, tree_behind
from kibitz_web.page_frame import button, call, errors_shown, heading, whole_number
from kibitz_web.parts.belief_panel import Panel
from kibitz_web.parts.board import Board
from kibitz_web.parts.debrief import debrief_match, is_person
from kibitz_web.parts.entries import select_several
from kibitz_web.parts.match_form import public_seats, seat_choices, seat_specs
from kibitz_web.parts.seat_names import action_meanings, listed_deeds, record_words, seat_names
from kibitz_web.server.access.auth import PERSON
from kibitz_web.server.live.archive import names_of
from kibitz_web.server.live.insights import with_expected
from kibitz_web.server.live.setup import allowed_model, allowed_setup
from kibitz_web.server.workers.watching import replay_with_insights
from kibitz_web.visit import Visit, open_match, own_seat

SPEEDS = {1.5: "slow", 0.5: "steady", 0.1: "fast"}


class ReplayPage:
    """One visitor's replay of one record, with *models* watching, or those that watched the match."""

    def __init__(self, visit: Visit, name: str, record: Record, models: list[str], ply: int) -> None:
        self.visit, self.name, self.record, self.ply = visit, name, record, ply
        self.wanted, self.models = models, list[str]()
        self.game = Replay(record, source=name).game
        self.names = seat_names(self.game, names_of(record), self.own_player())
        self.moments: list[Moment] = []
        self.expecting = False

    async def find_models(self) -> None:
        """Find out which models watch; they begin in a worker, as that may take long."""
        for model in self.wanted:
            allowed_model(model)
        usual = self.record.header.models or [self.game.usual_model]
        labels = self.visit.service.compute.run_io(watcher_labels, self.game, self.wanted or usual)
        try:
            self.models = await labels
        except KibitzError:
            if self.wanted:
                raise

    async def build(self) -> None:
        """Lay the page out."""
        await self.find_models()
        self.fitting = await self.visit.choices.soon_fitting(self.game)
        heading(described_game(self.game).title, 1)
        ui.label(record_words(self.record)).classes("quiet")
        self.debrief = ui.element("div")
        with ui.element("div").classes("table"):
            with ui.element("section").props('aria-label="board"'):
                self.status = ui.label("Replaying …").classes("status").props('role="status" aria-live="polite"')
                self.board = Board()
                self.caption = ui.label("").classes("quiet")
                self.build_controls(len(self.record.entries))
            with ui.element("section").props('aria-label="moves"'):
                heading("Moves")
                self.moves = ui.element("ol").classes("moves").props('aria-label="moves so far" tabindex="0"')
            with ui.element("section").props('aria-label="kibitzers"'):
                heading("What the kibitzers believed")
                self.build_models()
                ui.switch("draw what they expect next", on_change=self.expect)
                self.panel = Panel(self.game, self.models or list(self.record.header.models), lambda: self.names)

    def build_controls(self, last: int) -> None:
        """Lay out the slider, the buttons, the link and the file."""
        self.slider = ui.slider(min=0, max=max(1, last), value=self.ply, on_change=self.scrub)
        self.slider.props('label aria-label="event"')
        self.timer = ui.timer(0.5, self.step, active=False)
        with ui.element("div").classes("row tools-row"):
            button("|◀", lambda: self.go(0), "to the start")
            button("◀", lambda: self.go(self.ply - 1), "one back")
            button("▶", lambda: self.go(self.ply + 1), "one forward")
            button("▶|", lambda: self.go(last), "to the end")
            button("Play", self.play)
            ui.toggle(SPEEDS, value=0.5, on_change=self.pace).props('dense no-caps aria-label="speed"')
            button("Tree", self.tree, "the search tree behind the last move")
            offer_solution(self.visit.choices, self.game, self.solution)
            button("Play from here", self.go_on)
            if not self.record.complete:  # the debrief of a complete one offers it
                button("Download", lambda: ui.download.content(self.record.to_bytes(), f"match-{self.name}.krec"))
            button("Link", self.link)

    def build_models(self) -> None:
        """Lay out the choice of models."""
        models = [*dict.fromkeys([*self.fitting.models, *self.models])]
        chosen = select_several("models that watch", models)
        chosen.value = self.models
        button("Watch again", lambda: ui.navigate.to(self.address(chosen.value or [])))

    async def load(self) -> None:
        """Replay the whole match, then show the current event."""
        try:
            self.moments = await self.replay_record()
        except KibitzError as error:
            self.status.set_text(str(error))
            return
        meanings = action_meanings(self.game)
        for moment in self.moments[1:]:
            assert moment.event is not None, "only the first moment has none"
            found = deeds(moment.event, self.game)
            call(self.moves, "move", moment.event.ply + 1, listed_deeds(found, self.names, meanings))
        thoughts = [moment.insights() for moment in self.moments]
        self.panel.thoughts |= dict(enumerate(thoughts))
        self.panel.redraw()
        self.go(self.ply)
        if self.record.complete:
            with self.debrief:
                await debrief_match(self.visit, self.name, self.record, self.own_player(), thoughts)

    def own_player(self) -> int | None:
        """The visitor's player, if the server still knows that they played."""
        match = self.visit.service.lobby.matches.get(int(self.name)) if self.name.isdecimal() else None
        seat = None if match is None else own_seat(match, self.visit.visitor)
        return None if seat is None else seat.number

    async def replay_record(self) -> list[Moment]:
        """All moments and insights; if the usual models cannot run, with the stored beliefs."""
        with suppress(*(() if self.wanted else (KibitzError,))):
            return await self.visit.run_cpu(replay_with_insights, self.record, self.models, self.name)
        return await self.visit.run_cpu(replay_with_insights, self.record, [], self.name)

    def go(self, ply: int) -> None:
        """Show the match after *ply* events."""
        if self.moments:
            self.ply = max(0, min(ply, len(self.moments) - 1))
            self.slider.set_value(self.ply)
            self.show()

    def scrub(self, event: object) -> None:
        """Follow the slider."""
        wanted = whole_number(getattr(event, "value", 0))
        if wanted != self.ply:
            self.go(wanted)

    def show(self) -> None:
        """Draw the current position."""
        moment = self.moments[self.ply]
        event = moment.event
        picture = draw_position(self.game, moment.state) if event is None else drawn_after(self.game, event)
        if self.expecting:
            picture = with_expected(picture, moment.insights())
        self.board.show(with_names(picture, self.game, self.names))
        self.caption.set_text(picture.caption)
        self.panel.show(self.ply, moment.insights())
        call(self.moves, "here", self.ply)
        self.status.set_text(f"After {self.ply} of {len(self.moments) - 1} events")

    def step(self) -> None:
        """Show the next event, if there is one."""
        self.go(self.ply + 1)
        if self.ply == len(self.moments) - 1:
            self.timer.deactivate()

    def play(self) -> None:
        """Start or stop automatic playback."""
        self.timer.active = not self.timer.active

    def pace(self, event: object) -> None:
        """Set the speed of playback."""
        self.timer.interval = float(getattr(event, "value", None) or 0.5)

    def expect(self, event: object) -> None:
        """Show or hide the expected moves."""
        self.expecting = bool(getattr(event, "value", False))
        self.go(self.ply)

    async def tree(self) -> None:
        """Show the search tree behind the last move shown."""
        events = [moment.event for moment in self.moments[1 : self.ply + 1] if moment.event is not None]
        header = self.record.header
        await show_pictures(self.visit, tree_behind, self.game, header.agents, header.seed, events)

    async def solution(self) -> None:
        """Show what perfect players would do here."""
        if self.moments:
            await show_pictures(self.visit, solved_pictures, self.game, self.moments[self.ply].state)

    def go_on(self) -> None:
        """Ask for the players, and open a new match from the position shown."""
        seats = [PERSON if is_person(spec) else spec for spec in self.record.header.agents]
        given = tuple(entry.actions for entry in self.record.entries[: self.ply])
        with ui.dialog() as asked, ui.card().classes("w-full"):
            heading("Play from here")
            seat_choices(self.game, self.fitting, seats)
            button("Start", lambda: self.start(seats, given))
        asked.open()

    async def start(self, seats: list[str], given: tuple[tuple[str, ...], ...]) -> None:
        """Open a match that begins with *given* events."""
        with errors_shown():
            setup = await self.visit.run_thread(
                allowed_setup,
                repr(self.game),
                seat_specs(seats),
                models=self.models or self.record.header.models,
                agents=self.visit.service.lobby.agents,
                public=public_seats(seats),
                given=given,
            )
            await open_match(self.visit, setup)

    def link(self) -> None:
        """Copy the address of this view to the clipboard."""
        call(self.moves, "copy", self.address(self.models))
        ui.notify("The link is in your clipboard.")

    def address(self, models: list[str]) -> str:
        """The address of this view, with these models."""
        return f"/replay/{self.name}?" + urlencode({"ply": self.ply, "model": models}, doseq=True)
