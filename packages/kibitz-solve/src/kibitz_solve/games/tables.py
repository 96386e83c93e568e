"""The states of the pursuits and of Bear Brawl by number, and what follows from each, for solvers."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.kernels import kernel
from kibitz.core.kit.state_table import COLUMN_BITS, OUTSIDE, PAYOFF, SUCCESSORS, StateTable
from kibitz_solve.games import pursuit
from kibitz_solve.games.bear_brawl import STEPS, BearBrawl
from kibitz_solve.games.pursuit import REACH, Chauffeur, RightTurn
from kibitz_solve.games.rules import Position, Recursive, State, when_lost

Ints = NDArray[np.int64]

driven = kernel("UniTuple(int64, 2)(int64, int64, int64)")(pursuit.place_after_drive)
fled = kernel("UniTuple(int64, 2)(int64, int64, int64)")(pursuit.place_after_flight)


def table_of(
    game: Recursive, least: Sequence[int], widths: Sequence[int], most_pairs: int, options: Sequence[int], **more: Any
) -> StateTable:
    """A table whose numbers are positions written in a mixed radix: each entry from *least*, *widths* values."""
    number: Callable[[core.State], int] = partial(number_of, tuple(least), tuple(widths))
    return StateTable(
        size=int(np.prod(widths, dtype=np.int64)),
        most_pairs=most_pairs,
        parameters=np.array(options, np.int64),
        number=number,
        state=partial(state_of, game, tuple(least), tuple(widths)),
        **more,
    )


def number_of(least: Position, widths: Position, state: core.State) -> int:
    """The number of a state; OUTSIDE where an entry is out of bounds."""
    assert isinstance(state, State)
    number = 0
    for entry, low, width in zip(state.position, least, widths, strict=True):
        if not 0 <= entry - low < width:
            return OUTSIDE
        number = number * width + entry - low
    return number


def state_of(game: Recursive, least: Position, widths: Position, number: int) -> State:
    """The state of a number."""
    return State(game, tuple(digit + low for digit, low in zip(core.digits(number, widths), least, strict=True)))


def right_turn(game: RightTurn) -> StateTable:
    """The board of Right Turn; beyond it nothing is worth anything, as the monkey can stay away for ever."""
    side = 2 * game.radius + 1
    return table_of(
        game,
        (-game.radius, -game.radius),
        (side, side),
        8,
        (game.radius,),
        successors=right_turn_successors,
        payoff=pursuit_payoff,
    )


def chauffeur(game: Chauffeur) -> StateTable:
    """The board of the chauffeur, once with the car to move and once with the pedestrian."""
    side = 2 * game.radius + 1
    return table_of(
        game,
        (-game.radius, -game.radius, 0),
        (side, side, 2),
        4,
        (game.radius, len(game.options(game.opening(), 0))),
        successors=chauffeur_successors,
        payoff=pursuit_payoff,
    )


@kernel("int64(int64, int64, int64)")
def square_number(radius: int, x: int, y: int) -> int:
    """The number of a square, or OUTSIDE."""
    if max(abs(x), abs(y)) > radius:
        return OUTSIDE
    return (x + radius) * (2 * radius + 1) + y + radius


@kernel(SUCCESSORS)
def right_turn_successors(parameters: Ints, number: int, found: Ints) -> int:
    """Write where every pair of actions leads. Twin of `RightTurn.follow`."""
    radius = parameters[0]
    side = 2 * radius + 1
    x, y = number // side - radius, number % side - radius
    if max(abs(x), abs(y)) <= REACH:
        return 0
    for move in range(2):
        for direction in range(4):
            between = fled(x, y, direction)
            after = driven(between[0], between[1], move)
            found[4 * move + direction] = square_number(radius, after[0], after[1])
    return 2 << COLUMN_BITS | 4


@kernel(SUCCESSORS)
def chauffeur_successors(parameters: Ints, number: int, found: Ints) -> int:
    """Write where every action of the mover leads. Twin of `Chauffeur.follow`."""
    radius, moves = parameters[0], parameters[1]
    side = 2 * radius + 1
    square, mover = number // 2, number % 2
    x, y = square // side - radius, square % side - radius
    if max(abs(x), abs(y)) <= REACH:
        return 0
    count = 4 if mover else moves
    for action in range(count):
        after = fled(x, y, action) if mover else driven(x, y, action)
        place = square_number(radius, after[0], after[1])
        found[action] = place if place == OUTSIDE else 2 * place + 1 - mover
    return 1 << COLUMN_BITS | count if mover else count << COLUMN_BITS | 1


@kernel(PAYOFF)
def pursuit_payoff(parameters: Ints, number: int) -> float:
    """What player 0 earns by a catch; the game ends nowhere else within the board."""
    return 1.0


RADIUS, HEIGHT, EDGE, MOVES, HEROES, BEARS, HERO_HP, BEAR_HP, LOST, CELLS = range(10)
"""Where the rule options of Bear Brawl are, the powder cells last; a line is a plane of height 0."""
EDGES = ("clip", "illegal", "unbounded")


def bear_brawl(game: BearBrawl) -> StateTable:
    """All positions of Bear Brawl with hit points up to those of the start, on the board."""
    side, fighters = 2 * game.radius + 1, game.heroes + game.bears
    points = [game.hero_hp + 1] * game.heroes + [game.bear_hp + 1] * game.bears
    lost, height = when_lost(game.payoffs), game.radius if game.dimensions == 2 else 0
    sizes = [game.radius, height, EDGES.index(game.edge), len(game.moves), game.heroes, game.bears]
    cells = [coordinate for cell in game.cells for coordinate in (*cell, 0)[:2]]
    return table_of(
        game,
        [0] * fighters + [-game.radius] * (fighters * game.dimensions),
        points + [side] * (fighters * game.dimensions),
        len(game.moves) ** fighters,
        [*sizes, game.hero_hp, game.bear_hp, int(lost), *cells],
        successors=bear_successors,
        payoff=bear_payoff,
        outside=(min(lost, game.endless), 1.0) if game.edge == "unbounded" else (0.0, 0.0),
    )


MOST_FIGHTERS, MOST_MOVES, LINE_MOVES = 6, 5, len(STEPS[1])
STEP_X = np.array([step[0] for dimensions in (1, 2) for step in STEPS[dimensions]])
STEP_Y = np.array([step[-1] * (len(step) - 1) for dimensions in (1, 2) for step in STEPS[dimensions]])
"""What each move does to the place: those on a line, then those on a plane."""


@kernel("int64(int64[::1], int64, int64[:, ::1])")
def bear_fighters(parameters: Ints, number: int, fighters: Ints) -> int:
    """Write hit points and place of every fighter, heroes first; return how many there are."""
    count = parameters[HEROES] + parameters[BEARS]
    for fighter in range(count - 1, -1, -1):
        for axis in range(1, -1, -1):
            reach = parameters[RADIUS + axis]
            fighters[fighter, 1 + axis] = number % (2 * reach + 1) - reach
            number //= 2 * reach + 1
    for fighter in range(count - 1, -1, -1):
        width = parameters[HERO_HP if fighter < parameters[HEROES] else BEAR_HP] + 1
        fighters[fighter, 0] = number % width
        number //= width
    return int(count)


@kernel("int64(int64[::1], int64[:, ::1], int64)")
def bear_over(parameters: Ints, fighters: Ints, count: int) -> int:
    """The winner, counted from 1; 0 where the game goes on. Twin of `BearBrawl.payoff`."""
    heroes = parameters[HEROES]
    alive, opposed, powdered = False, False, False
    for bear in range(heroes, count):
        opposed = opposed or fighters[bear, 0] > 0
    for hero in range(heroes):
        if fighters[hero, 0] == 0:
            continue
        alive, guarded = True, False
        x, y = fighters[hero, 1], fighters[hero, 2]
        for bear in range(heroes, count):
            guarded = guarded or (fighters[bear, 0] > 0 and fighters[bear, 1] == x and fighters[bear, 2] == y)
        for cell in range(CELLS, len(parameters), 2):
            powdered = powdered or (parameters[cell] == x and parameters[cell + 1] == y and not guarded)
    if not alive:
        return 2
    return 1 if powdered or not opposed else 0


@kernel(PAYOFF)
def bear_payoff(parameters: Ints, number: int) -> float:
    """What a finished game is worth. Twin of `BearBrawl.payoff`."""
    fighters = np.empty((MOST_FIGHTERS, 3), np.int64)
    count = bear_fighters(parameters, number, fighters)
    return 1.0 if bear_over(parameters, fighters, count) == 1 else float(parameters[LOST])


@kernel("int64(int64[::1], int64[:, ::1], int64, int64[:, ::1])")
def bear_choices(parameters: Ints, fighters: Ints, fighter: int, options: Ints) -> int:
    """Write every choice of a fighter as the place it leads to and whether it is an attack; return how many."""
    radius, height, attack = parameters[RADIUS], parameters[HEIGHT], parameters[MOVES] - 1
    first, resting = LINE_MOVES * (attack // 4), fighters[fighter, 0] == 0
    count = 0
    for move in range(attack if resting else 0, attack + 1):
        x, y = fighters[fighter, 1] + STEP_X[first + move], fighters[fighter, 2] + STEP_Y[first + move]
        if parameters[EDGE] == 1 and (abs(x) > radius or abs(y) > height):
            continue
        if parameters[EDGE] == 0:
            x, y = min(max(x, -radius), radius), min(max(y, -height), height)
        options[count, 0], options[count, 1], options[count, 2] = x, y, move == attack and not resting
        count += 1
    return count


@kernel(SUCCESSORS)
def bear_successors(parameters: Ints, number: int, found: Ints) -> int:
    """Write where every pair of actions leads. Twin of `BearBrawl.options` and `BearBrawl.follow`."""
    fighters = np.empty((MOST_FIGHTERS, 3), np.int64)
    count = bear_fighters(parameters, number, fighters)
    if bear_over(parameters, fighters, count):
        return 0
    options = np.empty((MOST_FIGHTERS, MOST_MOVES, 3), np.int64)
    lengths = np.empty(MOST_FIGHTERS, np.int64)
    rows, columns = 1, 1
    for fighter in range(count):
        lengths[fighter] = bear_choices(parameters, fighters, fighter, options[fighter])
        if fighter < parameters[HEROES]:
            rows *= lengths[fighter]
        else:
            columns *= lengths[fighter]
    chosen = np.empty((MOST_FIGHTERS, 3), np.int64)
    for pair in range(rows * columns):
        left = pair
        for fighter in range(count - 1, -1, -1):  # the last fighter's choice changes first
            chosen[fighter] = options[fighter, left % lengths[fighter]]
            left //= lengths[fighter]
        found[pair] = bear_number(parameters, fighters, chosen, count)
    return rows << COLUMN_BITS | columns


@kernel("int64(int64[::1], int64[:, ::1], int64[:, ::1], int64)")
def bear_number(parameters: Ints, fighters: Ints, chosen: Ints, count: int) -> int:
    """The number of the position that these choices lead to, or OUTSIDE."""
    heroes, number = parameters[HEROES], 0
    for fighter in range(count):
        first, last = (heroes, count) if fighter < heroes else (0, heroes)
        points = fighters[fighter, 0]
        for foe in range(first, last):
            if chosen[foe, 2] and chosen[foe, 0] == chosen[fighter, 0] and chosen[foe, 1] == chosen[fighter, 1]:
                points -= 1
        most = parameters[HERO_HP if fighter < heroes else BEAR_HP]
        number = number * (most + 1) + max(points, 0)
    for fighter in range(count):
        for axis in range(2):
            reach = parameters[RADIUS + axis]
            if abs(chosen[fighter, axis]) > reach:
                return OUTSIDE
            number = number * (2 * reach + 1) + chosen[fighter, axis] + reach
    return number
