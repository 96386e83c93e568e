"""A map, its cards and its missions, and how they are read: presets and Domination's `.map` files. All count from 0."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from kibitz.core.errors import BadDefinition, UnknownName
from kibitz.core.files import read_text
from kibitz.core.wording import count_words
from kibitz_lab.games.definition_file import LARGEST

INFANTRY, CAVALRY, ARTILLERY, WILD = 0, 1, 2, 3
SYMBOLS = ("infantry", "cavalry", "artillery", "wild")
WILD_NAME = SYMBOLS[WILD]
"""What wild cards are called; no territory is."""
ANY = -1
"""The slot of a mission that any continent fills."""


class Continent(msgspec.Struct, frozen=True):
    """A continent: a player who holds all of it gets *bonus* armies a turn."""

    name: str
    bonus: int
    colour: str = "gray"


class Territory(msgspec.Struct, frozen=True):
    """A territory: its continent, the territories that can be attacked from it, and where it is drawn."""

    name: str
    continent: int
    neighbours: tuple[int, ...] = ()
    place: tuple[int, int] = (0, 0)


class Card(msgspec.Struct, frozen=True):
    """A card: its symbol, and its territory unless it is wild."""

    symbol: int
    territory: int | None = None


class Mission(msgspec.Struct, frozen=True):
    """A mission: destroy a player, hold some territories, or hold continents (by slot: a continent, ANY or None)."""

    destroy: int | None = None
    territories: int = 0
    armies: int = 0
    """On each of the territories that count."""
    continents: tuple[int | None, ...] = (None, None, None)
    text: str = ""

    @property
    def named_continents(self) -> tuple[int, ...]:
        """The continents that are named."""
        return tuple(each for each in self.continents if each is not None and each != ANY)

    @property
    def least_continents(self) -> int:
        """How many continents to hold: ANY in a slot asks for as many as the slot's number."""
        return max((slot for slot, each in enumerate(self.continents, 1) if each == ANY), default=0)

    @property
    def asks_continents(self) -> bool:
        """Whether it is about continents at all."""
        return any(each is not None for each in self.continents)


class Deck(msgspec.Struct, frozen=True):
    """The cards and missions that come with a map, in the order of their file."""

    cards: tuple[Card, ...]
    missions: tuple[Mission, ...] = ()


class Board(msgspec.Struct, frozen=True, dict=True, cache_hash=True):
    """A map and its deck."""

    name: str
    continents: tuple[Continent, ...]
    territories: tuple[Territory, ...]
    deck: Deck

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The territories that armies may go to from each territory."""
        return tuple(territory.neighbours for territory in self.territories)

    @cached_property
    def approaches(self) -> tuple[tuple[int, ...], ...]:
        """The territories that armies may come from to each territory."""
        found: list[list[int]] = [[] for _ in self.territories]
        for place, ways in enumerate(self.neighbours):
            for to in ways:
                found[to].append(place)
        return tuple(map(tuple, found))

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The territories of each continent."""
        found: list[list[int]] = [[] for _ in self.continents]
        for place, territory in enumerate(self.territories):
            found[territory.continent].append(place)
        return tuple(map(tuple, found))

    @cached_property
    def entries(self) -> tuple[tuple[int, ...], ...]:
        """The territories of each continent that can be attacked from outside of it."""
        exposed = {
            to
            for territory in self.territories
            for to in territory.neighbours
            if self.territories[to].continent != territory.continent
        }
        return tuple(tuple(place for place in members if place in exposed) for members in self.members)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Territories by their names, whatever the case."""
        return {territory.name.casefold(): place for place, territory in enumerate(self.territories)}

    @cached_property
    def wild(self) -> int:
        """The number of a wild card where other cards have that of their territory."""
        return len(self.territories)

    @cached_property
    def symbols(self) -> tuple[int, ...]:
        """The symbol of every territory's card, and last that of the wild ones."""
        by_territory = {card.territory: card.symbol for card in self.deck.cards}
        return (*(by_territory.get(place, WILD) for place in range(self.wild)), WILD)

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """All cards, each as its territory or `wild`, sorted."""
        return tuple(sorted(self.wild if card.territory is None else card.territory for card in self.deck.cards))

    def card_name(self, card: int) -> str:
        """What a card is called."""
        return WILD_NAME if card == self.wild else self.territories[card].name

    def mission_name(self, mission: Mission, holder: int | None = None) -> str:
        """What a mission asks, in a few words: `Asia + Africa`, `24 territories`; of its *holder*, if that is known."""
        if mission.asks_continents:
            names = [self.continents[each].name for each in mission.named_continents]
            return " + ".join([*names, *["any"] * mission.continents.count(ANY)])
        held = f"{mission.territories} territories" + (f" with {mission.armies}" if mission.armies > 1 else "")
        if mission.destroy is None:
            return held
        if mission.destroy == holder:
            return f"{held} (the card: destroy themselves)"
        return f"destroy player {mission.destroy} or {held}"


