"""Cards: sets and their values by the three card rules, hands, and the deck."""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.position import Ints
from kibitz.games.risk.board import ARTILLERY, CAVALRY, INFANTRY, WILD
from kibitz.games.risk.phases import PLACE, SPOILS
from kibitz.games.risk.position import CARD_RULES, INCREASING, ITALIAN, CardRule, Position, Setting

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
    """Armies for three symbols after *traded* sets; 0 where they make no set."""
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


def worth(rule: CardRule, symbols: tuple[int, ...], traded: int = 0) -> int:
    """The same by the name of the rule.

    >>> worth("fixed", (INFANTRY, INFANTRY, WILD)), worth("italian", (INFANTRY, CAVALRY, WILD))
    (4, 0)
    """
    one, two, three = symbols
    return set_value(CARD_RULES.index(rule), one, two, three, traded)


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
def trade(game: Setting, position: Position, card: int) -> None:
    """Put down a card, the third of which makes a set; or keep them."""
    mover, hand = position.mover, position.hands[position.mover]
    if card == game.kinds:
        position.phase = PLACE
        return
    hand[card if hand[card] else game.kinds] -= 1
    position.hand_sizes[mover] -= 1
    position.shown_cards[position.shown] = card
    position.shown += 1
    if position.shown == SET:
        trade_in(game, position)


@kernel
def trade_in(game: Setting, position: Position) -> None:
    """Armies for a set; its first card of an own territory puts two there."""
    shown, symbols = position.shown_cards, game.symbols
    value = set_value(game.cards, symbols[shown[0]], symbols[shown[1]], symbols[shown[2]], position.traded)
    position.to_place += value
    for card in shown:
        if card < game.territories and position.owners[card] == position.mover:
            position.armies[card] += 2
            break
    for place in range(SET):
        position.discards[shown[place]] += 1
        shown[place] = 0
    position.shown = 0
    position.traded += game.cards == INCREASING
    if position.hand_sizes[position.mover] < (MUST_TRADE if position.phase == SPOILS else SET):
        position.phase = PLACE


@kernel
def reshuffle(game: Setting, position: Position) -> None:
    """Make a deck of the discards as soon as the last card is drawn; what is traded later waits for the next."""
    if game.recycles and position.left_to_draw == 0:
        for card in range(game.kinds):
            position.left_to_draw += position.discards[card]
            position.discards[card] = 0


@kernel
def pass_hand(position: Position, loser: int, winner: int) -> None:
    """Give all cards of a player to another."""
    hand, other = position.hands[winner], position.hands[loser]
    for card in range(position.slots):
        hand[card] += other[card]
        other[card] = 0
    position.hand_sizes[winner] += position.hand_sizes[loser]
    position.hand_sizes[loser] = 0
