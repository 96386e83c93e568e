"""The messages between kibitz and a bot, and the dialogue they make: one JSON object each, over any transport.

kibitz sends `begin`, then `act` for every action it wants, then `end`; the bot answers `ready` to `begin` and `action`
to `act`. On a socket the bot first sends `login` and kibitz answers `welcome`. Unknown fields are ignored, so that
either side can add some.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

import msgspec

from kibitz import core
from kibitz.core.errors import short_repr
from kibitz.core.kit.about import About, about_game
from kibitz.core.registry import entries, kit_of

Said = TypeVar("Said")
PROTOCOL = 1
MOST_LISTED = 500
"""More legal actions than this are not listed."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One ply as the bot's player may see it: an action per mover, None if it is hidden; chance is mover -1.

    *chosen* says of each mover whether they chose the action; it is missing if all did, and of chance. Opening moves
    that were drawn or given, and actions played for a player who failed or has forfeited, were not chosen.
    """

    ply: int
    movers: list[int]
    actions: list[str | None]
    chosen: list[bool] = []


class Factor(msgspec.Struct, frozen=True, omit_defaults=True):
    """The amounts of a thing in an action: any number from *least* to *most*, or only *values* if they are given."""

    name: str
    least: int
    most: int
    values: list[int] = []


class Range(msgspec.Struct, frozen=True):
    """Actions that differ in one number, which stands at the `#` of *words* and runs from *least* to *most*."""

    words: str
    least: int
    most: int


class Legal(msgspec.Struct, frozen=True, omit_defaults=True):
    """The legal actions: all of them if they are few, else their parts, or the first ones.

    The parts are *factors*, of which an action names an amount each, or *ranges* of actions beside the listed ones.
    """

    count: int
    actions: list[str]
    verb: str = ""
    factors: list[Factor] = []
    ranges: list[Range] = []


class View(msgspec.Struct, frozen=True, omit_defaults=True):
    """The position as the bot's player may see it: as text, and as plain values that are equal if the futures are.

    *fields* are the same as *key*, by name; `games` of this schema has their types. *movers*: the players who choose.
    """

    text: str
    key: Any
    fields: Any = None
    movers: list[int] = []


class Begin(msgspec.Struct, frozen=True, tag="begin", omit_defaults=True):
    """A match begins; the bot answers with `ready`. The seed is all the randomness it needs.

    *about* says in words what the game is, and *board* by name what never changes in this match: a map, a size, a
    number of rounds. `games` of this schema has the types of boards. Games of other packages may have neither.
    """

    protocol: int
    game: str
    player: int
    players: int
    seed: int
    about: About | None = None
    board: Any = None


class Act(msgspec.Struct, frozen=True, tag="act", omit_defaults=True):
    """A request to choose; the bot answers with `action` and the same *seq*. Seconds are None without a limit.

    *secret*: what the bot's player knows and others do not, such as a card or a mission.
    """

    seq: int
    view: View
    legal: Legal
    allowance: float | None
    bank: float | None
    events: list[Event]
    secret: dict[str, Any] = {}


class End(msgspec.Struct, frozen=True, tag="end"):
    """The match is over; *events* are those since the last `act`. Another `begin` may follow."""

    returns: list[float]
    events: list[Event]


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    """The first answer on a socket: the bot's seat, and the token with which it can `login` again."""

    name: str
    table: int
    player: int
    resume: str


class Moment(msgspec.Struct, frozen=True, tag="moment"):
    """An update for a spectator: the view after *ply* events, the last event, and at the end the returns."""

    ply: int
    view: View
    event: Event | None = None
    returns: list[float] | None = None


class Trouble(msgspec.Struct, frozen=True, tag="error"):
    """An error: a message that the server cannot read or refuses; the socket closes if it cannot continue."""

    error: str


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """The bot is ready; it may give its name."""

    name: str = ""


class Action(msgspec.Struct, frozen=True, tag="action"):
    """The bot's choice, in the game's notation."""

    seq: int
    action: str


class Resign(msgspec.Struct, frozen=True, tag="resign"):
    """The bot resigns."""


class Login(msgspec.Struct, frozen=True, tag="login"):
    """The first message on a socket: who the bot is, and which seat it wants.

    To reconnect, send *resume* and *heard*, the `seq` of the last `act` you received. Otherwise name a *table*, with a
    *seat* if that matters, or a *game* to join any open match. *name* counts only on a server without tokens.
    """

    token: str = ""
    name: str = ""
    resume: str = ""
    heard: int = 0
    table: int | None = None
    seat: int | None = None
    game: str = ""


class Watch(msgspec.Struct, frozen=True, tag="watch"):
    """A spectator's only message: the table, and the first event to see; without *since* from now."""

    table: int
    token: str = ""
    since: int | None = None


Message = Begin | Act | End | Welcome | Moment | Trouble
"""Messages from kibitz."""
Answer = Ready | Action
"""Messages from a program that kibitz has started."""
Call = Ready | Action | Resign | Login | Watch
"""Messages to kibitz on a socket."""
_answers: msgspec.json.Decoder[Answer] = msgspec.json.Decoder(Answer)
_calls: msgspec.json.Decoder[Call] = msgspec.json.Decoder(Call)


def encode_message(message: Message) -> bytes:
    """A message as one line."""
    return msgspec.json.encode(message) + b"\n"


def read(line: bytes) -> Answer:
    """The answer in a line; raises ValueError with the reason if it is invalid."""
    return _decode_line(_answers, line)


def read_call(text: bytes) -> Call:
    """The message from a socket; raises ValueError with the reason if it is invalid."""
    return _decode_line(_calls, text)