class Line(msgspec.Struct, frozen=True):
    """A line that is not empty, and its place."""

    path: Path
    number: int
    section: str
    """Empty before the first section."""
    text: str

    @property
    def words(self) -> list[str]:
        return self.text.split()

    def wrong(self, why: str) -> BadDefinition:
        """The error that names this line."""
        return BadDefinition(self.path, why, self.number)

    def whole(self, word: str, what: str, least: int, most: int | None = None) -> int:
        """A number within its bounds."""
        if not (word.isascii() and word.removeprefix("-").isdigit()) or len(word) > 9:
            raise self.wrong(f"{what} is a whole number, not {word[:40]!r}")
        if int(word) < least or (most is not None and int(word) > most):
            bounds = f"from {least} to {most}" if most is not None else f"{least} or more"
            raise self.wrong(f"{what} is {bounds}, not {word}")
        return int(word)

    def expect_words(self, count: int, form: str) -> list[str]:
        """The words of a line that must have *count* of them."""
        if len(self.words) != count:
            raise self.wrong(f"{count_words(len(self.words), 'word', 'words')} where {form!r} belongs")
        return self.words


def lines_of(path: Path, sections: tuple[str, ...]) -> Iterator[Line]:
    """The lines that are neither comments nor empty; raises where a section is none of *sections*."""
    section = ""
    text = read_text(path, BadDefinition, largest=LARGEST)
    for number, raw in enumerate(text.splitlines(), 1):
        stripped = raw.strip()
        if not stripped or stripped.startswith(";"):
            continue
        line = Line(path, number, section, stripped)
        if stripped.startswith("["):
            section = stripped.removeprefix("[").removesuffix("]")
            if section not in sections:
                raise line.wrong(f"no section is called {stripped!r}; there are {', '.join(sections)}")
            continue
        yield line


WORDS = {"Infantry": INFANTRY, "Cavalry": CAVALRY, "Cannon": ARTILLERY}
WILDCARD = "wildcard"
MOST_PLAYERS = 6
SLOTS = 3


def read_cards(path: Path, territories: int, continents: int) -> Deck:
    """The deck of a file, for a map of so many territories and continents."""
    cards: list[Card] = []
    missions: list[Mission] = []
    for line in lines_of(path, ("cards", "missions")):
        if line.section == "cards":
            cards.append(_card(line, territories, cards))
        elif line.section == "missions":
            missions.append(_mission(line, territories, continents))
        else:
            raise line.wrong("it stands before the section [cards]")
    if not cards:
        raise BadDefinition(path, "no cards; the section [cards] names one a line")
    return Deck(tuple(cards), tuple(missions))


def _card(line: Line, territories: int, before: Sequence[Card]) -> Card:
    if line.words[0] == WILDCARD:
        line.expect_words(1, WILDCARD)
        return Card(WILD)
    symbol, word = line.expect_words(2, "Infantry|Cavalry|Cannon NUMBER")
    if symbol not in WORDS:
        raise line.wrong(f"no card is called {symbol[:40]!r}; there are {', '.join(WORDS)} and {WILDCARD}")
    place = line.whole(word, "the territory of a card", 1, territories) - 1
    if any(card.territory == place for card in before):
        raise line.wrong(f"a second card of territory {place + 1}")
    return Card(WORDS[symbol], place)


def _mission(line: Line, territories: int, continents: int) -> Mission:
    parts = line.text.split(None, 3 + SLOTS)
    if len(parts) < 4 + SLOTS:
        raise line.wrong("a mission is 'P C A k1 k2 k3 TEXT'")
    player = line.whole(parts[0], "the player to destroy", 0, MOST_PLAYERS)
    count = line.whole(parts[1], "the number of territories", 0, territories)
    armies = line.whole(parts[2], "the number of armies", 0)
    slots = tuple(_slot(line, word, continents) for word in parts[3 : 3 + SLOTS])
    found = Mission(player - 1 if player else None, count, armies, slots, parts[-1])
    if found.destroy is None and not count and not found.asks_continents:
        raise line.wrong("a mission that asks for nothing")
    return found


def _slot(line: Line, word: str, continents: int) -> int | None:
    if word == "*":
        return ANY
    number = line.whole(word, "a continent", 0, continents)
    return number - 1 if number else None


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


CLASSIC = Path(__file__).parent / "data" / "classic.map"
PRESETS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "classic83": (),
    "dom-luca82": (("East Africa", "Middle East"),),
    "dom-risk81": (("Iceland", "Scandinavia"), ("Scandinavia", "Great Britain")),
}
"""The maps that come with the game: the borders each leaves out of the classic one."""


def load(name: str) -> Board:
    """The board of a preset, or of a `.map` file."""
    path = CLASSIC if name in PRESETS else Path(name)
    if path.suffix != ".map":
        raise UnknownName("map", name, tuple(PRESETS), "(or a file of Domination, .map)")
    board = _read(path, path.stat().st_mtime_ns if path.is_file() else 0)
    return _without(board, PRESETS.get(name, ()))


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Board:
    """The board of a file, read again when the file has *changed*."""
    return read_map(path)


@lru_cache(maxsize=16)
def _without(board: Board, borders: tuple[tuple[str, str], ...]) -> Board:
    """A board less some borders, both ways."""
    names = [territory.name for territory in board.territories]
    left_out = {(names.index(a), names.index(b)) for one, other in borders for a, b in ((one, other), (other, one))}
    territories = tuple(
        replace(each, neighbours=tuple(to for to in each.neighbours if (place, to) not in left_out))
        for place, each in enumerate(board.territories)
    )
    return replace(board, territories=territories) if borders else board
