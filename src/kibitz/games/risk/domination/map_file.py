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


def read_map(path: Path) -> Board:
    """The board of a file and of the cards file it names."""
    reader = _Reader(path)
    for line in lines_of(path, SECTIONS):
        getattr(reader, line.section or "head")(line)
    return reader.board()


class _Reader:
    """Reads the lines of a map, section by section."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.stem
        self.cards: str | None = None
        """The name of the cards file."""
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

    def files(self, line: Line) -> None:
        key, value = line.expect_words(2, "pic|map|crd|prv FILE")
        if key not in FILES:
            raise line.wrong(f"no file is called {key[:40]!r}; there are {', '.join(FILES)}")
        if key == CARDS:
            if Path(value).name != value or value == ".." or set(value) & set("\\\0"):
                raise line.wrong(f"the cards are a file beside the map, named without a folder, not {value[:80]!r}")
            self.cards = value

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

    def board(self) -> Board:
        """The board, if it can be played on."""
        if not self.territories:
            raise BadDefinition(self.path, "no countries; is it a Domination map, and is it whole?")
        if self.cards is None:
            raise BadDefinition(self.path, "no cards: the section [files] says 'crd FILE'")
        for place, continent in enumerate(self.areas):
            if all(each.continent != place for each in self.territories):
                raise self.lines[continent].wrong(f"continent {continent.name!r} has no countries")
        reached = {to for ways in self.ways.values() for to in ways}
        for place, each in enumerate(self.territories):
            if place not in reached and not self.ways.get(place):
                raise self.lines[each].wrong(f"country {place + 1}, {each.name!r}, borders on nothing")
        territories = tuple(replace(each, neighbours=self.ways.get(n, ())) for n, each in enumerate(self.territories))
        deck = read_cards(self.path.with_name(self.cards), len(territories), len(self.areas))
        return Board(self.name, tuple(self.areas), territories, deck)


def known_as(name: str, others: Sequence[Continent | Territory], line: Line) -> str:
    """A readable name, distinct from *others* and from the rest of an action."""
    read = " ".join(name.replace("_", " ").split())
    if not read or ">" in read or read.casefold() == WILD_NAME:
        raise line.wrong(f"{name[:40]!r} is no name; one has letters, no '>', and is not {WILD_NAME!r}")
    if any(read.casefold() == each.name.casefold() for each in others):
        raise line.wrong(f"a second one called {name[:40]!r}")
    return read
