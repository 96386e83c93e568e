"""The games on offer: a card for each with its picture, and the match that *Play now* opens."""

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from kibitz.core import drawing
from kibitz.core.bridges import bridge_status
from kibitz.core.errors import KibitzError, UnknownName
from kibitz.core.game import TERMINAL, Game
from kibitz.core.kit.about import described_game, first_opponents
from kibitz.core.pictures.match_pictures import draw_position
from kibitz.core.registry import bridged_entries, entries, house_agents, make_game, spec_of
from kibitz.core.seeds import stream
from kibitz.testing.walks import walk
from kibitz_web.choices import Choices, soon
from kibitz_web.server.live.setup import MatchSetup, allowed_setup
from kibitz_web.server.workers import WorkerLost

FIRST = "pawns"
"""The game whose card comes first."""
PLIES = 45
"""Random events before the position of a picture."""
SCALE = 20.0
"""Pixels of a cell in a picture."""
BUTTONS = ("chooser-", "choice-")
"""Shapes that are choices, not part of the position."""


class GameCard(msgspec.Struct, frozen=True):
    """A game as its card shows it, and how *Play now* plays it."""

    name: str
    title: str
    goal: str = ""
    players: str = ""
    minutes: int = 0
    game: str = ""
    """The spec that *Play now* plays."""
    opponents: dict[str, str] = {}
    """Good first opponents, the best one first, each with a sentence."""
    seats: int = 2
    kibitzer: str = ""
    own_agents: bool = False
    """Whether the game has agents of its own, who can be told apart."""

    @property
    def facts(self) -> str:
        """The number of players and the minutes."""
        return ", ".join(filter(None, (self.players, minutes_words(self.minutes) if self.minutes else "")))

    def setup(self, agents: dict[str, str]) -> MatchSetup:
        """The match that *Play now* opens: the visitor against the suggested opponents, with the suggested model."""
        others = [*self.opponents][: max(1, self.seats - 1)] or ["random"]
        seats = [others[seat % len(others)] for seat in range(self.seats - 1)]
        return allowed_setup(self.game or self.name, (None, *seats), models=(self.kibitzer,), agents=agents)


def minutes_words(minutes: int) -> str:
    """A number of minutes in words.

    >>> minutes_words(240), minutes_words(1)
    ('4 hours', '1 minute')
    """
    if minutes >= 90:
        return f"{minutes / 60:.2g} hours"
    return f"{minutes} minute{'' if minutes == 1 else 's'}"


def game_card(name: str) -> GameCard | None:
    """The card of a game; None if it cannot be loaded, or not without parameters."""
    try:
        about = described_game(make_game(name))
        first = make_game(about.first_game or name)
        return GameCard(
            name,
            about.title,
            about.goal,
            f"{first.players} player{'' if first.players == 1 else 's'}",
            about.minutes,
            about.first_game or name,
            first_opponents(first),
            first.players,
            first.usual_model,
            bool(house_agents(name)),
        )
    except (KibitzError, ImportError):  # a plugin whose package is missing, a bridge that needs a name
        return None


def all_cards() -> list[GameCard]:
    """All games: those with agents of their own first, then the shorter ones; of bridges those that are installed."""
    bridged = [name for name, each in bridged_entries("game").items() if bridge_status(each.bridge).usable]
    cards = [card for name in (*entries("game"), *bridged) if (card := game_card(name)) is not None]
    return sorted(cards, key=lambda card: (not card.own_agents, card.name != FIRST, card.minutes or 10**6, card.title))


def all_thumbnails(names: Sequence[str]) -> dict[str, str]:
    """A picture of each game that can be drawn, as SVG."""
    found = {}
    for name in names:
        try:
            found[name] = thumbnail(name)
        except Exception:
            continue
    return found


def thumbnail(spec: str) -> str:
    """A position of a game after a few random events, as its first player sees it, as SVG."""
    game = make_game(spec)
    rng, last = stream(7, "thumbnail", spec), game.new_initial_state()
    for state in walk(game, rng, PLIES):
        if state.current_player() != TERMINAL:
            last = state.clone()
    return drawing.svg(without_buttons(draw_position(game, last.view(0))), SCALE)


def without_buttons(picture: drawing.Drawing) -> drawing.Drawing:
    """A drawing of the position alone."""
    shapes = tuple(shape for shape in picture.shapes if not shape.id.startswith(BUTTONS))
    if not shapes or len(shapes) == len(picture.shapes):
        return picture
    right, bottom = (max(shape.centre()[axis] for shape in shapes) + 1.0 for axis in (0, 1))
    size = {"width": min(picture.width, right), "height": min(picture.height, bottom)}
    return msgspec.structs.replace(picture, shapes=shapes, inputs=(), **size)


class Gallery:
    """The cards and pictures of all games of a server; a worker makes them once, when the server starts."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.known: dict[str, GameCard] = {}
        """The cards that are made; none until all are."""
        self.pictures: dict[str, str] = {}

    async def make(self) -> None:
        """Make the cards, then the pictures, unless the server stops before."""
        with suppress(WorkerLost):
            await self.picture(FIRST)

    async def cards(self) -> list[GameCard]:
        """All cards."""
        if not self.known:
            self.known = {card.name: card for card in await self.choices.find_once("cards", all_cards)}
        return [*self.known.values()]

    async def soon_cards(self) -> list[GameCard]:
        """All cards; those with names only, if they are not known soon."""
        return await soon(self.cards()) or [GameCard(name, name) for name in entries("game")]

    async def card(self, name: str) -> GameCard:
        """The card of a game, waiting for it."""
        await self.cards()
        if name not in self.known:
            raise UnknownName("game", name[:80], [*self.known])
        return self.known[name]

    def title(self, game: Game) -> str:
        """The title of a game, as far as it is known."""
        card = self.known.get(spec_of(game).name)
        return card.title if card is not None else repr(game)

    async def picture(self, name: str) -> str | None:
        """The picture of a game; None if it has none."""
        names = [card.name for card in await self.cards()]
        self.pictures = self.pictures or await self.choices.find_once("pictures", all_thumbnails, names)
        return self.pictures.get(name)
