"""Logs of games played with Domination: read line by line, and followed as games of ours."""

import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

import msgspec

from kibitz import __version__
from kibitz.core.errors import BadRecord, reason
from kibitz.core.game import digest
from kibitz.core.kit.matches import ImportedMatch, Importer, SkippedLine
from kibitz.core.records import Ending, Header, Record
from kibitz.core.records.packed import MoveList
from kibitz.core.registry import make_game
from kibitz.core.specs import Spec
from kibitz_risk import phases
from kibitz_risk.actions import pair
from kibitz_risk.board import PRESETS, WILDCARD, Board, load
from kibitz_risk.cards import SET
from kibitz_risk.game import Risk, State
from kibitz_risk.options import CardRule
from kibitz_risk.phases import AMOUNTS

CLIENT = re.compile(r"\S+#-?\d+ ")
FACTS = frozenset({"PLAYER", "MISSION", "PLACEALL", "PLACE", "DICE", "CARD", "LEAVE", "RENAME", "ERROR"})
MODES = frozenset({"domination", "capital", "mission"})
CARD_RULES: dict[str, CardRule] = {"increasing": "increasing", "fixed": "fixed", "italianlike": "italian"}
DEFAULT_MAP_FILE = "luca.map"
"""The map of a log that names none."""
LARGEST = 200_000_000
"""Bytes of a file, unpacked."""
LEVELS = frozenset({"easy", "average", "hard", "crap"})


class Command(msgspec.Struct, frozen=True):
    """A line: its text, its number, whether a client sent it, and whether the log may be cut in it."""

    line: int
    text: str
    client: bool
    cut: bool = False
    """Whether it is the last line, and does not end."""

    @property
    def words(self) -> list[str]:
        return self.text.split()

    def rest(self, count: int = 1) -> str:
        """What follows the first words, as it stands: a name may hold blanks."""
        return self.text.split(None, count)[count] if len(self.words) > count else ""


class Seat(msgspec.Struct, frozen=True):
    """A player as the log names them; *agent* is `human` or `domination.LEVEL`."""

    name: str
    agent: str


class LoggedGame(msgspec.Struct, frozen=True):
    """One game of a log: who plays, by which rules, and all commands after the start."""

    path: Path
    line: int
    """Of `startgame`."""
    seats: tuple[Seat, ...]
    mode: str
    cards: CardRule
    deal: bool
    recycle: bool
    board: str | None
    """The map's file as the log names it."""
    commands: tuple[Command, ...]

    def wrong(self, command: Command, why: str) -> BadRecord:
        """The error that names a line."""
        return BadRecord(self.path, f"{why}: {command.text[:80]!r}", command.line)

    @property
    def identity(self) -> tuple[str, ...]:
        """What two logs of one game have in common: the map, who began, the missions and the deal."""
        told = (each.text for each in self.commands if each.words[0] in ("PLAYER", "MISSION", "PLACEALL"))
        return self.board or DEFAULT_MAP_FILE, *told


