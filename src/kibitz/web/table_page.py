"""The page of a live match: the board, the moves, the clocks, and the watching models."""

import asyncio

from nicegui import ui

from kibitz.core.drawing import Drawing
from kibitz.core.drawing.positions import deeds, draw_position, drawn_after
from kibitz.core.errors import KibitzError, Refused
from kibitz.core.match import Event
from kibitz.server.participants import Participant
from kibitz.server.tables import Update
from kibitz.web.belief_panel import Panel
from kibitz.web.board import Board
from kibitz.web.hints import advice
from kibitz.web.house import CHANGED, PLAN, House, Sitting
from kibitz.web.kibitzers import with_expected
from kibitz.web.look import Line, button, call, heading
from kibitz.web.move_input import MoveInput
from kibitz.web.overlay import offer_solution, show_pictures
from kibitz.web.solutions import solved_pictures
from kibitz.web.tables_list import PAUSE, sit_down
from kibitz.web.trees import tree_behind

SPEEDS = {0.0: "at once", 0.1: "fast", 0.5: "steady", 1.5: "slow"}
"""Seconds between events for spectators."""


class MatchPage:
    """One visitor of one match, a player or a spectator."""

    def __init__(self, house: House, sitting: Sitting, person: Participant | None, invite: str = "") -> None:
        self.house, self.sitting, self.person, self.invite = house, sitting, person, invite
        self.table, self.game = sitting.table, sitting.table.game
        self.update: Update | None = None
        self.heard = 0
        """Number of insights shown so far."""
        self.pause, self.expecting = 0.5, False

    @property
    def seat(self) -> int | None:
        """The visitor's seat; None for a spectator, or after they gave it up."""
        return None if self.person is None else self.table.seat_of(self.person)

    # What is on the page

    def build(self) -> None:
        """Lay the page out."""
        with ui.element("div").classes("table"):
            with ui.element("section").props('aria-label="board"'):
                awaited = "Waiting for players" if self.table.status == "open" else "Getting ready …"
                self.status = Line("status", 'role="status" aria-live="polite"', awaited)
                self.board = Board(lambda shape: self.hand.press_shape(shape))
                self.caption = Line("quiet")
                self.hand = MoveInput(self.board, self.choose)
                self.build_help()
                self.form = ui.element("div")
            with ui.element("section").props('aria-label="moves"'):
                heading("Players")
                self.names: list[ui.label] = []
                self.invitations: dict[int, ui.link] = {}
                self.clocks = [self.build_player(player) for player in range(self.game.players)]
                if self.invitations:
                    self.looking = ui.timer(PAUSE, self.hide_used_invitations)
                heading("Moves")
                self.moves = ui.element("ol").classes("moves").props('aria-label="moves so far" tabindex="0"')
            with ui.element("section").props('aria-label="kibitzers"'):
                heading("What the kibitzers believe")
                if self.seat is not None and self.sitting.setup.secret:
                    ui.label("Their beliefs about you are hidden until the game ends.").classes("quiet")
                watchers = [each.label for each in self.sitting.kibitzers.watchers.seated]
                if watchers:
                    ui.switch("draw what they expect next", on_change=self.expect)
                self.panel = Panel(self.game, watchers)

    def build_help(self) -> None:
        """Lay out the buttons of a player, or the speed of a spectator."""
        with ui.element("div").classes("row"):
            button("Tree", self.tree, "the search tree behind the last move")
            if self.sitting.setup.experiment is None:
                offer_solution(self.house.solvable, self.game, self.solution)
            if self.seat is None:
                self.hand.line.set_visibility(False)
                ui.toggle(SPEEDS, value=self.pause, on_change=self.pace).props('dense no-caps aria-label="speed"')
                if self.invite:
                    self.build_invited()
                elif self.table.open_seats:
                    button("Sit down", lambda: sit_down(self.house, self.table.number))
                return
            if self.sitting.setup.experiment is None:
                button("Hint", self.hint)
            if self.sitting.casual:
                button("Take back", self.take_back)
            button("Resign", self.resign)

    def build_invited(self) -> None:
        """A button that takes the seat; opening the link alone does not, because link previews open it too."""
        if self.invite in self.sitting.invites:
            button("Take the seat", self.take_seat)
        else:
            ui.label("This invitation is used or unknown; you are a spectator.")

    def build_player(self, player: int) -> ui.label:
        """A line per player: the name, the host's invitation link, and the clock."""
        host = self.person is not None and self.person is self.sitting.host
        invitation = self.sitting.invitation(player) if host else None
        with ui.element("div").classes("row"):
            self.names.append(ui.label(self.who(player)))
            if invitation is not None:
                label = f'aria-label="the invitation for {self.game.player_name(player)}"'
                self.invitations[player] = ui.link("invite", invitation).props(label)
            return ui.label("").classes("clock")

    def hide_used_invitations(self) -> None:
        """Hide the links of used invitations."""
        for player in list(self.invitations):
            if self.sitting.invitation(player) is None:
                self.invitations.pop(player).set_visibility(False)
        self.looking.active = bool(self.invitations)

    def who(self, player: int) -> str:
        """The name of a seat and of its player."""
        return f"{self.game.player_name(player)}: {'you' if player == self.seat else self.table.who(player)}"

    # What happens

    async def follow(self) -> None:
        """Show the match as it is played, to the end."""
        past = list(self.table.events) if self.sitting.keys else []
        for event in past:
            self.tell(event)
        await asyncio.gather(self.listen(), self.watch(since=len(past)))

    async def watch(self, since: int) -> None:
        """Show every update after the first *since* events."""
        async for update in self.table.updates(self.person, since):
            self.show(update)
            if self.seat is None and update.transition is not None:
                await asyncio.sleep(self.pause)

    async def listen(self) -> None:
        """Show the insights of the models, never ahead of the board."""
        kibitzers = self.sitting.kibitzers
        while not (self.over and self.heard > len(self.table.events)):
            changed = kibitzers.changed
            while self.heard < len(kibitzers.thoughts) and self.update is not None and self.heard <= self.update.ply:
                self.hear(self.heard)
                self.heard += 1
            if changed is kibitzers.changed:
                await asyncio.wait([asyncio.ensure_future(changed.wait())], timeout=0.1)
        for ply in range(self.heard if self.sitting.setup.secret else 0):
            self.hear(ply)
        self.panel.redraw()

    def hear(self, ply: int) -> None:
        """Show the insights after *ply* events, as far as the visitor may see them."""
        all_told = self.over or not self.sitting.setup.secret
        about = [player for player in range(self.game.players) if all_told or player != self.seat]
        self.panel.show(ply, self.sitting.kibitzers.visible_insights(ply, self.seat, about, all_seen=self.over))
        if self.expecting:
            self.redraw()

    def tell(self, event: Event) -> None:
        """Add an event to the list of moves."""
        found = deeds(event, self.game, self.seat, all_seen=False)
        call(self.moves, "move", event.ply + 1, [(deed.player, deed.who, deed.words) for deed in found])

    def show(self, update: Update) -> None:
        """Show an update of the match."""
        self.update = update
        for player, label in enumerate(self.names):
            label.set_text(self.who(player))
        if update.transition is not None:
            self.tell(self.table.events[update.ply - 1])
        picture = self.redraw()
        if update.request is not None and self.seat is not None:
            permitted = self.sitting.permitted_actions(update.view, self.seat)
            self.hand.offer(picture, update.view, self.seat, permitted)
        else:
            self.hand.clear()
        self.status.say(self.how_it_stands(update))
        self.show_clocks(update)
        if update.ending is not None and self.seat is not None and self.sitting.setup.experiment:
            self.ask()

    def redraw(self) -> Drawing:
        """Draw the position with its last move, and with the expected moves if the visitor wants them."""
        assert self.update is not None, "there is something to draw"
        if self.update.ply:
            picture = drawn_after(self.game, self.table.events[self.update.ply - 1], self.seat, all_seen=False)
        else:
            picture = draw_position(self.game, self.update.view)
        if self.expecting:
            picture = with_expected(picture, self.panel.thoughts.get(self.update.ply, ()))
        self.board.show(picture)
        self.caption.say(picture.caption)
        return picture

    def how_it_stands(self, update: Update) -> str:
        """A sentence: whose turn it is, or how the match ended."""
        if update.ending is not None:
            earned = (f"{self.game.player_name(p)} {value:+g}" for p, value in enumerate(update.ending.returns))
            return f"Over: {', '.join(earned)}"
        if self.table.status in ("failed", "stopped"):
            return f"The match ended early: {self.table.failure or self.table.status}"
        if update.request is not None:
            return "Your move"
        names = [self.game.player_name(player) for player in self.game.movers(update.view)]
        return f"Waiting for {' and '.join(names)}" if names else ""

    def show_clocks(self, update: Update) -> None:
        """Set the clocks, and run those of the players to move."""
        for player, used in enumerate(update.used):
            left = self.sitting.setup.time_control.allowance(used)
            if left is not None:
                running = update.ending is None and player in self.game.movers(update.view)
                call(self.clocks[player], "clock", round(left, 1), running)

    @property
    def over(self) -> bool:
        return not self.table.live

    # What the visitor does

    def choose(self, action: int | str) -> None:
        """Play an action, or a typed move."""
        if self.person is None:
            return
        try:
            self.person.choose(self.check_choice(action))
        except KibitzError as error:
            ui.notify(str(error), type="warning")

    def check_choice(self, action: int | str) -> int | str:
        """The choice, if it is permitted; the match checks whether it is legal."""
        if self.sitting.setup.experiment != "constrained" or self.update is None or self.seat is None:
            return action
        view = self.update.view
        chosen = view.string_to_action(self.seat, action) if isinstance(action, str) else action
        if chosen not in self.sitting.permitted_actions(view, self.seat):
            raise Refused("that order does not serve your goal; choose one that does")
        return chosen

    def ask(self) -> None:
        """Ask about the person's plan; the answers go into the record."""
        self.form.clear()
        with self.form:
            heading("One last thing")
            answers = {question: ui.textarea(question).classes("w-full") for question in (PLAN, CHANGED)}

            async def keep() -> None:
                told = {question: str(area.value or "") for question, area in answers.items()}
                try:
                    await self.sitting.debrief(self.seat or 0, told)
                except KibitzError as error:
                    ui.notify(str(error), type="negative")
                else:
                    ui.notify("Thank you; your answers are in the record.")
                    self.form.clear()

            button("Send", keep)

    async def hint(self) -> None:
        """Show the move of a strong agent."""
        if self.update is None or self.update.request is None or self.seat is None:
            ui.notify("You can ask for a hint when it is your move.")
            return
        ui.notify(f"The adviser would play: {await advice(self.table, self.seat, self.house.solvable)}")

    async def tree(self) -> None:
        """Show the search tree behind the last move shown."""
        if self.game.hidden and not self.over:
            ui.notify("In games with hidden information you can see search trees when the game is over.")
        elif self.update is not None:
            events = self.table.events[: self.update.ply]
            seats, compute = self.sitting.setup.seats, self.house.compute
            await show_pictures(compute, tree_behind, self.game, seats, self.table.options.seed, list(events))

    async def solution(self) -> None:
        """Show what perfect players would do here."""
        if self.update is not None:
            await show_pictures(self.house.compute, solved_pictures, self.game, self.update.view)

    def take_back(self) -> None:
        """Continue in a new match without the last choice."""
        try:
            again = self.house.taken_back(self.sitting, self.seat or 0)
            ui.navigate.to(again.address(again.host))
        except KibitzError as error:
            ui.notify(str(error), type="warning")

    def take_seat(self) -> None:
        """Use the invitation, and go to the player's page."""
        try:
            ui.navigate.to(self.sitting.address(self.sitting.claim(self.invite)))
        except KibitzError as error:
            ui.notify(str(error), type="warning")

    def resign(self) -> None:
        """Resign, or leave the seat if the match has not begun."""
        if self.person is None:
            return
        if self.table.status == "open":
            ui.navigate.to("/")
        self.sitting.leave(self.person)

    def pace(self, event: object) -> None:
        """Set the speed for a spectator."""
        self.pause = float(getattr(event, "value", 0.5))

    def expect(self, event: object) -> None:
        """Show or hide the expected moves."""
        self.expecting = bool(getattr(event, "value", False))
        if self.update is not None:
            self.redraw()