def _decode_line(decoder: msgspec.json.Decoder[Said], line: bytes) -> Said:
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        words = line.decode(errors="replace")
        raise ValueError(
            f"said {short_repr(words)}: {str(error).replace('`', '').replace('$', 'the answer')}"
        ) from None


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of all messages, in both directions; `games` has the types of each game's boards and views."""
    offers = {name: fields.types for name in entries("game") if (fields := kit_of(name).fields) is not None}
    types = [kind for pair in offers.values() for kind in pair]
    (kibitz, bot, *shapes), parts = msgspec.json.schema_components(
        (Message, Call, *types), ref_template="#/$defs/{name}"
    )
    pairs = zip(shapes[::2], shapes[1::2], strict=True)
    games = {name: {"board": board, "view": view} for name, (board, view) in zip(offers, pairs, strict=True)}
    shared = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"kibitz protocol {PROTOCOL}"}
    return {**shared, "games": games, "$defs": {**parts, "from_kibitz": kibitz, "to_kibitz": bot}}


def event_message(transition: core.Transition) -> Event:
    """A transition in the notation of its game."""
    movers = list(transition.movers) or [core.CHANCE]
    name = transition.before.action_to_string
    pairs = zip(movers, transition.actions, strict=True)
    actions = [None if action is None else name(player, action) for player, action in pairs]
    return Event(transition.ply, movers, actions, list(transition.chosen))


def begin_message(game: core.Game, player: int, seed: int) -> Begin:
    """The first message of a match, with a description of the game."""
    about, fields = about_game(game), kit_of(game).fields
    people = {"strategies": {}, "opponents": {}, "colours": {}, "first_game": "", "minutes": 0}
    told = None if about is None else msgspec.structs.replace(about, **people)  # what only people who watch want
    board = None if fields is None else fields.board(game)
    return Begin(PROTOCOL, repr(game), player, game.players, seed, told, board)


def shown_view(view: core.State, game: core.Game | None = None) -> View:
    """A view as text, as plain values, and by the names that *game* has for them."""
    if game is None:
        return View(str(view), view.key())
    fields = kit_of(game).fields
    return View(str(view), view.key(), None if fields is None else fields.view(view), list(game.movers(view)))


def legal_message(view: core.State, player: int) -> Legal:
    """The legal actions of *player*, in a short form."""
    legal = view.legal_actions(player)
    if len(legal) > MOST_LISTED and isinstance(legal, core.ProductActions):
        return Legal(len(legal), [], legal.verb, [factor(*pair) for pair in legal.factors.items()])
    if len(legal) > MOST_LISTED and isinstance(legal, core.RangedActions):
        single = [view.action_to_string(player, each[0]) for each in legal.ranges if len(each) == 1]
        ranges = [range_message(view, player, each) for each in legal.ranges if len(each) > 1]
        if len(single) <= MOST_LISTED and None not in ranges:
            return Legal(len(legal), single, ranges=[each for each in ranges if each is not None])
    return Legal(len(legal), [view.action_to_string(player, action) for action in legal[:MOST_LISTED]])


def range_message(view: core.State, player: int, actions: range) -> Range | None:
    """A range of actions in words, if their notations differ only in one number, which counts up with them."""
    first, last = (view.action_to_string(player, action).split() for action in (actions[0], actions[-1]))
    apart = [place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other]
    if len(first) != len(last) or len(apart) != 1 or not (first[apart[0]] + last[apart[0]]).isdecimal():
        return None
    least, most = int(first[apart[0]]), int(last[apart[0]])
    first[apart[0]] = "#"
    words = " ".join(first)
    fits = most - least == len(actions) - 1 and words.count("#") == 1
    return Range(words, least, most) if fits else None


def factor(name: str, allowed: Sequence[int]) -> Factor:
    """One factor; its values are listed only if some between the least and the most are missing."""
    least, most = allowed[0], allowed[-1]
    return Factor(name, least, most, [] if len(allowed) == most - least + 1 else list(allowed))


class Dialogue:
    """The messages to one player, over any transport.

    A request after *n* events has the number *base* + *n* + 1, so numbers never repeat in a match, and a player who
    names the last one that they received gets all that happened since, even if the server was restarted.
    """

    def __init__(self, game: core.Game, player: int, rng: core.Rng, base: int = 0) -> None:
        self.game, self.player, self.base, self.asked = game, player, base, base
        self.begin = begin_message(game, player, int(rng.random() * 2**31))  # small enough for all languages
        self.events: list[Event] = []

    def see(self, transition: core.Transition) -> None:
        """Note an event, to be sent with the next request."""
        self.events.append(event_message(transition))

    def events_by(self, asked: int) -> int:
        """Number of events before the request with this number."""
        return max(0, asked - self.base - 1)

    def act(self, view: core.State, allowance: float | None, bank: float | None) -> Act:
        """The next request, with all that happened since the last one."""
        known = self.events_by(self.asked)
        self.asked = self.base + len(self.events) + 1
        legal = legal_message(view, self.player)
        shown, secret = shown_view(view, self.game), dict(view.truth(self.player))
        return Act(self.asked, shown, legal, allowance, bank, self.events[known:], secret)

    def again(self, act: Act, heard: int, allowance: float | None) -> Act:
        """Repeat a request, with all that happened since request *heard*, the last that the player received."""
        events = self.events[self.events_by(heard) : self.events_by(act.seq)]
        return msgspec.structs.replace(act, allowance=allowance, events=events)

    def end(self, returns: Sequence[float], heard: int | None = None) -> End:
        """The last message, with all that happened since request *heard*, or else the last one."""
        return End(list(returns), self.events[self.events_by(self.asked if heard is None else heard) :])
