"""Cards: which three make a set, what a set is worth in armies, when it must be traded, and which are unseen."""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Ints
from kibitz_risk.board import ARTILLERY, CAVALRY, INFANTRY, WILD
from kibitz_risk.options import INCREASING, ITALIAN, Setting
from kibitz_risk.phases import SPOILS
from kibitz_risk.position import Position

SET = 3
"""Cards a set has."""
MUST_TRADE, MUST_TRADE_SPOILS = 5, 6
"""With so many cards a player trades at the start of their turn; as soon as they have destroyed another."""
RISING = (4, 6, 8, 10, 12, 15)
ALIKE = (4, 6, 8, 12)
"""The values of three infantry, cavalry, artillery and wild cards by the fixed rule."""
ITALIAN_ALIKE = (6, 8, 4)
MIXED, WITH_WILD = 10, 12
assert (INFANTRY, CAVALRY, ARTILLERY, WILD) == (0, 1, 2, 3)


@kernel
def set_value(rule: int, one: int, two: int, three: int, traded: int) -> int:
    """Armies for three symbols after *traded* sets; 0 where they make no set.

    >>> from kibitz_risk.options import FIXED
    >>> set_value(FIXED, INFANTRY, INFANTRY, WILD, 0), set_value(ITALIAN, INFANTRY, CAVALRY, WILD, 0)
    (4, 0)
    """
    wilds = (one == WILD) + (two == WILD) + (three == WILD)
    plain = one if one != WILD else two if two != WILD else three
    alike = one in (plain, WILD) and two in (plain, WILD) and three in (plain, WILD)
    if wilds == 0 and not alike and (one in (two, three) or two == three):
        return 0
    if rule == INCREASING:
        return RISING[traded] if traded < len(RISING) else RISING[-1] + 5 * (traded - len(RISING) + 1)
    if rule == ITALIAN:
        if wilds:
            return WITH_WILD if wilds == 1 and alike else 0
        return ITALIAN_ALIKE[plain] if alike else MIXED
    return ALIKE[plain] if wilds == SET or (alike and wilds < 2) else MIXED


@kernel
def begins_set(game: Setting, position: Position, symbol: int, held: Ints) -> bool:
    """Whether the cards shown and one of *symbol* become a set with others; *held* counts those by symbol."""
    one = game.symbols[position.shown_cards[0]]
    if position.shown == 2:
        return set_value(game.cards, one, game.symbols[position.shown_cards[1]], symbol, 0) > 0
    for two in range(4):
        if position.shown == 1:
            if held[two] and set_value(game.cards, one, symbol, two, 0):
                return True
            continue
        for three in range(two, 4):
            enough = held[two] and held[three] >= 1 + (two == three)
            if enough and set_value(game.cards, symbol, two, three, 0):
                return True
    return False


@kernel
def unseen_count(game: Setting, position: Position, card: int) -> int:
    """How many of a kind of card are in the deck, or on a view in unknown hands."""
    left = game.copies[card] - position.discards[card]
    for place in range(position.shown):
        left -= position.shown_cards[place] == card
    for player in range(game.players):
        left -= position.hands[player][card]
    return left


@kernel
def must_trade(game: Setting, position: Position) -> bool:
    """Whether the mover must put down a set."""
    if game.cards == ITALIAN:
        return False
    return position.phase == SPOILS or position.hand_sizes[position.mover] >= MUST_TRADE


@kernel
def nth_card(game: Setting, position: Position, number: int) -> int:
    """A card of the deck by its number in their order."""
    for card in range(game.kinds):
        number -= unseen_count(game, position, card)
        if number < 0:
            return card
    return game.kinds - 1
