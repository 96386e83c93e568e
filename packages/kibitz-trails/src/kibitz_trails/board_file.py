"""Boards by name, by file, or made to order: those that come with the game, TOML files, and `layers(…)`.

A file looks like this; mistakes are named with their file and line.

goal = [0, 2]                           [players.P0]
grid = ["A Y R", "Y A Y", "R A R"]      start = [2, 0]
[colours]                               chips = { red = 2, yellow = 3 }
red = "R"                               hands = [{ red = 2, yellow = 3 }, { red = 5 }]
…                                       …
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import msgspec

from kibitz.core.errors import BadSpec, UnknownName
from kibitz.core.seeds import stream
from kibitz.core.specs import convert_value, shared_spec
from kibitz_lab.games.definition_file import DefinitionFile
from kibitz_trails.board import MOST_CHIPS, MOST_COLOURS, Board, Chips, Scoring, cheapest_ways, colour_letters

LARGEST = 30
"""Rows and columns a board may have."""
PLAYERS = (2, 4)
Number = Annotated[int, msgspec.Meta(ge=0, le=MOST_CHIPS)]
Place = tuple[int, int]


class PlayerTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player in the file; without hands they can only be dealt their chips."""

    start: Place
    chips: dict[str, Number]
    hands: tuple[dict[str, Number], ...] = ()


class BoardTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board in the file; *total*, where given, is checked against the number of chips."""

    goal: Place
    grid: tuple[str, ...]
    colours: dict[str, str]
    players: dict[str, Any]
    scoring: Scoring = Scoring()
    name: str = ""
    about: str = ""
    total: int | None = None


def read_board(path: Path | str) -> Board:
    """The board a file describes, checked."""
    file = DefinitionFile.read(path)
    table = file.convert_table(file.tables(), BoardTable)
    colours = checked_colours(file, table.colours)
    grid = read_grid(file, table, colours)
    rows, cols = len(grid), len(grid[0])
    first, last = PLAYERS
    if not first <= len(table.players) <= last:
        raise file.wrong(f"players: {first} to {last} play, not {len(table.players)}", "players")
    players = {name: file.convert_table(each, PlayerTable, "players", name) for name, each in table.players.items()}
    dealt = [read_chips(file, each.chips, table, "players", name, "chips") for name, each in players.items()]
    board = Board(
        name=table.name or Path(path).stem,
        rows=rows,
        cols=cols,
        colours=tuple(table.colours),
        grid=tuple(colour for row in grid for colour in row),
        goal=square(file, table.goal, (rows, cols), "goal"),
        starts=tuple(
            square(file, each.start, (rows, cols), "players", name, "start") for name, each in players.items()
        ),
        chips=tuple(dealt),
        hands=tuple(
            read_hands(file, table, each.hands, held, name)
            for (name, each), held in zip(players.items(), dealt, strict=True)
        ),
        scoring=table.scoring,
        about=table.about,
        names=tuple(table.players),
    )
    check_board(file, board, table.total)
    return board


def checked_colours(file: DefinitionFile, colours: Mapping[str, str]) -> dict[str, int]:
    """The colour each letter stands for."""
    if not 1 <= len(colours) <= MOST_COLOURS:
        raise file.wrong(f"colours: there are 1 to {MOST_COLOURS}, not {len(colours)}", "colours")
    letters: dict[str, int] = {}
    for number, (colour, letter) in enumerate(colours.items()):
        if not colour.isidentifier() or colour != colour.casefold():
            raise file.wrong(f"colours.{colour}: a colour is one word in small letters", "colours", colour)
        if len(letter) != 1 or letter.isspace():
            raise file.wrong(f"colours.{colour}: one letter stands for it, not {letter!r}", "colours", colour)
        if letter in letters:
            raise file.wrong(f"colours.{colour}: {letter!r} stands for another colour already", "colours", colour)
        letters[letter] = number
    return letters


def read_grid(file: DefinitionFile, table: BoardTable, letters: Mapping[str, int]) -> list[list[int]]:
    """The colours of the squares, row by row."""
    rows = [row.split() if " " in row.strip() else list(row.strip()) for row in table.grid]
    widths = {len(row) for row in rows}
    if len(widths) != 1 or widths == {0}:
        raise file.wrong("grid: all rows have the same number of squares, and at least one", "grid")
    if not (len(rows) <= LARGEST and len(rows[0]) <= LARGEST):
        raise file.wrong(f"grid: a board has at most {LARGEST} rows and columns", "grid")
    for number, row in enumerate(rows):
        for letter in row:
            if letter not in letters:
                raise file.wrong(f"grid: no colour has the letter {letter!r} (row {number})", "grid")
    return [[letters[letter] for letter in row] for row in rows]


def square(file: DefinitionFile, place: Place, size: Place, *keys: str) -> int:
    """The number of the square at a row and a column."""
    (row, col), (rows, cols) = place, size
    if not (0 <= row < rows and 0 <= col < cols):
        raise file.wrong(f"{'.'.join(keys)}: [{row}, {col}] is off the board of {rows} rows and {cols} columns", *keys)
    return row * cols + col


def read_chips(file: DefinitionFile, chips: Mapping[str, int], table: BoardTable, *keys: str) -> Chips:
    """Chips by the order of the colours."""
    for colour in chips:
        file.place(colour, table.colours, "colour", *keys)
    return tuple(chips.get(colour, 0) for colour in table.colours)


def read_hands(
    file: DefinitionFile, table: BoardTable, written: Sequence[Mapping[str, int]], chips: Chips, name: str
) -> tuple[Chips, ...]:
    """What a player may be dealt where chips are hidden; all of one size, so that the size reveals nothing."""
    keys = "players", name, "hands"
    hands = [read_chips(file, each, table, *keys) for each in written] or [chips]
    for hand in hands:
        if sum(hand) != sum(chips):
            raise file.wrong(
                f"{'.'.join(keys)}: all hands have {sum(chips)} chips as `chips` has, not {sum(hand)}", *keys
            )
    return tuple(dict.fromkeys(hands))


def check_board(file: DefinitionFile, board: Board, total: int | None) -> None:
    """Check the whole board: the chips add up, and everyone can reach the goal with the chips in play."""
    if total is not None and sum(map(sum, board.chips)) != total:
        raise file.wrong(f"total: there are {sum(map(sum, board.chips))} chips, not {total}", "total")
    if max(board.in_play) > MOST_CHIPS:
        raise file.wrong(f"players: at most {MOST_CHIPS} chips of one colour can be in play", "players")
    for name, start in zip(board.names, board.starts, strict=True):
        if start == board.goal:
            raise file.wrong(f"players.{name}.start: it is the goal", "players", name, "start")
        if board.goal not in cheapest_ways(board, start):
            why = "no chips in play pay a way to the goal from here"
            raise file.wrong(f"players.{name}.start: {why}", "players", name, "start")


def board_text(board: Board) -> str:
    """A board as a file that `read_board` reads."""
    letters = colour_letters(board.colours)
    rows = [board.grid[start : start + board.cols] for start in range(0, len(board.grid), board.cols)]
    lines = [f"name = {toml_string(board.name)}", f"about = {toml_string(board.about)}"]
    lines += [f"goal = {list(divmod(board.goal, board.cols))}", "grid = ["]
    lines += [f'    "{" ".join(letters[colour] for colour in row)}",' for row in rows]
    lines += ["]", "", "[colours]"]
    lines += [f'{colour} = "{letter}"' for colour, letter in zip(board.colours, letters, strict=True)]
    scoring = board.scoring
    lines += ["", "[scoring]", f"goal = {scoring.goal}", f"chip = {scoring.chip}", f"distance = {scoring.distance}"]
    for name, start, chips, hands in zip(board.names, board.starts, board.chips, board.hands, strict=True):
        lines += ["", f"[players.{name}]", f"start = {list(divmod(start, board.cols))}"]
        lines += [f"chips = {chips_table(board, chips)}"]
        lines += [f"hands = [{', '.join(chips_table(board, hand) for hand in hands)}]"]
    return "\n".join(lines) + "\n"


def chips_table(board: Board, chips: Chips) -> str:
    """Chips as a TOML table."""
    counts = ", ".join(f"{colour} = {count}" for colour, count in zip(board.colours, chips, strict=True) if count)
    return f"{{ {counts} }}"


def toml_string(text: str) -> str:
    """Text as TOML writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


OWN = ("gray", "yellow", "purple", "orange")
"""The colour that each player lacks."""
COMMON = ("red", "green", "blue", "white")
"""Colours that all players hold."""
Side = Annotated[int, msgspec.Meta(ge=2, le=30)]


