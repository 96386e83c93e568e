"""The phases of a battle: the attack, dice, losses, and the move into the conquest."""

from kibitz.games.risk import phases
from kibitz.games.risk.dice import MOST_DICE
from kibitz.games.risk.phases import ends, pair
from kibitz.games.risk.rules.position import NOBODY, Position
from kibitz.games.risk.rules.winning import end_if_won

MUST_TRADE_SPOILS = 6
"""With so many cards a player trades as soon as they have destroyed another."""


def attacks(state: Position) -> list[int]:
    count, owners = len(state.owners), state.owners
    found = [phases.END_ATTACK]
    for origin in state.own_territories():
        if state.armies[origin] > 1:
            ways = state.board.neighbours[origin]
            found += [pair(origin, to, count) for to in ways if owners[to] != state.mover]
    return found


def attack_dice(state: Position) -> range:
    return range(phases.RETREAT, min(MOST_DICE, state.armies[state.origin] - 1) + 1)


def defence_dice(state: Position) -> range:
    return range(1, min(state.game.defence_dice, state.armies[state.target]) + 1)


def conquest_moves(state: Position) -> range:
    return range(state.rolled[0], state.armies[state.origin])


def attack(state: Position, action: int) -> None:
    if action == phases.END_ATTACK:
        state.phase = phases.FORTIFY
    else:
        state.origin, state.target = ends(action, len(state.owners))
        state.phase = phases.ROLL


def roll(state: Position, dice: int) -> None:
    if dice == phases.RETREAT:
        end_battle(state)
        return
    state.rolled = dice, 1
    state.phase = phases.DEFEND if state.armies[state.target] > 1 else phases.DICE


def defend(state: Position, dice: int) -> None:
    state.rolled = state.rolled[0], dice
    state.phase = phases.DICE


def fight(state: Position, lost: int) -> None:
    """Remove the lost armies; where none is left the territory changes hands."""
    state.armies[state.target] -= lost
    state.armies[state.origin] -= min(state.rolled) - lost
    if state.armies[state.target] == 0:
        capture(state)
    elif state.armies[state.origin] == 1:
        end_battle(state)
    else:
        state.phase, state.rolled = phases.ROLL, (0, 0)


def capture(state: Position) -> None:
    loser = state.owners[state.target]
    state.owners[state.target], state.captured = state.mover, True
    if loser not in state.owners:
        state.hands[state.mover] = tuple(sorted(state.hands[state.mover] + state.hands[loser]))
        state.hands[loser] = ()
        if state.game.mode == "mission":
            state.destroyers[loser] = state.mover
    state.phase = phases.CONQUER
    sizes = conquest_moves(state)
    if len(sizes) == 1:
        move_in(state, sizes[0])


def move_in(state: Position, count: int) -> None:
    state.armies[state.origin] -= count
    state.armies[state.target] += count
    end_battle(state)
    if not end_if_won(state) and len(state.hands[state.mover]) >= MUST_TRADE_SPOILS and state.game.cards != "italian":
        state.phase = phases.SPOILS


def end_battle(state: Position) -> None:
    state.origin = state.target = NOBODY
    state.rolled = (0, 0)
    state.phase = phases.ATTACK
