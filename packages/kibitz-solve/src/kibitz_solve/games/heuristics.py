"""Admissible heuristics of the recursive games: the least and the most that a position may be worth, without solving.

A lower bound is what some simple play of player 0 earns against any play, an upper one what some simple play of
player 1 concedes, or what is still within reach.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias, TypeVar

from kibitz import core
from kibitz.core.kit.numbers import Bounds, Heuristic
from kibitz_solve.games.bear_brawl import BEAR, HERO, BearBrawl, Cell
from kibitz_solve.games.big_match import BigMatch
from kibitz_solve.games.duel import Duel
from kibitz_solve.games.goofspiel import Goofspiel, cards_in
from kibitz_solve.games.guan import Guan
from kibitz_solve.games.inspection import Inspection
from kibitz_solve.games.matrix import Matrix
from kibitz_solve.games.oshi_zumo import OshiZumo
from kibitz_solve.games.purgatory import Purgatory
from kibitz_solve.games.pursuit import Chauffeur, RightTurn
from kibitz_solve.games.rules import Position, Recursive, State, when_lost
from kibitz_solve.games.soccer import COLUMNS, GOAL_ROWS, Soccer

_Game = TypeVar("_Game", bound=Recursive)
Rule: TypeAlias = Callable[[_Game, Position], Bounds]


def heuristics_by_name(**rules: "Rule[_Game]") -> dict[str, Heuristic]:
    """Rules as heuristics, by name."""
    return {name: Heuristic(partial(_apply_rule, rule)) for name, rule in rules.items()}


def _apply_rule(rule: "Rule[_Game]", state: core.State) -> Bounds:
    assert isinstance(state, State)
    return rule(state.game, state.position)  # type: ignore[arg-type]


def won_or_not(game: Recursive, position: Position) -> Bounds:
    """From nothing to the most there is: player 0 never pays."""
    return 0.0, game.utility[1]


def won_or_lost(game: Guan | BearBrawl | Purgatory, position: Position) -> Bounds:
    """A win, or the worse of a loss and of play without end."""
    return min(when_lost(game.payoffs), game.endless), 1.0


def entries_of(game: Matrix, position: Position) -> Bounds:
    """The least and the largest entry of the matrix."""
    return min(map(min, game.payoffs)), max(map(max, game.payoffs))


def security(game: Matrix, position: Position) -> Bounds:
    """What each can be sure of with a single action."""
    columns = zip(*game.payoffs, strict=True)
    return max(map(min, game.payoffs)), min(map(max, columns))


def even_running(game: Guan, position: Position) -> Bounds:
    """A runner who runs every other time meets the arrow at most every other time."""
    return (1.0 + when_lost(game.payoffs)) / 2.0, 1.0


def straight_climb(game: Purgatory, position: Position) -> Bounds:
    """A player who guesses evenly climbs a level every other time, and must do so for every level in a row."""
    lost, odds = when_lost(game.payoffs), 0.5 ** (game.levels + 1 - position[0])
    return lost + (1.0 - lost) * odds, 1.0


def even_guessing(game: BigMatch, position: Position) -> Bounds:
    """Both choose evenly: the opponent concedes one half; stopping every other time earns a little."""
    return game.discount / (1.0 + game.discount), 0.5


def right_side(game: RightTurn, position: Position) -> Bounds:
    """Zero for an orc to the right of the monkey, which would have to turn left."""
    return (0.0, 0.0) if position[0] > 0 else (0.0, 1.0)


def right_turn_box(game: RightTurn, position: Position) -> Bounds:
    """The orc can catch only from a few columns and rows."""
    return (0.0, 1.0) if -5 <= position[0] <= 0 and -5 <= position[1] <= 4 else (0.0, 0.0)


def way_out(game: Chauffeur, position: Position) -> Bounds:
    """A pedestrian at the edge of the board who is to move walks off it."""
    x, y, mover = position
    return (0.0, 0.0) if mover == 1 and max(abs(x), abs(y)) == game.radius else (0.0, 1.0)


def squad_car_box(game: Chauffeur, position: Position) -> Bounds:
    """A car that cannot turn left can catch only from a few columns and rows."""
    x, y, _ = position
    if game.turns == "right" and not (-7 <= x <= 2 and -7 <= y <= 5):
        return 0.0, 0.0
    return way_out(game, position)


def race(game: BearBrawl, position: Position) -> Bounds:
    """A hero nearer to some powder than every bear wins it: no bear can intercept the hero."""
    heroes, bears = (game.standing(position, side) for side in (HERO, BEAR))
    for cell in game.cells:
        if min(_distance(hero, cell) for hero in heroes) < min((_distance(bear, cell) for bear in bears), default=0):
            return 1.0, 1.0
    return won_or_lost(game, position)


def guard(game: BearBrawl, position: Position) -> Bounds:
    """The race; and a bear no farther from the powder and no weaker than the only hero holds it for ever."""
    least, most = race(game, position)
    if least < most and game.heroes == 1 and len(game.cells) == 1:
        (hero,), (cell,) = game.places(position, HERO), game.cells
        bears = zip(game.hit_points(position, BEAR), game.places(position, BEAR), strict=True)
        near = [points for points, place in bears if _distance(place, cell) <= _distance(hero, cell)]
        if max(near, default=0) >= game.hit_points(position, HERO)[0]:
            most = max(when_lost(game.payoffs), game.endless)
    return least, most


def _distance(place: Cell, cell: Cell) -> int:
    """Steps from a place to a cell."""
    return sum(abs(one - other) for one, other in zip(place, cell, strict=True))


def inspections_left(game: Inspection, position: Position) -> Bounds:
    """A violator who never violates loses nothing; an inspection for every period, or none, settles the value."""
    periods, inspections, _ = position
    if inspections == 0:
        return -1.0, -1.0
    return (0.0 if inspections >= periods else -1.0), 0.0


def prizes_left(game: Goofspiel, position: Position) -> Bounds:
    """The lead, and all prizes that are left to either."""
    _, _, prizes, prize, ahead = position
    left = sum(cards_in(prizes)) + prize
    low, high = float(ahead - left), float(ahead + left)
    if game.points == "difference":
        return low, high
    return float((low > 0) - (low < 0)), float((high > 0) - (high < 0))


def shuffled_bounds(game: Goofspiel, position: Position) -> Bounds:
    """The most either earns from an opponent who plays their cards in random order, all orders equally likely.

    The best response is the higher card for the higher prize, whatever cards were played so far (Ross 1971).
    """
    if game.points != "difference":
        return prizes_left(game, position)
    own, others, prizes, prize, ahead = position
    hands, left = (cards_in(own), cards_in(others)), sorted([*cards_in(prizes), prize])
    return ahead - _matching_gain(hands[1], hands[0], left), ahead + _matching_gain(hands[0], hands[1], left)


def _matching_gain(hand: list[int], shuffled_hand: list[int], prizes: list[int]) -> float:
    """What cards earn on average, the lowest bid for the lowest prize and so on, all lists sorted."""
    wins = (
        prize * ((card > other) - (card < other))
        for card, prize in zip(hand, prizes, strict=True)
        for other in shuffled_hand
    )
    return sum(wins) / len(shuffled_hand)


def pushes_left(game: OshiZumo, position: Position) -> Bounds:
    """How far either could push without resistance."""
    coins, other_coins, place = position
    unit = max(1, game.least)
    low, high = place - other_coins // unit, place + coins // unit
    bounds = float((low > 0) - (low < 0)), float((high > 0) - (high < 0))
    if game.least == 0:  # both may bid nothing for ever, which is worth 0
        return min(bounds[0], game.endless), max(bounds[1], game.endless)
    return bounds


def dribble(game: Soccer, position: Position) -> Bounds:
    """Either player needs as many rounds as they are steps from the other's goal, and every round may be the last."""
    x, y, other_x, other_y, _ = position
    steps, other_steps = COLUMNS - x + _off_goal(y), other_x + 1 + _off_goal(other_y)
    return -((1.0 - game.draw) ** other_steps), (1.0 - game.draw) ** steps