def number_of(word: str) -> int:
    """A territory or count as a log has it; -1 where it is none, which is nowhere legal."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 8 else -1


def drawn_indices(words: Sequence[str], count: int) -> list[int] | None:
    """The items that numbers mean in a list of *count* that shrinks by one after each; None where one is not in it."""
    left, found = list(range(count)), []
    for word in words:
        if not 0 <= number_of(word) < len(left):
            return None
        found.append(left.pop(int(word)))
    return found


def read_log(path: Path) -> list[LoggedGame]:
    """The games of a file, packed with gzip or not, in their order."""
    games = []
    seats: list[Seat] = []
    board: str | None = None
    started: Command | None = None
    commands: list[Command] = []
    for command in commands_of(path):
        word = command.words[0]
        if word == "newplayer" and command.client and started is not None:
            games.append(_game(path, started, seats, board, commands))
            seats, started, commands = [], None, []
        if started is not None:
            commands.append(command)
        elif command.cut:
            break  # it says how the next game would begin
        elif word == "newplayer":
            seats.append(_seat(path, command))
        elif word == "delplayer":
            seats = [seat for seat in seats if seat.name != command.rest()]
        elif word == "choosemap":
            board = command.rest()
        elif word == "startgame":
            started = command
        elif word in ("autosetup", "loadgame", "play"):
            raise BadRecord(path, f"{word!r} tells of players or moves that are not in the log", command.line)
    if started is not None:
        games.append(_game(path, started, seats, board, commands))
    if not games:
        raise BadRecord(path, "no game was started in it; is it a Domination log, and is it whole?")
    return games


def commands_of(path: Path) -> Iterator[Command]:
    """The lines of a log that are not empty, without the token of their client."""
    for number, raw in enumerate(packed_text(path).splitlines(keepends=True), 1):
        line = raw.strip()
        token = CLIENT.match(line)
        said = line[token.end() :].strip() if token else line
        if said:
            client = token is not None or said.split(None, 1)[0] not in FACTS
            yield Command(number, said, client, cut=not raw.endswith(("\n", "\r")))


def packed_text(path: Path) -> str:
    """The text of a file, packed with gzip or not, read as Latin-1, as the programs that write such files do."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except (EOFError, zlib.error):
        raise BadRecord(path, "cannot be unpacked: it is cut off or damaged") from None
    except (OSError, ValueError) as error:
        raise BadRecord(path, f"cannot be read: {reason(error)}") from None
    if len(raw) > LARGEST:
        raise BadRecord(path, f"longer than the limit of {LARGEST:,} bytes")
    return raw.decode("latin-1")


def _seat(path: Path, command: Command) -> Seat:
    """`newplayer human COLOUR NAME` or `newplayer ai LEVEL COLOUR NAME`."""
    words = command.words
    if len(words) >= 4 and words[1] == "human":
        return Seat(command.rest(3), "human")
    if len(words) >= 5 and words[1] == "ai" and words[2] in LEVELS:
        return Seat(command.rest(4), f"domination.{words[2]}")
    form = "'newplayer human COLOUR NAME' or 'newplayer ai LEVEL COLOUR NAME'"
    raise BadRecord(path, f"{command.text[:80]!r} is not {form}; is the log of another version?", command.line)


def _game(path: Path, started: Command, seats: list[Seat], board: str | None, commands: list[Command]) -> LoggedGame:
    """A game from its `startgame MODE CARDS [autoplaceall] [recycle]`, in any order."""
    words = started.words[1:]
    modes, rules = [word for word in words if word in MODES], [CARD_RULES[word] for word in words if word in CARD_RULES]
    others = set(words) - MODES - CARD_RULES.keys() - {"autoplaceall", "recycle"}
    if others or len(modes) != 1 or len(rules) != 1:
        form = "'startgame domination|capital|mission increasing|fixed|italianlike [autoplaceall] [recycle]'"
        raise BadRecord(path, f"{started.text[:80]!r} is not {form}; is the log of another version?", started.line)
    if not 2 <= len(seats) <= 6:
        raise BadRecord(path, f"{len(seats)} players; two to six play", started.line)
    mode = modes[0]
    deal = mode == "mission" or "autoplaceall" in words
    recycle = "recycle" in words
    return LoggedGame(path, started.line, tuple(seats), mode, rules[0], deal, recycle, board, tuple(commands))


Missions: TypeAlias = Literal["auto", "all", "continents"]
KNOWN_MAPS = {"luca.map": "dom-luca82", "risk.map": "dom-risk81"}
SILENT = frozenset(
    {"info", "undo", "replay", "savegame", "showmission", "showarmies", "showcards", "autoendgo", "autodefend"}
    | {"autoplace", "endgo", "choosemap", "choosecards", "LEAVE", "RENAME", "ERROR"}
)
"""Lines that change nothing: `autoplace` is answered by PLACE, turns end by themselves, and undo did nothing."""


