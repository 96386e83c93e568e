"""The first phases of a turn: trading cards for armies, and placing armies."""

from collections import Counter

from kibitz import core
from kibitz.games.risk import phases
from kibitz.games.risk.cards import SET, begins_set, worth
from kibitz.games.risk.phases import AMOUNTS
from kibitz.games.risk.rules.position import UNKNOWN, Position
from kibitz.games.risk.rules.winning import end_if_won

MUST_TRADE = 5
"""With so many cards a player trades at the start of their turn."""


def trades(state: Position) -> list[int]:
    """Cards that can begin or continue a set; where hands are unknown, those they may hold."""
    hand = state.hands[state.mover]
    known = [card for card in hand if card != UNKNOWN]
    held = Counter(known + state.unseen_cards() if UNKNOWN in hand else known)
    symbols = state.board.symbols
    counts = Counter(dict.fromkeys(symbols, 0))
    for card, count in held.items():
        counts[symbols[card]] += count
    shown = [symbols[card] for card in state.shown]
    rule = state.game.cards
    found = []
    for card in sorted(held):
        counts[symbols[card]] -= 1
        if begins_set(rule, [*shown, symbols[card]], counts):
            found.append(card)
        counts[symbols[card]] += 1
    if not state.shown and not must_trade(state):
        found.append(state.board.wild + 1)
    return found


def must_trade(state: Position) -> bool:
    """Whether the mover must trade."""
    if state.game.cards == "italian":
        return False
    return state.phase == phases.SPOILS or len(state.hands[state.mover]) >= MUST_TRADE


def trade(state: Position, card: int) -> None:
    """Put down a card, the third of which makes a set; or keep them."""
    if card > state.board.wild:
        state.phase = phases.PLACE
        return
    hand = list(state.hands[state.mover])
    hand.remove(card if card in hand else UNKNOWN)
    state.hands[state.mover] = tuple(hand)
    state.shown += (card,)
    if len(state.shown) == SET:
        trade_in(state)


def trade_in(state: Position) -> None:
    """Armies for a set; the first card of an own territory puts two there."""
    state.to_place += worth(state.game.cards, tuple(state.board.symbols[card] for card in state.shown), state.traded)
    own = [card for card in state.shown if card < state.board.wild and state.owners[card] == state.mover]
    if own:
        state.armies[own[0]] += 2
    state.discards = tuple(sorted(state.discards + state.shown))
    state.shown = ()
    state.traded += state.game.cards == "increasing"
    enough = MUST_TRADE if state.phase == phases.SPOILS else SET
    if len(state.hands[state.mover]) < enough:
        state.phase = phases.PLACE


def placements(state: Position) -> core.RangedActions:
    starts = (place * AMOUNTS for place in state.own_territories())
    return core.RangedActions([range(start + 1, start + state.to_place + 1) for start in starts])


def place_armies(state: Position, action: int) -> None:
    place, count = divmod(action, AMOUNTS)
    state.armies[place] += count
    state.to_place -= count
    if not end_if_won(state) and state.to_place == 0:
        state.phase = phases.ATTACK