def _off_goal(row: int) -> int:
    return min(abs(row - each) for each in GOAL_ROWS)


def shells_left(game: Duel, position: Position) -> Bounds:
    """A tank without shells cannot win."""
    return (-1.0 if position[2] else 0.0), (1.0 if position[1] else 0.0)


MACWIGGINS = MATRIX = heuristics_by_name(security=security, range=entries_of)
GUAN = heuristics_by_name(even=even_running, range=won_or_lost)
PURGATORY = heuristics_by_name(climb=straight_climb, range=won_or_lost)
BIG_MATCH = heuristics_by_name(even=even_guessing, range=won_or_not)
RIGHT_TURN = heuristics_by_name(box=right_turn_box, side=right_side, range=won_or_not)
CHAUFFEUR = heuristics_by_name(box=squad_car_box, edge=way_out, range=won_or_not)
BEAR_BRAWL = heuristics_by_name(guard=guard, race=race, range=won_or_lost)
INSPECTION = heuristics_by_name(inspections=inspections_left)
GOOFSPIEL = heuristics_by_name(shuffled=shuffled_bounds, prizes=prizes_left)
OSHI_ZUMO = heuristics_by_name(pushes=pushes_left)
SOCCER = heuristics_by_name(dribble=dribble)
DUEL = heuristics_by_name(shells=shells_left)
