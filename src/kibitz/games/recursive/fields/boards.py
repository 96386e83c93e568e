"""Fields of the games in which something moves on a board or a line."""

from typing import Literal

import msgspec

from kibitz.core.kit.positions import Fields
from kibitz.games.recursive.bear_brawl import BEAR, HERO, BearBrawl
from kibitz.games.recursive.duel import Duel
from kibitz.games.recursive.fields.position import Position, chosen_actions
from kibitz.games.recursive.oshi_zumo import OshiZumo
from kibitz.games.recursive.pursuit import REACH, SPEED, Pursuit
from kibitz.games.recursive.rules import State
from kibitz.games.recursive.soccer import COLUMNS, GOAL_ROWS, ROWS, Soccer

Place = list[int]
"""A column and a row, or one coordinate on a line."""


class PursuitBoard(msgspec.Struct, frozen=True):
    """Beyond *radius* squares the evader is safe; the pursuer makes *speed* steps, and catches within *reach*."""

    radius: int
    speed: int
    reach: int


class PursuitView(Position, frozen=True):
    """Where the pursuer stands, seen from the evader at (0, 0), turned so that the pursuer faces north (up).

    *player*: who moves; null if both do at once.
    """

    x: int
    y: int
    player: int | None = None


def pursuit_board(game: Pursuit) -> PursuitBoard:
    return PursuitBoard(game.radius, SPEED, REACH)


def pursuit_view(state: State) -> PursuitView:
    x, y, *mover = state.position
    return PursuitView(x=x, y=y, player=mover[0] if mover else None)


class BearBrawlBoard(msgspec.Struct, frozen=True):
    """Places run from -*radius* to *radius* along each of *dimensions*; *powder* lists the places to stand on.

    *edge*: a step into the wall stays put (`clip`) or is `illegal`, or there is no wall (`unbounded`).
    """

    dimensions: int
    radius: int
    powder: list[Place]
    edge: str


class Fighter(msgspec.Struct, frozen=True):
    """A hero or bear: hit points (0: dead), and where it is."""

    hp: int
    place: Place


class BearBrawlView(Position, frozen=True):
    """All heroes and bears."""

    heroes: list[Fighter]
    bears: list[Fighter]


def bear_brawl_board(game: BearBrawl) -> BearBrawlBoard:
    return BearBrawlBoard(game.dimensions, game.radius, [list(cell) for cell in game.cells], game.edge)


def bear_brawl_view(state: State) -> BearBrawlView:
    game, position = state.game, state.position
    assert isinstance(game, BearBrawl)
    sides = [
        [
            Fighter(hp, list(place))
            for hp, place in zip(game.hit_points(position, side), game.places(position, side), strict=True)
        ]
        for side in (HERO, BEAR)
    ]
    return BearBrawlView(heroes=sides[HERO], bears=sides[BEAR])


class OshiZumoBoard(msgspec.Struct, frozen=True):
    """The steps from the middle to either edge, and the least bid."""

    size: int
    least: int


class OshiZumoView(Position, frozen=True):
    """The coins of both, and where the wrestler stands: from the middle, 0, towards player 1 counts up."""

    coins: tuple[int, int]
    place: int


def oshi_zumo_board(game: OshiZumo) -> OshiZumoBoard:
    return OshiZumoBoard(game.size, game.least)


def oshi_zumo_view(state: State) -> OshiZumoView:
    own, others, place = state.position
    return OshiZumoView(coins=(own, others), place=place)


class SoccerBoard(msgspec.Struct, frozen=True):
    """The field, columns from 0 in the west and rows from 0 in the south; the rows of the goals at both ends.

    *draw*: the probability that a round ends the match without a goal.
    """

    columns: int
    rows: int
    goal_rows: list[int]
    draw: float


class SoccerView(Position, frozen=True):
    """Where west and east stand (empty before the kick-off and at the end), who has the ball, and the result.

    *result*: `west`, `east` or `draw`; null while the match goes on.
    """

    places: list[Place]
    ball: int | None
    result: Literal["west", "east", "draw"] | None


def soccer_board(game: Soccer) -> SoccerBoard:
    return SoccerBoard(COLUMNS, ROWS, list(GOAL_ROWS), game.draw)


def soccer_view(state: State) -> SoccerView:
    position, chosen = state.position, chosen_actions(state)
    if len(position) < 2:
        ends: dict[int, Literal["west", "east", "draw"]] = {1: "west", -1: "east", 0: "draw"}
        return SoccerView(places=[], ball=None, result=ends[position[0]] if position else None, chosen=chosen)
    return SoccerView(places=[[*position[:2]], [*position[2:4]]], ball=position[4], result=None, chosen=chosen)


class DuelBoard(msgspec.Struct, frozen=True):
    """The largest distance, and the distance from which on no shell hits."""

    distance: int
    reach: int


class DuelView(Position, frozen=True):
    """The distance, and of west and east the shells left and whether they are alive."""

    distance: int
    shells: tuple[int, int]
    alive: tuple[bool, bool]


def duel_board(game: Duel) -> DuelBoard:
    return DuelBoard(game.distance, game.reach)


def duel_view(state: State) -> DuelView:
    distance, shells, other_shells, alive, other_alive = state.position
    return DuelView(
        distance=distance,
        shells=(shells, other_shells),
        alive=(bool(alive), bool(other_alive)),
        chosen=chosen_actions(state),
    )


PURSUIT = Fields(pursuit_board, pursuit_view)
BEAR_BRAWL = Fields(bear_brawl_board, bear_brawl_view)
OSHI_ZUMO = Fields(oshi_zumo_board, oshi_zumo_view)
SOCCER = Fields(soccer_board, soccer_view)
DUEL = Fields(duel_board, duel_view)