class FollowedGame(msgspec.Struct, frozen=True):
    """A logged game as actions of the rules."""

    logged: LoggedGame
    game: str
    """The spec of the game."""
    actions: tuple[int, ...]
    rejected: tuple[SkippedLine, ...]
    """Commands that were logged though the rules do not allow them."""
    winner: int | None
    """None where the log was cut before the end."""

    def record(self) -> Record:
        """The game as a record of ours, with a seed made of its actions: training groups records by seed."""
        game, seats = make_game(self.game), self.logged.seats
        state = game.new_initial_state()
        truths = [
            {"name": seat.name, **state.truth(player), "strategy": seat.agent} for player, seat in enumerate(seats)
        ]
        header = Header(
            kibitz=__version__,
            game=repr(game),
            seed=int.from_bytes(blake2b(repr([*self.actions]).encode(), digest_size=7).digest()),
            agents=tuple(seat.agent for seat in seats),
            max_plies=game.max_plies,
            strikes=1,
            hash=digest(state),
            truths=truths,
        )
        moves = MoveList(truths)
        for action in self.actions:
            moves.add([action])
        record = Record(header, list(moves.entries(state, game.players)))
        if state.is_terminal():
            strikes = (0,) * game.players
            record.add(Ending(state.returns(), "terminal", len(self.actions), strikes, (), digest(state)))
        return record


def game_of(logged: LoggedGame, missions: Missions = "auto", maps: Path | None = None) -> Spec:
    """The game that was played."""
    board = _board(logged, maps)
    options = {
        "players": len(logged.seats),
        "mode": logged.mode,
        "board": board,
        "setup": "deal" if logged.deal else "draft",
        "cards": logged.cards,
        "missions": _deck(logged, load(board)) if missions == "auto" else missions,
        "recycle": logged.recycle,
    }
    return Spec("risk", options)


def _board(logged: LoggedGame, maps: Path | None) -> str:
    """The map by preset or file: one beside the log or in the folder of *maps* comes first."""
    if logged.board is None:
        return KNOWN_MAPS[DEFAULT_MAP_FILE]
    for folder in (maps, logged.path.parent):
        if folder is not None and (folder / logged.board).is_file():
            return str((folder / logged.board).resolve())
    name = KNOWN_MAPS.get(logged.board, logged.board)
    if name not in PRESETS:
        where = "it is looked for beside the log, and in FOLDER by 'domination(maps=FOLDER)'"
        raise BadRecord(logged.path, f"no map {logged.board[:80]!r}; {where}", logged.line)
    return name


def _deck(logged: LoggedGame, board: Board) -> str:
    """Whether the missions dealt may come from a deck of those about continents only."""
    count = sum(mission.asks_continents for mission in board.deck.missions)
    dealt = [each.words[1:] for each in logged.commands if each.words[0] == "MISSION"]
    few = all(word.isdigit() and int(word) < count - turn for words in dealt for turn, word in enumerate(words))
    return "continents" if few and dealt else "all"


def follow(logged: LoggedGame, missions: Missions = "auto", maps: Path | None = None) -> FollowedGame:
    """Play a logged game again, to its end or to `continue`; raises BadRecord where the rules contradict the log."""
    spec = game_of(logged, missions, maps)
    game = make_game(spec)
    assert isinstance(game, Risk)
    follower = Follower(logged, game.new_initial_state())
    for command in logged.commands:
        if command.words[0] == "continue" or (command.cut and not follower.ends_with(command)):
            break
        follower.take(command)
    state = follower.state
    winner = state.mover if state.phase == phases.OVER else None
    return FollowedGame(logged, str(spec), tuple(follower.actions), tuple(follower.rejected), winner)


