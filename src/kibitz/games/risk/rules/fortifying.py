"""The phase of marches at the end of a turn."""

from kibitz import core
from kibitz.games.risk import phases
from kibitz.games.risk.phases import AMOUNTS, ends, pair
from kibitz.games.risk.rules.position import Position
from kibitz.games.risk.rules.turns import end_turn
from kibitz.games.risk.rules.winning import end_if_won


def marches(state: Position) -> core.RangedActions:
    count = len(state.owners)
    found = [range(phases.STAY, phases.STAY + 1)]
    for origin in state.own_territories():
        if state.armies[origin] > 1 and origin not in state.settled:
            starts = (pair(origin, to, count) * AMOUNTS for to in reachable(state, origin))
            found += [range(start + 1, start + state.armies[origin]) for start in starts]
    return core.RangedActions(found)


def reachable(state: Position, origin: int) -> list[int]:
    """Where armies of the mover may march to."""
    neighbours, owners, mover = state.board.neighbours, state.owners, state.mover
    near = [to for to in neighbours[origin] if owners[to] == mover]
    if state.game.fortify == "adjacent":
        return near
    found, edge = {origin, *near}, near
    while edge:
        edge = [to for place in edge for to in neighbours[place] if owners[to] == mover and to not in found]
        found.update(edge)
    return sorted(found - {origin})


def march(state: Position, action: int) -> None:
    """Make the move at the end of a turn."""
    way, count = divmod(action, AMOUNTS)
    if action != phases.STAY:
        origin, to = ends(way, len(state.owners))
        state.armies[origin] -= count
        state.armies[to] += count
        if end_if_won(state):
            return
        if state.game.fortify == "unlimited":
            state.settled = tuple(sorted({*state.settled, to}))
            return
    end_turn(state)
