"""The actions of every phase and their notation: legal orders in ascending order, and the outcomes of chance."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Ints, zeros
from kibitz_risk import phases
from kibitz_risk.board import Board
from kibitz_risk.cards import begins_set, must_trade, unseen_count
from kibitz_risk.dice import MOST_DICE, armies_lost
from kibitz_risk.options import ADJACENT, Setting
from kibitz_risk.position import NOBODY, Position

VERBS = {
    phases.DEAL: "deal",
    phases.DRAFT: "claim",
    phases.SETUP: "set",
    phases.CAPITAL: "capital",
    phases.FIRST: "first",
    phases.MISSION: "mission",
    phases.PLACE: "place",
    phases.TRADE: "trade",
    phases.SPOILS: "trade",
    phases.ATTACK: "attack",
    phases.ROLL: "roll",
    phases.DEFEND: "defend",
    phases.DICE: "defender loses",
    phases.CONQUER: "move",
    phases.FORTIFY: "fortify",
    phases.DRAW: "card",
}
PASSES = {
    phases.ATTACK: (phases.END_ATTACK, "end attack"),
    phases.ROLL: (phases.RETREAT, "retreat"),
    phases.FORTIFY: (phases.STAY, "stay"),
}
NO_TRADE = "no trade"


def action_text(board: Board, phase: int, action: int) -> str:
    """The notation of an action in a phase."""
    if phase in PASSES and action == PASSES[phase][0]:
        return PASSES[phase][1]
    verb, territories = VERBS[phase], board.territories
    if phase in phases.TERRITORY:
        return f"{verb} {territories[action].name}"
    if phase in (phases.TRADE, phases.SPOILS):
        return NO_TRADE if action > board.wild else f"{verb} {board.card_name(action)}"
    if phase == phases.DRAW:
        return f"{verb} {board.card_name(action)}"
    if phase == phases.PLACE:
        territory, count = divmod(action, phases.AMOUNTS)
        return f"{verb} {count} {territories[territory].name}"
    if phase in (phases.ATTACK, phases.FORTIFY):
        move, count = (action, 0) if phase == phases.ATTACK else divmod(action, phases.AMOUNTS)
        origin, to = ends(move, len(territories))
        between = f"{verb} {territories[origin].name}>{territories[to].name}"
        return between if phase == phases.ATTACK else f"{between} {count}"
    return f"{verb} {action}"


def action_of(board: Board, phase: int, text: str) -> int | None:
    """The action that *text* may mean in a phase, legal or not; None where it means nothing."""
    wanted = " ".join(text.split()).casefold()
    if phase in PASSES and wanted == PASSES[phase][1]:
        return PASSES[phase][0]
    if phase in (phases.TRADE, phases.SPOILS) and wanted == NO_TRADE:
        return board.wild + 1
    verb = VERBS.get(phase)
    if verb is None or not wanted.startswith(f"{verb} "):
        return None
    rest = wanted.removeprefix(verb).strip()
    if phase in phases.TERRITORY:
        return board.numbers.get(rest)
    if phase in (phases.TRADE, phases.SPOILS, phases.DRAW):
        return board.wild if rest == "wild" else board.numbers.get(rest)
    if phase == phases.PLACE:
        count, _, name = rest.partition(" ")
        return _amount(board.numbers.get(name), count)
    if phase in (phases.ATTACK, phases.FORTIFY):
        between, _, count = rest.rpartition(" ") if phase == phases.FORTIFY else (rest, "", "")
        one, _, other = between.partition(">")
        origin, to = board.numbers.get(one), board.numbers.get(other)
        if origin is None or to is None:
            return None
        move = pair(origin, to, len(board.territories))
        return move if phase == phases.ATTACK else _amount(move, count)
    return int(rest) if _is_count(rest) else None


def _amount(subject: int | None, count: str) -> int | None:
    """The action that moves or places *count* armies; None where the words say no such thing."""
    if subject is None or not _is_count(count) or int(count) >= phases.AMOUNTS:
        return None
    return subject * phases.AMOUNTS + int(count)


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 10


def legal_actions(game: Setting, position: Position) -> Sequence[int]:
    """What the player may choose."""
    phase, armies = position.phase, position.armies
    if phase == phases.ATTACK:
        return attacks(game, position)
    if phase == phases.ROLL:
        return range(phases.RETREAT, min(MOST_DICE, armies[position.origin] - 1) + 1)
    if phase == phases.DEFEND:
        return range(1, min(game.defence, armies[position.target]) + 1)
    if phase == phases.CONQUER:
        return range(position.rolled, armies[position.origin])
    if phase == phases.PLACE:
        starts = [place * phases.AMOUNTS for place in territories_of(position, position.mover)]
        return core.RangedActions([range(start + 1, start + position.to_place + 1) for start in starts])
    if phase == phases.FORTIFY:
        return marches(game, position)
    if phase in (phases.TRADE, phases.SPOILS):
        return trades(game, position)
    assert phase in (phases.SETUP, phases.DRAFT, phases.CAPITAL)
    return territories_of(position, NOBODY if phase == phases.DRAFT else position.mover)


def territories_of(position: Position, player: int) -> list[int]:
    """The territories of a player; unowned ones belong to NOBODY."""
    return [place for place, owner in enumerate(position.owners) if owner == player]


def attacks(game: Setting, position: Position) -> list[int]:
    owners, armies, mover = position.owners, position.armies, position.mover
    actions = [phases.END_ATTACK]
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
    ranges = [range(phases.STAY, phases.STAY + 1)]
    for origin in territories_of(position, position.mover):
        armies = position.armies[origin]
        if armies > 1 and not position.settled[origin]:
            starts = [pair(origin, to, game.territories) * phases.AMOUNTS for to in reachable(game, position, origin)]
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


@kernel
def outcome_count(game: Setting, position: Position, action: int) -> int:
    """How many of all equally likely outcomes are this one, dice aside."""
    if position.phase == phases.DRAW:
        return unseen_count(game, position, action)
    if position.phase == phases.DEAL:
        return int(position.owners[action] == NOBODY)
    if position.phase == phases.MISSION:
        for player in range(position.missions_dealt):
            if position.missions[player] == action:
                return 0
    return 1


@kernel
def outcome_kinds(game: Setting, position: Position) -> int:
    """How many different outcomes there may be, dice aside."""
    if position.phase == phases.DRAW:
        return game.kinds
    if position.phase == phases.FIRST:
        return game.players
    return game.deck if position.phase == phases.MISSION else game.territories


@kernel
def chance_outcome(game: Setting, position: Position, draw: float) -> int:
    """The outcome that a draw in [0, 1) falls on. Twin of `drawn_outcome`."""
    if position.phase == phases.DICE:
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
