"""The page of a live match: the board, the moves, the clocks, and the watching models."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from nicegui import ui

from kibitz.core.drawing import Drawing
from kibitz.core.errors import Refused
from kibitz.core.kit.about import described_game
from kibitz.core.match import Event
from kibitz.core.pictures.match_pictures import deeds, draw_position, with_names
from kibitz.core.registry import kit_of
from kibitz_web.choices import soon
from kibitz_web.page_frame import Line, button, call, errors_shown, heading
from kibitz_web.parts.about_panel import build_about, find_about
from kibitz_web.parts.belief_panel import Ask, Panel
from kibitz_web.parts.board import Board, picture_after
from kibitz_web.parts.help_buttons import HelpButtons
from kibitz_web.parts.move_input import MoveInput
from kibitz_web.parts.seat_names import NUMBERED, action_meanings, agent_words, listed_deeds, result_words, seat_names
from kibitz_web.server.live.insights import with_expected
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.seats import Seat, Update, Viewer
from kibitz_web.server.workers.what_if import WhatIf
from kibitz_web.visit import Visit, invitation_address, match_address, sit_down

PLAN, CHANGED = "What was your plan?", "Did it change, and when?"
PAUSE = 1.0
"""Seconds between looks at what may change before the match begins."""
PACE = 0.1
"""Seconds between changes of a page, at least: nobody sees more, and each costs the server some work."""
SPEEDS = {0.0: "at once", 0.1: "fast", 0.5: "steady", 1.5: "slow"}
"""Seconds between events for spectators."""


class MatchPage:
    """One visitor of one match. What they see and do goes through *viewer*: a seat, or the right of a spectator."""

    def __init__(self, visit: Visit, match: LiveMatch, viewer: Viewer, invite: str = "") -> None:
        self.visit, self.match, self.viewer, self.invite = visit, match, viewer, invite
        self.game, self.setup = match.game, match.setup
        self.meanings = action_meanings(self.game)
        self.update: Update | None = None
        self.shown: Update | None = None
        self.changed = asyncio.Event()
        """Set when there is something to show."""
        self.own_move = asyncio.Event()
        """Set when that is a move of the visitor, who does not wait for it."""
        self.listed = 0
        """Number of events in the list of moves."""
        self.insights_shown = 0
        """Number of insights shown so far."""
        self.pause, self.expecting = 0.5, False
        self.helps = HelpButtons(visit, match, lambda: self.seat, lambda: self.update)

    @property
    def seat(self) -> Seat | None:
        """The visitor's seat; None for a spectator, or after they gave it up."""
        return self.viewer if isinstance(self.viewer, Seat) and not self.viewer.revoked else None

    @property
    def player(self) -> int | None:
        """The player whose view is shown; None is the public one."""
        return self.viewer.player

    # What is on the page

    async def build(self) -> None:
        """Lay the page out, part by part: meanwhile the server answers others."""
        about = await soon(find_about(self.visit.choices, self.game))  # before any timer, which would send half a page
        with ui.element("div").classes("table"):
            with ui.element("section").classes("play").props('aria-label="board"'):
                self.build_head()
                self.board = Board(
                    lambda shape: self.hand.follow_press(self.hand.composer.press(shape)),
                    lambda *shapes: self.hand.follow_press(self.hand.composer.drag(*shapes)),
                )
                self.caption = Line("quiet")
                self.hand = MoveInput(self.board, self.game, self.choose)
                self.build_help()
                self.form = ui.element("div")
                build_about(self.visit.choices, self.game, about)
            await asyncio.sleep(0)
            with ui.element("section").props('aria-label="kibitzers"'):
                heading("What the kibitzers believe")
                if self.seat is not None and self.setup.secret:
                    ui.label("Their beliefs about you are hidden until the game ends.").classes("quiet")
                watchers = [] if self.match.models is None else list(self.match.models.labels)
                if watchers:
                    ui.switch("draw what they expect next", on_change=self.expect)
                ask = what_if_question(self.match, self.seat)
                self.panel = Panel(self.game, watchers, self.seat_names, self.player, ask)
            await asyncio.sleep(0)
            with ui.element("section").props('aria-label="moves"'):
                heading("Players")
                self.names: list[ui.label] = []
                self.standings: list[Line] = []
                self.invitations: dict[int, ui.link] = {}
                self.clocks = [self.build_player(player) for player in range(self.game.players)]
                if self.invitations:
                    self.looking = ui.timer(PAUSE, self.hide_used_invitations)
                heading("Moves")
                self.moves = ui.element("ol").classes("moves").props('aria-label="moves so far" tabindex="0"')

    def build_head(self) -> None:
        """The game's name and goal, the player's secret, and what happens now."""
        about = described_game(self.game)
        ui.page_title(f"{about.title} · kibitz")
        heading(about.title, 1)
        ui.label(about.goal).classes("goal")
        with ui.element("div").classes("secret").props('role="note" aria-label="only you see this"'):
            self.secret, self.progress = Line("secret-words"), Line("quiet")
        awaited = "Waiting for players" if self.match.status == "open" else "Getting ready …"
        self.status = Line("status", 'role="status" aria-live="polite"', awaited)
        self.waiting = ui.timer(PAUSE, self.show_preparation)

    def build_help(self) -> None:
        """Lay out the buttons of a player, or the speed of a spectator."""
        with ui.element("div").classes("row help"):
            if self.seat is not None:
                self.helps.build_for_player()
            else:
                self.hand.typing.set_visibility(False)
                ui.toggle(SPEEDS, value=self.pause, on_change=self.pace).props('dense no-caps aria-label="speed"')
                if self.invite:
                    self.build_invited()
                elif self.match.open_seats:
                    button("Sit down", lambda: sit_down(self.visit, self.match.number))
            self.helps.build_for_all()

    def build_invited(self) -> None:
        """A button that takes the seat; opening the link alone does not, because link previews open it too."""
        if self.match.invited_seat(self.invite) is not None:
            button("Take the seat", self.take_seat)
        else:
            ui.label("This invitation is used or unknown; you are a spectator.")

    def build_player(self, player: int) -> ui.label:
        """A line per player: the name, the host's invitation link, and the clock."""
        host = self.match.host is not None and self.match.host.id == self.viewer.principal.id
        code = self.match.invitation(player) if host else None
        with ui.element("div").classes("row player-row"):
            ui.element("span").classes(f"swatch player{player % 6}")
            self.names.append(ui.label(self.who(player)).classes("player-name"))
            if code is not None:
                label = f'aria-label="the invitation for {self.game.player_name(player)}"'
                address = invitation_address(self.match.number, code)
                self.invitations[player] = ui.link("invite", address).props(label)
            clock = ui.label("").classes("clock")
            self.standings.append(Line("standing"))
            return clock

    def hide_used_invitations(self) -> None:
        """Hide the links of used invitations."""
        for player in list(self.invitations):
            if self.match.invitation(player) is None:
                self.invitations.pop(player).set_visibility(False)
        self.looking.active = bool(self.invitations)

    def who(self, player: int) -> str:
        """The name of a seat and of its player: `You, black`, `White: s4`, `Solid 1`."""
        name, side = self.seat_names()[player], self.game.player_name(player)
        if NUMBERED.fullmatch(side):
            return name
        return f"You, {side}" if player == self.player else f"{name}: {agent_words(self.game, self.match.who(player))}"

    def seat_names(self) -> list[str]:
        """What the players are called now: seats may still be taken."""
        return seat_names(self.game, [self.match.who(player) for player in range(self.game.players)], self.player)

    # What happens

    async def follow(self) -> None:
        """Show the match as it is played, to the end."""
        self.listed = len(self.match.events) if self.match.seats else 0
        for event in self.match.events[: self.listed]:
            self.tell(event)
        async with asyncio.TaskGroup() as tasks:
            painting = tasks.create_task(self.paint())
            await asyncio.gather(self.watch(since=self.listed), self.listen())
            painting.cancel()
        self.show_end()

    async def watch(self, since: int) -> None:
        """Note every update after the first *since* events."""
        async for update in self.viewer.updates(since):
            self.update = update
            self.changed.set()
            if update.transition is not None and self.player in update.transition.movers:
                self.own_move.set()
            if self.seat is None and update.transition is not None:
                await asyncio.sleep(self.pause)

    async def listen(self) -> None:
        """Note when the models have something to say."""
        models = self.match.models
        while models is not None:
            changed, over = models.changed, self.over
            self.changed.set()
            if over and len(models.thoughts) > len(self.match.events):
                return
            await changed.wait()

    async def paint(self) -> None:
        """Show what has changed: the first change and own moves at once, what comes soon after them together."""
        client = self.moves.client
        while True:
            await self.changed.wait()
            self.changed.clear()
            while not client.has_socket_connection:  # nobody looks
                await asyncio.sleep(PACE)
            self.own_move.clear()
            self.show_changes()
            with suppress(TimeoutError):
                async with asyncio.timeout(PACE):  # `wait_for` of Python 3.11 may miss that the match has ended
                    await self.own_move.wait()

    def show_changes(self) -> None:
        """Show what has changed since the last time; the insights of the models are never ahead of the board."""
        update, models = self.update, self.match.models
        if update is None:
            return
        if update is not self.shown:
            self.show(update)
        if models is not None:
            last = min(len(models.thoughts), update.ply + 1)
            self.hear(range(self.insights_shown, last))
            self.insights_shown = max(self.insights_shown, last)

    def show_end(self) -> None:
        """Show the end of the match, and what was hidden before it."""
        self.show_changes()
        if self.match.models is not None:
            self.hear(range(self.insights_shown if self.setup.secret else 0))
            self.panel.redraw()

    def hear(self, plies: Sequence[int]) -> None:
        """Show the insights at some moments, as far as the visitor may see them."""
        if self.match.models is None:
            return
        all_told = self.over or not self.setup.secret
        about = [player for player in range(self.game.players) if all_told or player != self.player]
        seen, all_seen = self.match.models.visible_insights, self.over
        self.panel.show_all({ply: seen(ply, self.player, about, all_seen=all_seen) for ply in plies})
        if self.expecting and plies:
            self.redraw()

    def tell(self, event: Event) -> None:
        """Add an event to the list of moves."""
        found = deeds(event, self.game, self.player, all_seen=False)
        call(self.moves, "move", event.ply + 1, listed_deeds(found, self.seat_names(), self.meanings))

    def show(self, update: Update) -> None:
        """Show an update of the match, and the events before it that are not shown yet."""
        self.shown = update
        for player, label in enumerate(self.names):
            label.set_text(self.who(player))
        for event in self.match.events[self.listed : update.ply]:
            self.tell(event)
        self.listed = max(self.listed, update.ply)
        picture = self.redraw()
        if update.request is not None and self.player is not None:
            permitted = self.match.permitted_actions(update.view, self.player)
            self.hand.offer(picture, update.view, self.player, permitted)
        else:
            self.hand.clear()
        self.show_words(update, picture)
        self.show_clocks(update)
        if update.ending is not None:
            self.helps.hide_when_over()
            self.hand.typing.set_visibility(False)
            if self.seat is not None and self.setup.experiment:
                self.ask()

    def show_words(self, update: Update, picture: Drawing) -> None:
        """Say what happens now, how all players stand, and to the visitor what only they know."""
        self.status.say(self.how_it_stands(update, picture))
        for player, line in enumerate(self.standings):
            line.say(picture.note_for(player).standing)
        note = picture.note_for(self.player if self.seat is not None else None)
        self.secret.say(note.secret)
        self.progress.say(note.progress)

    def redraw(self) -> Drawing:
        """Draw the position with its last move, and with the expected moves if the visitor wants them."""
        assert self.update is not None, "there is something to draw"
        if self.update.ply:
            picture = picture_after(self.match, self.update.ply, self.player)
        else:
            picture = draw_position(self.game, self.update.view)
        if self.expecting:
            picture = with_expected(picture, self.panel.thoughts.get(self.update.ply, ()))
        picture = with_names(picture, self.game, self.seat_names())
        self.board.show(picture)
        self.caption.say("" if picture.notes or kit_of(self.game).drawing is None else picture.caption)
        return picture

    def show_preparation(self) -> None:
        """Say that the match has not begun."""
        self.waiting.active = self.update is None and self.match.live
        if self.waiting.active and self.match.status == "playing":
            self.status.say("Getting ready …")

    def how_it_stands(self, update: Update, picture: Drawing) -> str:
        """Whose turn it is and what they may do, or how the match ended."""
        if update.ending is not None:
            return f"Over: {result_words(self.seat_names(), update.ending.returns)}"
        if self.match.status in ("failed", "stopped"):
            return f"The match ended early: {self.match.failure or self.match.status}"
        if update.request is not None:
            return f"Your move. {picture.note_for(self.player).prompt or self.hand.usual_prompt()}".strip()
        names = [self.seat_names()[player] for player in self.game.movers(update.view)]
        return f"Waiting for {' and '.join(names)}" if names else ""

    def show_clocks(self, update: Update) -> None:
        """Set the clocks, and run those of the players to move."""
        for player, used in enumerate(update.used):
            left = self.setup.time_control.allowance(used)
            if left is not None:
                running = update.ending is None and player in self.game.movers(update.view)
                call(self.clocks[player], "clock", round(left, 1), running)

    @property
    def over(self) -> bool:
        return not self.match.live

    # What the visitor does

    def choose(self, action: int | str) -> None:
        """Play an action, or a typed move."""
        if self.seat is None:
            return
        with errors_shown():
            self.seat.choose(self.check_choice(action))

    def check_choice(self, action: int | str) -> int | str:
        """The choice, if it is permitted; the match checks whether it is legal."""
        if self.setup.experiment != "constrained" or self.update is None or self.player is None:
            return action
        view = self.update.view
        chosen = view.string_to_action(self.player, action) if isinstance(action, str) else action
        if chosen not in self.match.permitted_actions(view, self.player):
            raise Refused("that order does not serve your goal; choose one that does")
        return chosen

    def ask(self) -> None:
        """Ask about the person's plan; the answers go into the record."""
        self.form.clear()
        with self.form:
            heading("One last thing")
            answers = {question: ui.textarea(question).classes("w-full") for question in (PLAN, CHANGED)}

            async def keep() -> None:
                given = {question: str(area.value or "") for question, area in answers.items()}
                with errors_shown():
                    if self.seat is not None:
                        await self.visit.service.lobby.debrief(self.seat, given)
                    ui.notify("Thank you; your answers are in the record.")
                    self.form.clear()

            button("Send", keep)

    async def take_seat(self) -> None:
        """Use the invitation, and go to the player's page."""
        with errors_shown():
            seat = await self.visit.service.lobby.claim(self.match, self.invite, self.visit.visitor)
            ui.navigate.to(match_address(self.match.number, seat))

    def pace(self, event: object) -> None:
        """Set the speed for a spectator."""
        self.pause = float(getattr(event, "value", None) or 0.0)

    def expect(self, event: object) -> None:
        """Show or hide the expected moves."""
        self.expecting = bool(getattr(event, "value", False))
        if self.update is not None:
            self.redraw()


def what_if_question(match: LiveMatch, seat: Seat | None) -> Ask | None:
    """The question for the holder of a seat; None for others, and where beliefs are hidden from them."""
    if seat is None or match.setup.secret or match.setup.experiment is not None:
        return None
    player = seat.number

    async def ask() -> Sequence[WhatIf]:
        if match.models is None or seat.request is None:
            return ()
        return await match.models.what_if(player)

    return ask
