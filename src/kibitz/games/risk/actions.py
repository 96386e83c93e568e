"""The legal actions of every phase, as ranges in ascending order, and their notation: `attack Alaska>Kamchatka`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kibitz import core
from kibitz.core.kernels.position import zeros
from kibitz.games.risk.cards import begins_set, must_trade, unseen_count
from kibitz.games.risk.dice import MOST_DICE
from kibitz.games.risk.phases import (
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
    ends,
    pair,
)
from kibitz.games.risk.position import NOBODY, Position, Setting
from kibitz.games.risk.rules import mark_reachable

if TYPE_CHECKING:
    from kibitz.games.risk.board import Board

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


def action_text(board: "Board", phase: int, action: int) -> str:
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


def action_of(board: "Board", phase: int, text: str) -> int | None:
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
