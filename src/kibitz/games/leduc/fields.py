"""The cards and bets of Leduc poker as named fields, and what its words leave open."""

from typing import Any

import msgspec

from kibitz.core.kit.about import read_texts
from kibitz.core.kit.positions import Fields
from kibitz.games.leduc.rules import ANTE, BETS, MOST_RAISES, NAMES, UNKNOWN, Leduc, State, card_name


class LeducBoard(msgspec.Struct, frozen=True):
    """The deck, lowest card first, the chips of the ante and of a raise in each round, and the most raises a round."""

    deck: list[str]
    ante: int
    raises: list[int]
    most_raises: int


class LeducView(msgspec.Struct, frozen=True):
    """The private card of each player dealt so far (null: hidden), the public card (null: not dealt yet), the moves of
    each round in order, and the chips each put in."""

    cards: list[str | None]
    public: str | None
    rounds: list[list[str]]
    stakes: list[int]


def word_values(game: Leduc) -> dict[str, Any]:
    """What the words leave open."""
    deck, texts = deck_of(game), read_texts("kibitz.games.leduc:words.toml")
    return {
        "cards": len(deck),
        "deck": f"{', '.join(deck[:-1])} and {deck[-1]}",
        "bets": BETS,
        "most_raises": MOST_RAISES,
        "labels": {card: f"{texts['ranks'][card[0]]} {texts['suits'][card[1]]}" for card in deck},
    }


def deck_of(game: Leduc) -> list[str]:
    """The names of all cards."""
    return [card_name(card, game) for card in range(game.deck)]


def board(game: Leduc) -> LeducBoard:
    return LeducBoard(deck_of(game), ANTE, list(BETS), MOST_RAISES)


def view(state: State) -> LeducView:
    cards = [None if card == UNKNOWN else card_name(card, state.game) for card in state.cards]
    public = None if state.public is None else card_name(state.public, state.game)
    return LeducView(cards, public, [[NAMES[move] for move in moves] for moves in state.moves], list(state.stakes))


FIELDS = Fields(board, view)
