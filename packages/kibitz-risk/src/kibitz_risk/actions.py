"""The actions of every phase and their notation: legal orders in ascending order, sets of cards, draws of chance."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Ints, zeros
from kibitz_risk.board import ARTILLERY, CAVALRY, INFANTRY, WILD, Board
from kibitz_risk.dice import MOST_DICE, armies_lost
from kibitz_risk.phases import (
    AMOUNTS,
    ATTACK,
    CAPITAL,
    CONQUER,
    DEAL,
    DEFEND,
    DICE,
    DRAFT,
    DRAW,
    END_ATTACK,
    FIRST,
    FORTIFY,
    MISSION,
    PLACE,
    RETREAT,
    ROLL,
    SETUP,
    SPOILS,
    STAY,
    TERRITORY,
    TRADE,
)
from kibitz_risk.position import ADJACENT, CARD_RULES, INCREASING, ITALIAN, NOBODY, CardRule, Position, Setting

VERBS = {
    DEAL: "deal",
    DRAFT: "claim",
    SETUP: "set",
    CAPITAL: "capital",
    FIRST: "first",
    MISSION: "mission",
    PLACE: "place",
}
VERBS |= {TRADE: "trade", SPOILS: "trade", ATTACK: "attack", ROLL: "roll", DEFEND: "defend", DICE: "defender loses"}
VERBS |= {CONQUER: "move", FORTIFY: "fortify", DRAW: "card"}
PASSES = {ATTACK: (END_ATTACK, "end attack"), ROLL: (RETREAT, "retreat"), FORTIFY: (STAY, "stay")}
NO_TRADE = "no trade"


def action_text(board: Board, phase: int, action: int) -> str:
    """The notation of an action in a phase."""
    if phase in PASSES and action == PASSES[phase][0]:
        return PASSES[phase][1]
    verb, territories = VERBS[phase], board.territories
    if phase in TERRITORY:
        return f"{verb} {territories[action].name}"
    if phase in (TRADE, SPOILS):
        return NO_TRADE if action > board.wild else f"{verb} {board.card_name(action)}"
    if phase == DRAW:
        return f"{verb} {board.card_name(action)}"
    if phase == PLACE:
        place, count = divmod(action, AMOUNTS)
        return f"{verb} {count} {territories[place].name}"
    if phase in (ATTACK, FORTIFY):
        way, count = (action, 0) if phase == ATTACK else divmod(action, AMOUNTS)
        origin, to = ends(way, len(territories))
        between = f"{verb} {territories[origin].name}>{territories[to].name}"
        return between if phase == ATTACK else f"{between} {count}"
    return f"{verb} {action}"


def action_of(board: Board, phase: int, text: str) -> int | None:
    """The action that *text* may mean in a phase, legal or not; None where it means nothing."""
    wanted = " ".join(text.split()).casefold()
    if phase in PASSES and wanted == PASSES[phase][1]:
        return PASSES[phase][0]
    if phase in (TRADE, SPOILS) and wanted == NO_TRADE:
        return board.wild + 1
    verb = VERBS.get(phase)
    if verb is None or not wanted.startswith(f"{verb} "):
        return None
    rest = wanted.removeprefix(verb).strip()
    if phase in TERRITORY:
        return board.numbers.get(rest)
    if phase in (TRADE, SPOILS, DRAW):
        return board.wild if rest == "wild" else board.numbers.get(rest)
    if phase == PLACE:
        count, _, name = rest.partition(" ")
        return _amount(board.numbers.get(name), count)
    if phase in (ATTACK, FORTIFY):
        between, _, count = rest.rpartition(" ") if phase == FORTIFY else (rest, "", "")
        one, _, other = between.partition(">")
        origin, to = board.numbers.get(one), board.numbers.get(other)
        if origin is None or to is None:
            return None
        way = pair(origin, to, len(board.territories))
        return way if phase == ATTACK else _amount(way, count)
    return int(rest) if _is_count(rest) else None


def _amount(where: int | None, count: str) -> int | None:
    return where * AMOUNTS + int(count) if where is not None and _is_count(count) and int(count) < AMOUNTS else None


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 10


def legal_actions(game: Setting, position: Position) -> Sequence[int]:
    """What the player may choose."""
    phase, armies = position.phase, position.armies
    if phase == ATTACK:
        return attacks(game, position)
    if phase == ROLL:
        return range(RETREAT, min(MOST_DICE, armies[position.origin] - 1) + 1)
    if phase == DEFEND:
        return range(1, min(game.defence, armies[position.target]) + 1)
    if phase == CONQUER:
        return range(position.rolled, armies[position.origin])
    if phase == PLACE:
        starts = [place * AMOUNTS for place in territories_of(position, position.mover)]
        return core.RangedActions([range(start + 1, start + position.to_place + 1) for start in starts])
    if phase == FORTIFY:
        return marches(game, position)
    if phase in (TRADE, SPOILS):
        return trades(game, position)
    assert phase in (SETUP, DRAFT, CAPITAL)
    return territories_of(position, NOBODY if phase == DRAFT else position.mover)


def territories_of(position: Position, player: int) -> list[int]:
    """The territories of a player; unowned ones belong to NOBODY."""
    return [place for place, owner in enumerate(position.owners) if owner == player]


def attacks(game: Setting, position: Position) -> list[int]:
    owners, armies, mover = position.owners, position.armies, position.mover
    actions = [END_ATTACK]
    for origin, owner in enumerate(owners):
        if owner == mover and armies[origin] > 1:
            actions += [pair(origin, to, game.territories) for to in game.neighbours[origin] if owners[to] != mover]
    return actions


def trades(game: Setting, position: Position) -> list[int]:
    """Cards that can begin or continue a set; where a hand is unknown, those it may hold."""
    held = position.hands[position.mover][: game.kinds]
    if position.hands[position.mover][game.kinds]:
        held = [count + unseen_count(game, position, card) for card, count in enumerate(held)]
    counts = zeros(4)
    for card, count in enumerate(held):
        counts[game.symbols[card]] += count
    actions = []
    for card, count in enumerate(held):
        symbol = game.symbols[card]
        counts[symbol] -= 1
        if count and begins_set(game, position, symbol, counts):
            actions.append(card)
        counts[symbol] += 1
    return actions if position.shown or must_trade(game, position) else [*actions, game.kinds]


def marches(game: Setting, position: Position) -> core.RangedActions:
    ranges = [range(STAY, STAY + 1)]
    for origin in territories_of(position, position.mover):
        armies = position.armies[origin]
        if armies > 1 and not position.settled[origin]:
            starts = [pair(origin, to, game.territories) * AMOUNTS for to in reachable(game, position, origin)]
            ranges += [range(start + 1, start + armies) for start in starts]
    return core.RangedActions(ranges)


def reachable(game: Setting, position: Position, origin: int) -> list[int]:
    """Where armies of the mover may march to."""
    reached = zeros(game.territories)
    mark_reachable(game, position, origin, reached)
    return [place for place, mark in enumerate(reached) if mark]


@kernel
def mark_reachable(game: Setting, position: Position, origin: int, reached: Ints) -> None:
    """Mark where armies of the mover may march to; *reached* is 0 everywhere."""
    waiting, taken, added = zeros(game.territories), 0, 1
    waiting[0], reached[origin] = origin, 1
    while taken < added:
        for to in game.neighbours[waiting[taken]]:
            if position.owners[to] == position.mover and not reached[to]:
                reached[to] = 1
                if game.fortify != ADJACENT:
                    waiting[added] = to
                    added += 1
        taken += 1
    reached[origin] = 0


def pair(origin: int, to: int, territories: int) -> int:
    """From one territory to another as a number from 1."""
    return 1 + origin * territories + to


def ends(number: int, territories: int) -> tuple[int, int]:
    """The two territories of a `pair`."""
    return divmod(number - 1, territories)


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
def outcome_count(game: Setting, position: Position, action: int) -> int:
    """How many of all equally likely outcomes are this one, dice aside."""
    if position.phase == DRAW:
        return unseen_count(game, position, action)
    if position.phase == DEAL:
        return int(position.owners[action] == NOBODY)
    if position.phase == MISSION:
        for player in range(position.missions_dealt):
            if position.missions[player] == action:
                return 0
    return 1


@kernel
def outcome_kinds(game: Setting, position: Position) -> int:
    """How many different outcomes there may be, dice aside."""
    if position.phase == DRAW:
        return game.kinds
    if position.phase == FIRST:
        return game.players
    return game.deck if position.phase == MISSION else game.territories


@kernel
def chance_outcome(game: Setting, position: Position, draw: float) -> int:
    """The outcome that a draw in [0, 1) falls on. Twin of `drawn_outcome`."""
    if position.phase == DICE:
        return armies_lost(position.rolled, position.defended, draw)
    kinds = outcome_kinds(game, position)
    total, last = 0, 0
    for action in range(kinds):
        total += outcome_count(game, position, action)
    for action in range(kinds):
        count = outcome_count(game, position, action)
        if count:
            last = action
            draw -= count / total
            if draw < 0.0:
                return action
    return last


@kernel
def nth_card(game: Setting, position: Position, number: int) -> int:
    """A card of the deck by its number in their order."""
    for card in range(game.kinds):
        number -= unseen_count(game, position, card)
        if number < 0:
            return card
    return game.kinds - 1