class Follower:
    """A state that commands are played on, with the actions that played them."""

    def __init__(self, logged: LoggedGame, state: State) -> None:
        self.logged, self.state = logged, state
        self.actions: list[int] = []
        self.rejected: list[SkippedLine] = []
        self.turn_ended = False
        """Whether a CARD line is due, even one without a card."""

    def take(self, command: Command) -> None:
        """Play a command, or reject it; what the server says must be right."""
        word, *values = command.words
        if word in SILENT:
            return
        if word not in TAKEN:
            raise self.logged.wrong(command, "no such command; is the log of another version?")
        if not TAKEN[word](self, values, command):
            if not command.client:
                at = phases.NAMES[self.state.phase]
                raise self.logged.wrong(command, f"the rules are at {at!r}, where this cannot be")
            self.rejected.append(SkippedLine(command.line, command.text))

    def ends_with(self, command: Command) -> bool:
        """Whether a command ends the game: then it is whole, even if its line does not end."""
        ahead = Follower(self.logged, self.state.clone())
        try:
            ahead.take(command)
        except BadRecord:
            return False
        return ahead.state.phase == phases.OVER

    def play(self, *actions: int) -> bool:
        """Play actions if the first is legal; those after it follow from it."""
        state = self.state
        current = state.current_player()
        chance = [each for each, _ in state.chance_outcomes()] if current < 0 else ()
        if actions[0] not in (chance or state.legal_actions()):
            return False
        for action in actions:
            ends = (state.phase, state.mover)
            state.apply_action(action)
            self.actions.append(action)
            self.turn_ended = ends[0] in TURN_ENDS and (state.mover != ends[1] or state.phase != ends[0])
        return True

    def skip_trade(self) -> None:
        """Skip the trade where no set can be traded: Domination does not ask then."""
        keep = self.state.board.wild + 1
        if self.state.phase == phases.TRADE and self.state.legal_actions() == [keep]:
            self.play(keep)

    # What the server says.

    def first_player(self, values: Sequence[str], command: Command) -> bool:
        """`PLAYER x`: a name in older logs, a number in newer ones."""
        names, said = [seat.name for seat in self.logged.seats], command.rest()
        number = names.index(said) if said in names else number_of(said)
        return self.state.phase == phases.FIRST and self.play(number)

    def missions(self, values: Sequence[str], command: Command) -> bool:
        """`MISSION i i …`: numbers in a list that shrinks by one after each."""
        game = self.state.game
        missions = drawn_indices(values, len(game.mission_deck))
        if self.state.phase != phases.MISSION or missions is None or len(missions) != game.players:
            return False
        return all(self.play(mission) for mission in missions)

    def deal(self, values: Sequence[str], command: Command) -> bool:
        """`PLACEALL n n …`: the territories of the first player, the next …"""
        count = len(self.state.owners)
        places = [number_of(word) - 1 for word in values]
        if self.state.phase != phases.DEAL or sorted(places) != list(range(count)):
            return False
        return all(self.play(place) for place in places)

    def place_one(self, values: Sequence[str], command: Command) -> bool:
        """`PLACE n`: the answer to `autoplace`."""
        settling = self.state.phase in (phases.DRAFT, phases.SETUP)
        return settling and len(values) == 1 and self.play(number_of(values[0]) - 1)

    def dice(self, values: Sequence[str], command: Command) -> bool:
        """`DICE a d x… y…`: so many dice, then their pips, the highest first."""
        pips = [number_of(word) for word in values]
        if len(pips) < 4 or min(pips) < 0 or len(pips) != 2 + pips[0] + pips[1]:
            return False
        attack, defence = pips[2 : 2 + pips[0]], pips[2 + pips[0] :]
        if self.state.phase == phases.DEFEND and not self.play(pips[1]):
            return False
        if self.state.phase != phases.DICE or self.state.rolled != (pips[0], pips[1]):
            return False
        return self.play(sum(one > other for one, other in zip(attack, defence, strict=False)))

    def card(self, values: Sequence[str], command: Command) -> bool:
        """`CARD`, `CARD n`: the end of a turn, with the card that was drawn."""
        if self.state.phase == phases.DRAW:
            return len(values) == 1 and self.play(self.card_number(values[0]))
        ended, self.turn_ended = self.turn_ended, False
        return ended and not values

    def card_number(self, word: str) -> int:
        return self.state.board.wild if word == WILDCARD else number_of(word) - 1

    # What players say.

    def place_armies(self, values: Sequence[str], command: Command) -> bool:
        """`placearmies n k`"""
        self.skip_trade()
        if len(values) != 2:
            return False
        place, count = (number_of(word) for word in values)
        if self.state.phase in (phases.DRAFT, phases.SETUP):
            return count == 1 and self.play(place - 1)
        return self.state.phase == phases.PLACE and place > 0 < count and self.play((place - 1) * AMOUNTS + count)

    def trade(self, values: Sequence[str], command: Command) -> bool:
        """`trade c c c`; all three or none."""
        state = self.state
        if state.phase not in (phases.TRADE, phases.SPOILS) or len(values) != SET or state.shown:
            return False
        ahead = state.clone()
        cards = [self.card_number(word) for word in values]
        for card in cards:
            if card > state.board.wild or card not in ahead.legal_actions():
                return False
            ahead.apply_action(card)
        return self.play(*cards)

    def end_trade(self, values: Sequence[str], command: Command) -> bool:
        return self.state.phase == phases.TRADE and self.play(self.state.board.wild + 1)

    def attack(self, values: Sequence[str], command: Command) -> bool:
        """`attack from to`"""
        if self.state.phase != phases.ATTACK or len(values) != 2:
            return False
        way = self.way(*values)
        return way is not None and self.play(way)

    def way(self, origin: str, to: str) -> int | None:
        count = len(self.state.owners)
        ends = number_of(origin) - 1, number_of(to) - 1
        return pair(*ends, count) if all(0 <= end < count for end in ends) else None

    def roll(self, values: Sequence[str], command: Command) -> bool:
        """`roll k` of the attacker, then of the defender; a defender with one army has no choice, but says it."""
        dice = number_of(values[0]) if len(values) == 1 else 0
        if self.state.phase == phases.DICE:
            return dice == 1 == self.state.armies[self.state.target]
        return self.state.phase in (phases.ROLL, phases.DEFEND) and dice > 0 and self.play(dice)

    def retreat(self, values: Sequence[str], command: Command) -> bool:
        return self.state.phase == phases.ROLL and self.play(phases.RETREAT)

    def move_in(self, values: Sequence[str], command: Command) -> bool:
        """`move k` or `move all`"""
        if self.state.phase != phases.CONQUER or len(values) != 1:
            return False
        return self.play(self.state.legal_actions()[-1] if values[0] == "all" else number_of(values[0]))

    def end_attack(self, values: Sequence[str], command: Command) -> bool:
        return self.state.phase == phases.ATTACK and self.play(phases.END_ATTACK)

    def march(self, values: Sequence[str], command: Command) -> bool:
        """`movearmies from to k`"""
        if self.state.phase != phases.FORTIFY or len(values) != 3:
            return False
        way, count = self.way(*values[:2]), number_of(values[2])
        return way is not None and count > 0 and self.play(way * AMOUNTS + count)

    def stay(self, values: Sequence[str], command: Command) -> bool:
        return self.state.phase == phases.FORTIFY and self.play(phases.STAY)

    def capital(self, values: Sequence[str], command: Command) -> bool:
        return self.state.phase == phases.CAPITAL and len(values) == 1 and self.play(number_of(values[0]) - 1)


