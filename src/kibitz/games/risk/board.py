"""A map, its cards and its missions: data that never changes. Territories, continents and players count from 0."""

from functools import cached_property

import msgspec

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
