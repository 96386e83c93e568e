"""The cards and bets of Kuhn poker as named fields, and what its words leave open."""

from typing import Any

import msgspec

from kibitz.core.kit.about import read_texts
from kibitz.core.kit.positions import Fields
from kibitz.games.kuhn.rules import RANKS, UNKNOWN, Kuhn, State


class KuhnBoard(msgspec.Struct, frozen=True):
    """The deck, lowest card first, and the chips of the ante and of a bet."""

    deck: list[str]
    ante: int
    bet: int


class KuhnView(msgspec.Struct, frozen=True):
    """The card of each player dealt so far (null: hidden), all passes and bets in order, and the chips each put in."""

    cards: list[str | None]
    moves: list[str]
    stakes: list[int]


def word_values(game: Kuhn) -> dict[str, Any]:
    """What the words leave open."""
    ranks = [RANKS[card] for card in sorted(game.deck)]
    names = read_texts("kibitz.games.kuhn:words.toml")["cards"]
    return {
        "cards": len(ranks),
        "deck": f"{', '.join(ranks[:-1])} and {ranks[-1]}",
        "labels": {rank: names[rank] for rank in ranks},
    }


def board(game: Kuhn) -> KuhnBoard:
    return KuhnBoard([RANKS[card] for card in sorted(game.deck)], 1, 1)


def view(state: State) -> KuhnView:
    cards = [None if card == UNKNOWN else RANKS[card] for card in state.cards]
    return KuhnView(cards, [("pass", "bet")[move] for move in state.moves], state.stakes())


FIELDS = Fields(board, view)
