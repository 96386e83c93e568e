"""The form that sets up a match: the game, its options, the players and the watching models."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.core.registry import entries, find, house_agents, make_game, spec_of
from kibitz.core.specs import Spec, constructor_parameters
from kibitz_web.choices import EVERYWHERE, Fitting, soon
from kibitz_web.page_frame import button, errors_shown, heading, show_later, whole_number
from kibitz_web.parts.about_panel import build_about, find_about
from kibitz_web.parts.entries import NumberEntry, keep_in, select_several
from kibitz_web.server.access.auth import PERSON
from kibitz_web.server.access.policy import allowed_spec
from kibitz_web.server.live.setup import Experiment, MatchSetup, allowed_setup
from kibitz_web.visit import Visit, open_match

OPEN = "open seat"
"""A seat for any person or bot that joins."""
CASUAL = "no"
EXPERIMENTS = {
    CASUAL: "no: just play",
    "free": "free: all orders, and questions about your plan afterwards",
    "constrained": "constrained: only orders that serve your goal, and the questions",
}
FIRST_GAME = "pawns"


class MatchForm:
    """Asks for the setup of a match, and opens it."""

    def __init__(self, visit: Visit, game: str = FIRST_GAME) -> None:
        self.visit = visit
        self.game, self.options = game if game in entries("game") else FIRST_GAME, dict[str, Any]()
        self.seats: list[str] = []
        self.usual: list[str] = []
        """The models that watch by default."""
        self.models: list[str] = []
        self.offered: list[str] = []
        """The models that can watch the game."""
        self.kibitzers: ui.select | None = None
        self.seed: float | None = None
        self.move_time: float | None = None
        self.game_time: float | None = None
        self.secret = False
        self.experiment = CASUAL
        self.laid = 0
        """How often the options were laid out."""
        self.unfolded: dict[str, bool] = {}
        """Which parts the visitor has unfolded."""

    async def load(self) -> None:
        """Find the first choices out before anything of the page is built, so that it is sent as a whole."""
        await self.visit.choices.load(self.game)
        game = await self.visit.run_thread(self.allowed_game)
        await asyncio.gather(self.visit.choices.soon_games(), self.visit.choices.soon_fitting(game))

    async def build(self) -> None:
        """Lay the form out."""
        games = await self.visit.choices.soon_games()
        ui.select(games, value=self.game, label="game", with_input=True, on_change=self.choose_game).classes("w-full")
        await self.rows()
        self.kibitzers = keep_in(self, "models", select_several("kibitzers", self.offered))
        keep_in(self, "secret", ui.switch("hide beliefs about me until the game ends"))
        keep_in(self, "experiment", ui.select(EXPERIMENTS, value=CASUAL, label="for an experiment")).classes("w-full")
        self.fold("clocks and seed", self.clocks)
        button("Start", self.start).props(remove="outline dense", add="unelevated color=primary")

    @ui.refreshable_method
    async def rows(self) -> None:
        """Lay out the options of the game, and a line per seat."""
        self.laid = laid = self.laid + 1
        await self.visit.choices.load(self.game)
        try:
            game = await self.visit.run_thread(self.allowed_game)
        except KibitzError as error:
            if laid == self.laid:
                self.fold("options", self.all_options)
                ui.label(str(error)).classes("text-negative")
            return
        fitting = await self.visit.choices.soon_fitting(game)
        about = await soon(find_about(self.visit.choices, game))
        if laid != self.laid:  # they were refreshed meanwhile; below here nothing waits
            return
        self.fold("options", self.all_options)
        self.suggest([game.usual_model])
        if not fitting.complete:
            show_later(lambda: self.visit.choices.fitting(game), self.rows.refresh)
        self.offered = [*dict.fromkeys([*fitting.models, *self.models])]
        if self.kibitzers is not None:
            self.kibitzers.set_options(self.offered, value=self.models)
        self.seats = (self.seats or [PERSON])[: game.players]
        self.seats += [next(iter(house_agents(self.game)), EVERYWHERE[0])] * (game.players - len(self.seats))
        seat_choices(game, fitting, self.seats)
        build_about(self.visit.choices, game, about)

    def fold(self, words: str, build: Callable[[], None]) -> None:
        """A part that is built when it is unfolded, and stays unfolded when the form is laid out again."""

        def unfold(event: Any) -> None:
            self.unfolded[words] = bool(event.value)
            if event.value and not inner.default_slot.children:
                with inner:
                    build()

        shown = self.unfolded.get(words, False)
        with ui.expansion(words, value=shown, on_value_change=unfold).classes("w-full"):
            inner = ui.element("div").classes("row")
        if shown:
            with inner:
                build()

    def clocks(self) -> None:
        """Entries for time limits and the seed."""
        keep_in(self, "move_time", NumberEntry("seconds a move"))
        keep_in(self, "game_time", NumberEntry("seconds a game"))
        keep_in(self, "seed", NumberEntry("seed", format="%d"))

    def all_options(self) -> None:
        """Entries for the options of the game."""
        for name, default, choices in game_options(self.game):
            self.option(name, default, choices)

    def suggest(self, usual: list[str]) -> None:
        """Select the usual models, unless the visitor has chosen others."""
        if self.models == self.usual:
            self.models = usual
        self.usual = usual

    def option(self, name: str, default: Any, choices: list[Any]) -> None:
        """An entry for one option of the game."""
        value = self.options.get(name, default)
        if choices:
            ui.select(choices, value=value, label=name, on_change=self.setter(name)).style("min-width: 8rem")
        else:
            NumberEntry(name, value=value, on_change=self.setter(name)).style("width: 8rem")

    def choose_game(self, event: Any) -> None:
        """Select another game, with only the person seated."""
        self.game, self.options, self.seats = event.value or self.game, {}, []
        self.rows.refresh()

    def setter(self, name: str) -> Callable[[Any], None]:
        """A handler that sets an option."""

        def set_option(event: Any) -> None:
            whole = isinstance(event.value, float) and event.value.is_integer()
            self.options[name] = int(event.value) if whole else event.value
            self.rows.refresh()

        return set_option

    def spec(self) -> str:
        """The game with its options."""
        return str(Spec(self.game, {name: value for name, value in self.options.items() if value is not None}))

    def allowed_game(self) -> Game:
        """The game with its options, which may have to be tried first."""
        return make_game(allowed_spec(self.spec()))

    def setup(self) -> MatchSetup:
        """The setup that the form describes."""
        return allowed_setup(
            self.spec(),
            seat_specs(self.seats),
            models=tuple(self.models or ()),
            agents=self.visit.service.lobby.agents,
            move_time=self.move_time,
            game_time=self.game_time,
            seed=None if self.seed is None else whole_number(self.seed, -1),
            secret=bool(self.secret),
            experiment=None if self.experiment == CASUAL else cast(Experiment, self.experiment),
            public=public_seats(self.seats),
        )

    async def start(self) -> None:
        """Open the match and go to its page."""
        with errors_shown():
            await open_match(self.visit, await self.visit.run_thread(self.setup))


async def build_setup(visit: Visit, game: str) -> None:
    """Lay the form out for a game, or for the first one if it is unknown."""
    form = MatchForm(visit, game)
    await form.load()
    heading("Set up a game", 1)
    with ui.element("div").classes("panel form"):
        await form.build()


def seat_choices(game: Game, fitting: Fitting, seats: list[str]) -> None:
    """A line per seat, which sets its entry of *seats*."""
    suggested = [PERSON, *house_agents(spec_of(game).name), *fitting.agents, OPEN]

    def setter(player: int) -> Callable[[Any], None]:
        return lambda event: seats.__setitem__(player, event.value)

    for player, seat in enumerate(seats):
        ui.select(
            [*dict.fromkeys([*suggested, seat])], value=seat, with_input=True, label=game.player_name(player),
            new_value_mode="add-unique", on_change=setter(player),
        ).classes("w-full")  # fmt: skip


def seat_specs(seats: Sequence[str]) -> tuple[str | None, ...]:
    """The seats in the form that a setup takes."""
    return tuple(None if seat in (PERSON, OPEN) else seat for seat in seats)


def public_seats(seats: Sequence[str]) -> tuple[int, ...]:
    """The seats that anyone may take."""
    return tuple(player for player, seat in enumerate(seats) if seat == OPEN)


def game_options(game: str) -> list[tuple[str, Any, list[Any]]]:
    """The options of a game that the form can set: name, default, and choices (none for a number)."""
    kind = find(game, "game").load()
    hints = get_type_hints(kind.__init__)
    found: list[tuple[str, Any, list[Any]]] = []
    for name, parameter in constructor_parameters(kind).items():
        hint, default = hints.get(name), parameter.default
        if get_origin(hint) is Literal:
            found.append((name, default, list(get_args(hint))))
        elif isinstance(default, bool):
            found.append((name, default, [True, False]))
        elif values := [*kind.known_values(name)]:
            found.append((name, default, values))
        elif isinstance(default, (int, float)):
            found.append((name, default, []))
    return found
