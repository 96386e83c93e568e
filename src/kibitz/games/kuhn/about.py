"""Kuhn poker in words (`ABOUT`), and its cards and bets as named fields (`FIELDS`)."""

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, fixed_form, numbered_players
from kibitz.core.abilities.fields import Fields
from kibitz.games.kuhn.rules import RANKS, UNKNOWN, Kuhn, State

WORDS = dict(zip(RANKS, ("eight", "nine", "ten", "jack", "queen", "king", "ace"), strict=True))
STRATEGIES = {
    "solid": "bets and calls with the better half of the deck",
    "rock": "puts a chip in only with the best card",
    "maniac": "bets and calls nearly always, with any card",
    "bluffer": "plays good cards, and also bets the worst card every second time",
}


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


def about(game: core.Game) -> About:
    """Kuhn poker for any number of players."""
    assert isinstance(game, Kuhn)
    deck = [RANKS[card] for card in sorted(game.deck)]
    return About(
        title="Kuhn poker",
        goal="Win the pot with the highest card, or because all others fold.",
        rules=(
            f"The deck has {len(deck)} cards, {', '.join(deck[:-1])} and {deck[-1]}, lowest first. Each of the "
            f"{game.players} players puts one chip into the pot and is dealt one card, which only they see. Beginning "
            "with player 0, players in turn pass or bet one more chip. As soon as one player bets, each of the others "
            "has exactly one more turn: bet means call, by one chip, and pass means fold. If all pass, the highest "
            "card wins the pot. If there was a bet, the highest card among those who bet or called wins it. You earn "
            "the pot if you win it, less what you put in. Cards are shown at the end only if at least two players "
            "stayed in."
        ),
        players=numbered_players(game),
        actions=(
            fixed_form("pass", "put no chip in; after a bet, fold"),
            fixed_form("bet", "put one more chip in; after a bet, call"),
        ),
        secret="The card of each other player.",
        labels={rank: f"the {WORDS[rank]}" for rank in deck},
        strategies=STRATEGIES,
        minutes=2,
        glossary={
            "pot": "all chips that were put in; the winner takes them",
            "ante": "the chip that everyone puts in before the cards are dealt",
            "fold": "give up the pot instead of paying for a bet",
            "bluff": "bet with a bad card, so that others fold better ones",
        },
        colours={"?": "a card that you cannot see", "framed": "the player to move"},
        opponents={
            "solid": "Plays the better half of the cards, and never bluffs.",
            "bluffer": "Bets the worst card every second time: will you call?",
            "maniac": "Bets nearly anything.",
        },
    )


def board(game: Kuhn) -> KuhnBoard:
    return KuhnBoard([RANKS[card] for card in sorted(game.deck)], 1, 1)


def view(state: State) -> KuhnView:
    cards = [None if card == UNKNOWN else RANKS[card] for card in state.cards]
    return KuhnView(cards, [("pass", "bet")[move] for move in state.moves], state.stakes())


FIELDS = Fields(board, view)
