"""Boards of the recursive games as maps of their states (Keffer 2013, Figure 1)."""

from itertools import product

from kibitz import core
from kibitz.core.kit.positions import StateMap
from kibitz.games.recursive.bear_brawl import BEAR, HERO, BearBrawl
from kibitz.games.recursive.pursuit import Pursuit
from kibitz.games.recursive.rules import State
from kibitz.games.recursive.soccer import COLUMNS, ROWS, Soccer

WAYS = {"N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0)}
STEERING = {"F": (0, 1), "R": (1, 0), "L": (-1, 0)}
WALKING = {"L": (-1, 0), "R": (1, 0), "D": (0, -1), "U": (0, 1)}
CLIMBING = {"L": (0, -1), "R": (0, 1)}
"""The arrows for left and right of a player whose place is counted upwards."""


def pursuit(game: Pursuit, state: core.State) -> StateMap:
    """Where the pursuer stands, seen by the evader."""
    assert isinstance(state, State)
    span = range(-game.radius, game.radius + 1)
    mover = state.position[2:]
    cells = {(x, y): State(game, (x, y, *mover)) for x, y in product(span, span)}
    return StateMap(cells, f"{game.seats[0]}'s x", f"{game.seats[0]}'s y", (STEERING, WAYS))


def bear_brawl(game: BearBrawl, state: core.State) -> StateMap:
    """On a line the hero's place against the bear's; on a plane the first hero's place, all others where they are."""
    assert isinstance(state, State)
    span = range(-game.radius, game.radius + 1)
    hero = sum(game.counts)
    other = hero + 1 if game.dimensions == 2 else hero + game.heroes
    cells = {}
    for x, y in product(span, span):
        position = [*state.position]
        position[hero], position[other] = x, y
        cells[x, y] = State(game, tuple(position))
    if game.dimensions == 2:
        return StateMap(cells, "hero's x", "hero's y", (WALKING, WALKING))
    return StateMap(cells, f"{game.seats[HERO]}'s place", f"{game.seats[BEAR]}'s place", (WALKING, CLIMBING))


def soccer(game: Soccer, state: core.State) -> StateMap:
    """Maps the place of the player in the west; the other player stays in place."""
    assert isinstance(state, State)
    x, y = state.position[2:4]
    field = product(range(COLUMNS), range(ROWS))
    cells = {place: State(game, (*place, *state.position[2:])) for place in field if place != (x, y)}
    return StateMap(cells, f"{game.seats[0]}'s x", f"{game.seats[0]}'s y", (WAYS, WAYS))
