"""Domination's `.cards` files: cards, and missions as `P C A k1 k2 k3 text`."""

from collections.abc import Sequence
from pathlib import Path

from kibitz.core.errors import BadDefinition
from kibitz.games.risk.board import ANY, ARTILLERY, CAVALRY, INFANTRY, WILD, Card, Deck, Mission
from kibitz.games.risk.domination.sections import Line, lines_of

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