TURN_ENDS = frozenset({phases.DRAFT, phases.SETUP, phases.CAPITAL, phases.FORTIFY})
TAKEN: dict[str, Callable[[Follower, Sequence[str], Command], bool]] = {
    "PLAYER": Follower.first_player,
    "MISSION": Follower.missions,
    "PLACEALL": Follower.deal,
    "PLACE": Follower.place_one,
    "DICE": Follower.dice,
    "CARD": Follower.card,
    "placearmies": Follower.place_armies,
    "trade": Follower.trade,
    "endtrade": Follower.end_trade,
    "attack": Follower.attack,
    "roll": Follower.roll,
    "retreat": Follower.retreat,
    "move": Follower.move_in,
    "endattack": Follower.end_attack,
    "movearmies": Follower.march,
    "nomove": Follower.stay,
    "capital": Follower.capital,
}
"""What each word of a log does; the function returns whether it was done."""


class Domination(Importer):
    """Logs of Domination. *missions*: the deck; auto takes one of continents only where the log allows it.

    *maps* is the folder of the maps that logs name; maps beside the log are found without it.
    """

    form: ClassVar[str] = "domination"

    def __init__(self, missions: Missions = "auto", maps: str | None = None) -> None:
        self.missions, self.maps = missions, maps

    def matches(self, path: Path) -> Iterator[ImportedMatch]:
        folder = Path(self.maps) if self.maps is not None else None
        for logged in read_log(path):
            names = tuple(seat.name for seat in logged.seats)
            identity = " ".join((*names, *logged.identity))
            yield ImportedMatch(partial(self.read, logged, folder), names, path, logged.line, identity)

    def read(self, logged: LoggedGame, folder: Path | None) -> tuple[Record, tuple[SkippedLine, ...]]:
        """The record of a logged game, and the commands that were rejected."""
        followed = follow(logged, self.missions, folder)
        return followed.record(), followed.rejected