class Layers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board in layers on which player *i* lacks *missing[i]* chips; *spare* is how many they hold beyond their needs.

    All squares of one distance to the goal form a layer, and every way to the goal crosses each layer nearer than its
    start. Each player has a colour of their own for as many layers as they should lack chips, and none of those chips;
    the others hold them. All other layers are in colours that all players hold enough of.

    Players start in the corners of the last row and, if they are more than two, between them; the goal is in the middle
    of the first row.
    """

    rows: Side = 7
    cols: Side = 5
    missing: tuple[Annotated[int, msgspec.Meta(ge=0, le=20)], ...] = (3, 3)
    spare: Annotated[int, msgspec.Meta(ge=0, le=40)] = 8
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0

    def board(self, name: str) -> Board:
        """The board, drawn by the seed."""
        goal = self.cols // 2
        starts = self.starts()
        if not 2 <= len(self.missing) <= 4 or len(set(starts)) < len(starts) or self.rows < 2:
            raise BadSpec(name, "2 to 4 numbers of missing chips, and a column for each player")
        distances = [row + abs(col - goal) for row in range(self.rows) for col in range(self.cols)]
        nearest = min(distances[start] for start in starts)
        if sum(self.missing) > nearest:
            raise BadSpec(name, f"at most {nearest} chips can be missing on a board of this size, all players together")
        layers = self.layer_colours(nearest, max(distances))
        chips = self.starting_chips(layers, [distances[start] for start in starts], name)
        return Board(
            name=name,
            rows=self.rows,
            cols=self.cols,
            colours=(*COMMON, *OWN[: len(starts)]),
            grid=tuple(layers[distance] for distance in distances),
            goal=goal,
            starts=starts,
            chips=chips,
            hands=tuple(map(self.hands, range(len(starts)), chips)),
            about=f"made in layers: the players lack {', '.join(map(str, self.missing))} chips",
            names=tuple(f"P{player}" for player in range(len(starts))),
        )

    def hands(self, player: int, chips: Chips) -> tuple[Chips, ...]:
        """Where chips are hidden, a player may also have been dealt what they lack, instead of as many spare chips."""
        supplied, own = list(chips), len(COMMON) + player
        for number in range(min(self.missing[player], self.spare)):
            supplied[number % len(COMMON)] -= 1
            supplied[own] += 1
        return tuple(dict.fromkeys((chips, tuple(supplied))))

    def starts(self) -> tuple[int, ...]:
        """Where the players start, evenly along the last row."""
        last = (self.rows - 1) * self.cols
        apart = (self.cols - 1) / max(1, len(self.missing) - 1)
        return tuple(last + round(player * apart) for player in range(len(self.missing)))

    def layer_colours(self, nearest: int, farthest: int) -> list[int]:
        """The colour of each layer by its distance; the players' own colours lie between all starts and the goal."""
        rng = stream(self.seed, "trails layers", repr(self))
        own = [len(COMMON) + player for player, count in enumerate(self.missing) for _ in range(count)]
        inner = [*own, *(int(rng.integers(len(COMMON))) for _ in range(nearest - len(own)))]
        outer = [int(rng.integers(len(COMMON))) for _ in range(farthest + 1 - nearest)]
        return [inner[place] for place in rng.permutation(nearest)] + outer

    def starting_chips(self, layers: list[int], distances: list[int], name: str) -> tuple[Chips, ...]:
        """What each player needs except their own colour; enough to supply every other's colour; and the spare."""
        players = len(self.missing)
        dealt = []
        for player, distance in enumerate(distances):
            crossed = layers[:distance]
            chips = [crossed.count(colour) for colour in range(len(COMMON) + players)]
            chips[len(COMMON) + player] = 0
            for other, count in enumerate(self.missing):
                if other != player:
                    chips[len(COMMON) + other] += -(-count // (players - 1))
            for extra in range(self.spare):
                chips[extra % len(COMMON)] += 1
            dealt.append(tuple(chips))
        if max(sum(held[colour] for held in dealt) for colour in range(len(dealt[0]))) > MOST_CHIPS:
            raise BadSpec(name, f"more than {MOST_CHIPS} chips of one colour would be in play")
        return tuple(dealt)


FOLDER = Path(__file__).parent / "data"
BOARDS: Mapping[str, Path] = {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}
"""The boards that come with the game, by name."""


def load(board: str) -> Board:
    """The board of that name or file, or a generated one: `layers(rows=9, cols=7, missing=[2, 4], seed=1)`."""
    if board.startswith("layers"):
        return _generate_board(board)
    path = BOARDS.get(board, Path(board))
    if path.suffix != ".toml":
        raise UnknownName("board", board, tuple(BOARDS), "(or a .toml file, or layers(rows=7, cols=5, seed=1))")
    return _read(path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Board:
    """The board of a file, read again when the file has *changed*."""
    return read_board(path)


@lru_cache(maxsize=64)
def _generate_board(text: str) -> Board:
    """The board that a spec of the generator makes."""
    spec = shared_spec(text)
    if spec.name != "layers":
        raise UnknownName("generator of boards", spec.name, ("layers",))
    return convert_value(spec.parameters, Layers, lambda found: BadSpec(text, str(found))).board(text)
