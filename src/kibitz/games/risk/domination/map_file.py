"""Domination's `.map` files: continents, countries and borders, which are one way each."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from kibitz.core.errors import BadDefinition
from kibitz.games.risk.board import WILD_NAME, Board, Continent, Territory
from kibitz.games.risk.domination.cards_file import read_cards
from kibitz.games.risk.domination.sections import Line, lines_of

FILES = ("pic", "map", "crd", "prv")
CARDS = "crd"
MOST_BONUS = 1000
SECTIONS = ("files", "continents", "countries", "borders")


def read_map(path: Path, cards: Path | None = None) -> Board:
    """The board of a file and of the cards file it names, or of *cards*."""
    reader = _Reader(path)
    for line in lines_of(path, SECTIONS):
        getattr(reader, line.section or "head")(line)
    return reader.board(cards)


class _Reader:
    """Reads the lines of a map, section by section."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.stem
        self.version: int | None = None
        self.named: dict[str, str] = {}
        self.areas: list[Continent] = []
        self.territories: list[Territory] = []
        self.lines: dict[Continent | Territory, Line] = {}
        """The line that defines each."""
        self.ways: dict[int, tuple[int, ...]] = {}

    def head(self, line: Line) -> None:
        """Read a line before any section; unknown ones are skipped, as Domination does."""
        key, _, value = line.text.partition(" ")
        if key == "name":
            self.name = value.strip()
        elif key == "ver":
            self.version = line.whole(value.strip(), "the version", 0)

    def files(self, line: Line) -> None:
        key, value = line.expect_words(2, "pic|map|crd|prv FILE")
        if key not in FILES:
            raise line.wrong(f"no file is called {key[:40]!r}; there are {', '.join(FILES)}")
        if key == CARDS and (Path(value).name != value or value == ".." or set(value) & set("\\\0")):
            raise line.wrong(f"the cards are a file beside the map, named without a folder, not {value[:80]!r}")
        self.named[key] = value

    def continents(self, line: Line) -> None:
        name, bonus, colour = line.expect_words(3, "NAME BONUS COLOUR")
        area = Continent(known_as(name, self.areas, line), line.whole(bonus, "the bonus", 0, MOST_BONUS), colour)
        self.areas.append(area)
        self.lines[area] = line

    def countries(self, line: Line) -> None:
        number, name, continent, x, y = line.expect_words(5, "NUMBER NAME CONTINENT X Y")
        expected = len(self.territories) + 1
        if line.whole(number, "the number of a country", 1) != expected:
            raise line.wrong(f"country {number} where {expected} belongs; they are numbered from 1 without gaps")
        where = line.whole(continent, "the continent of a country", 1, len(self.areas)) - 1
        place = line.whole(x, "x", 0), line.whole(y, "y", 0)
        territory = Territory(known_as(name, self.territories, line), where, place=place)
        self.territories.append(territory)
        self.lines[territory] = line

    def borders(self, line: Line) -> None:
        most = len(self.territories)
        origin, *ways = (line.whole(word, "a country", 1, most) - 1 for word in line.words)
        if origin in self.ways:
            raise line.wrong(f"the borders of country {origin + 1} a second time")
        if origin in ways or len(set(ways)) < len(ways):
            raise line.wrong(f"country {origin + 1} borders on itself, or on another twice")
        self.ways[origin] = tuple(sorted(ways))

    def board(self, cards: Path | None) -> Board:
        """The board, if it can be played on."""
        if not self.territories:
            raise BadDefinition(self.path, "no countries; is it a Domination map, and is it whole?")
        if CARDS not in self.named:
            raise BadDefinition(self.path, "no cards: the section [files] says 'crd FILE'")
        for place, continent in enumerate(self.areas):
            if all(each.continent != place for each in self.territories):
                raise self.lines[continent].wrong(f"continent {continent.name!r} has no countries")
        reached = {to for ways in self.ways.values() for to in ways}
        for place, each in enumerate(self.territories):
            if place not in reached and not self.ways.get(place):
                raise self.lines[each].wrong(f"country {place + 1}, {each.name!r}, borders on nothing")
        territories = tuple(replace(each, neighbours=self.ways.get(n, ())) for n, each in enumerate(self.territories))
        deck = read_cards(cards or self.path.with_name(self.named[CARDS]), len(territories), len(self.areas))
        return Board(self.name, tuple(self.areas), territories, deck, self.version, tuple(self.named.items()))


def known_as(name: str, others: Sequence[Continent | Territory], line: Line) -> str:
    """A readable name, distinct from *others* and from the rest of an action."""
    read = " ".join(name.replace("_", " ").split())
    if not read or ">" in read or read.casefold() == WILD_NAME:
        raise line.wrong(f"{name[:40]!r} is no name; one has letters, no '>', and is not {WILD_NAME!r}")
    if any(read.casefold() == each.name.casefold() for each in others):
        raise line.wrong(f"a second one called {name[:40]!r}")
    return read


def one_word(name: str) -> str:
    """A name as one word."""
    return name.replace(" ", "_")


def map_text(board: Board) -> str:
    """A board as such a file."""
    lines = [f"name {board.name}", *([f"ver {board.version}"] if board.version is not None else [])]
    lines += ["", "[files]", *(f"{key} {value}" for key, value in board.files or ((CARDS, "map.cards"),))]
    lines += ["", "[continents]", *(f"{one_word(c.name)} {c.bonus} {c.colour}" for c in board.continents)]
    lines += ["", "[countries]"]
    for number, each in enumerate(board.territories, 1):
        lines.append(f"{number} {one_word(each.name)} {each.continent + 1} {each.place[0]} {each.place[1]}")
    lines += ["", "[borders]"]
    for number, each in enumerate(board.territories, 1):
        lines.append(" ".join(str(value) for value in (number, *(to + 1 for to in each.neighbours))))
    return "\n".join(lines) + "\n"
