"""Leduc poker in words (`ABOUT`), and its cards and bets as named fields (`FIELDS`)."""

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm, fixed_form, numbered_players
from kibitz.core.abilities.fields import Fields
from kibitz.games.leduc.rules import ANTE, BETS, MOST_RAISES, NAMES, UNKNOWN, Leduc, State, card_name

STRATEGIES = {
    "solid": "raises a pair or the best card, calls with the middle, folds the worst to a raise",
    "rock": "raises only a pair, calls with the best card, folds the rest to a raise",
    "caller": "calls nearly always, with any card",
    "maniac": "raises nearly always, with any card",
    "bluffer": "plays good cards, and also raises the worst card every second time",
}
WORDS = {"7": "seven", "8": "eight", "9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king"}
SUIT_WORDS = {"s": "spades", "h": "hearts"}


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


def about(game: core.Game) -> About:
    """Leduc poker for any number of players."""
    assert isinstance(game, Leduc)
    deck = deck_of(game)
    return About(
        title="Leduc poker",
        goal="Win the pot with a pair or the highest card, or because all others fold.",
        rules=(
            f"The deck has {len(deck)} cards, {', '.join(deck[:-1])} and {deck[-1]}: two of each rank, lowest first. "
            f"Each of the {game.players} players puts one chip into the pot and is dealt one card, which only they "
            "see. There are two rounds of betting; after the first, one public card is dealt, which counts for "
            "everyone. In each round, beginning with player 0, players in turn call, which means to put in as many "
            f"chips as the others (none, if no one raised), raise by {BETS[0]} chips in the first round and {BETS[1]} "
            f"in the second, or fold after a raise. A round has at most {MOST_RAISES} raises and ends when everyone "
            "has called. At the end, who has a pair with the public card wins the pot, or else the highest rank; "
            "equal ranks share it. You earn what you get of the pot, less what you put in. Cards are shown at the end "
            "only if at least two players stayed in."
        ),
        players=numbered_players(game),
        actions=(
            fixed_form("fold", "give up the pot, after a raise"),
            fixed_form("call", "put in as many chips as the others; none, if no one raised"),
            ActionForm("raise", f"put in {BETS[0]} more than the others, {BETS[1]} in the second round", ("raise",)),
        ),
        secret="The private card of each other player.",
        labels={card: f"the {WORDS[card[0]]} of {SUIT_WORDS[card[1]]}" for card in deck},
        strategies=STRATEGIES,
        minutes=3,
        glossary={
            "pair": "a private card of the same rank as the public one; it beats every other card",
            "raise": "put more chips in than the others, who must follow or fold",
            "fold": "give up the pot instead of paying for a raise",
        },
        colours={"?": "a card that you cannot see", "framed": "the player to move"},
        opponents={
            "solid": "Raises good cards, calls with middling ones, folds the rest.",
            "caller": "Calls nearly always: a bluff will not work.",
            "bluffer": "Raises bad cards now and then.",
        },
    )


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
