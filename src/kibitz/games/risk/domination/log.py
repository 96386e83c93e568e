"""Domination's logs of commands: one command a line, often several games in a file.

Lines of a client begin with a token `host#number`; lines without it are facts from the server.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from kibitz.core.errors import BadRecord
from kibitz.core.files.gzip_text import packed_text
from kibitz.games.risk.cards import CardRule

CLIENT = re.compile(r"\S+#-?\d+ ")
FACTS = frozenset({"PLAYER", "MISSION", "PLACEALL", "PLACE", "DICE", "CARD", "LEAVE", "RENAME", "ERROR"})
MODES = frozenset({"domination", "capital", "mission"})
CARD_RULES: dict[str, CardRule] = {"increasing": "increasing", "fixed": "fixed", "italianlike": "italian"}
DEFAULT_MAP_FILE = "luca.map"
"""The map of a log that names none."""
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
