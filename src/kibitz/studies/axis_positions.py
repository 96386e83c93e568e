"""Positions of the whole game of Axis & Allies, drawn, in which one operation is clearly best."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kibitz import core
from kibitz.core.match import drawn_outcome
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.games.axis.commander.kernels.answers import Prospect, strongest_strike
from kibitz.games.axis.commander.kernels.fights import RESULTS, TAKE, WIN, Counts
from kibitz.games.axis.commander.survey import Survey, ground_of
from kibitz.games.axis.full.fast import FastState
from kibitz.games.axis.full.kernels.layout import MOVER
from kibitz.games.axis.full.kernels.packing import situation_words
from kibitz.games.axis.full.situation import COMBAT, NOBODY, Situation, Stack
from kibitz.games.axis.full.turn import advance
from kibitz.games.axis.full.units import ARTILLERY, BATTLESHIP, DESTROYER, INFANTRY, SUBMARINE, TANK, TRANSPORT

GAME = "axis(scenario='revised', rules='full')"
KINDS = ("open city", "open city across the sea", "trapped fleet", "city to hold")
ROUNDS_BEFORE = 3
"""Positions are made from the start of the game or from one of so many rounds of it, drawn."""
SURE, SAFE, RISK = 0.95, 0.3, 0.7
"""The least chance of an operation that is clearly best; the risks below and above which a city is safe and is not."""


class Position(NamedTuple):
    """A situation in the combat moves of a power, and what has to be done in it."""

    kind: str
    words: str
    situation: Situation
    area: int
    other: int
    """The area that help comes from or in which the enemy stands."""


def drawn_position(kind: str, seed: int) -> Position:
    """A position of a kind; positions that are not clear are drawn again."""
    rng = stream(seed, "position", kind)
    while True:
        found = MAKERS[kind](rng)
        if found is not None:
            return found


def is_solved(position: Position, agent: str, seed: int) -> bool:
    """Whether an agent plays the operation in its turn; dice are drawn."""
    after = played_turn(position.situation, agent, seed)
    mover, area = position.situation.mover, position.area
    side = after.world.powers[mover].side
    if position.kind in KINDS[:2]:
        return after.owners[area] >= 0 and after.world.powers[after.owners[area]].side == side
    if position.kind == KINDS[2]:
        return not after.enemies(area, mover)
    return not after.enemies(position.other, mover) or take_chance(after, area, side) <= 0.5


def played_turn(situation: Situation, agent: str, seed: int) -> Situation:
    """The situation when the mover's turn is over."""
    game = make_game(GAME)
    board = ground_of(game).board
    state = FastState(game, board, situation_words(board, advance(situation)))
    luck, player = stream(seed, "dice"), make_agent(agent, "axis")
    player.begin(game, situation.mover, stream(seed, "agent"))
    while not state.is_terminal() and state.numbers[MOVER] == situation.mover:
        if state.current_player() == core.CHANCE:
            state.apply_action(drawn_outcome(state, luck.random()))
        elif state.current_player() == situation.mover:
            state.apply_action(player.act(state.clone(), core.Clock()))
        else:
            state.apply_action(state.legal_actions()[0])
    return state.situation


# Situations to begin with, and changes to them.


@cache
def course(game_number: int) -> tuple[Situation, ...]:
    """The situations in a game of the controls at the beginning of the combat moves of every power."""
    game: Any = make_game(GAME)
    agents = [make_agent("axis.sensible_full" if n % 2 else "axis.greedy_full") for n in range(len(game.world.powers))]
    for player, agent in enumerate(agents):
        agent.begin(game, player, stream(game_number, "course", player))
    luck, state, found = stream(game_number, "dice"), game.new_initial_state(), list[Situation]()
    while state.situation.round <= ROUNDS_BEFORE and not state.is_terminal():
        player = state.current_player()
        if player == core.CHANCE:
            state.apply_action(drawn_outcome(state, luck.random()))
            continue
        now = state.situation
        if now.phase == COMBAT and (not found or (found[-1].round, found[-1].mover) != (now.round, now.mover)):
            found.append(now)
        state.apply_action(agents[player].act(state.clone(), core.Clock()))
    return tuple(found)


def base_situation(rng: core.Rng) -> Situation:
    """A situation in the combat moves of a drawn power."""
    found = course(int(rng.integers(8)))
    return found[int(rng.integers(len(found)))]


def without_units(situation: Situation, *areas: int) -> Situation:
    """Areas without units."""
    return situation.map_units(lambda stack: None if stack.area in areas else stack)


def with_owner(situation: Situation, area: int, power: int) -> Situation:
    """An area that belongs to a power."""
    owners = list(situation.owners)
    owners[area] = power
    return situation.replace(owners=tuple(owners))


def with_army(situation: Situation, power: int, area: int, army: dict[int, int]) -> Situation:
    """More units in an area."""
    return situation.with_units({Stack(area, power, kind): number for kind, number in army.items() if number})


def take_chance(situation: Situation, area: int, side: int) -> float:
    """How likely the strongest enemy of a side takes or sinks what is in an area, with all that can reach it."""
    powers = [power for power, each in enumerate(situation.world.powers) if each.side != side]
    return max(float(strike(situation, power, area)[TAKE]) for power in powers)


def strike(situation: Situation, power: int, area: int) -> Counts:
    """What is known of an attack of a power with all that can reach an area."""
    ground = ground_of(make_game(GAME))
    moved = situation.replace(mover=power, phase=COMBAT)
    return strike_gain(Survey(ground, situation_words(ground.board, moved)), power, area)[1]


def strike_gain(survey: Survey, power: int, area: int) -> tuple[float, Counts]:
    """What an attack of a power with all that can reach an area gains, in IPC, and what is known of it."""
    ground, results = survey.ground, np.zeros(RESULTS)
    prospect = Prospect(
        ground.board, survey.numbers, survey.units, survey.held, survey.money, survey.worth, ground.steps,
        np.zeros(len(survey.held)),
    )  # fmt: skip
    return strongest_strike(prospect, power, area, results), results


# The makers.


def prizes(situation: Situation, power: int, *, enemy: bool) -> list[int]:
    """Capitals, cities and factories of enemies or of a power's own."""
    world, side = situation.world, situation.world.powers[power].side
    return [
        area
        for area, each in enumerate(world.areas)
        if (owner := situation.owners[area]) != NOBODY
        and ((world.powers[owner].side != side) if enemy else owner == power)
        and (each.city or area in world.capitals or area in situation.factories)
    ]


def is_best(situation: Situation, gain: float, area: int, source: int) -> bool:
    """Whether a gain is twice what the force in an area could gain by any other attack."""
    ground = ground_of(make_game(GAME))
    survey = Survey(ground, situation_words(ground.board, situation))
    others = [to for to, far in enumerate(ground.steps[source]) if far and to != area and survey.attackable(to)]
    return all(2.0 * strike_gain(survey, situation.mover, to)[0] < gain for to in others)


def worth_of(situation: Situation, area: int) -> float:
    """What an area is worth, in IPC, by hand."""
    ground = ground_of(make_game(GAME))
    return float(Survey(ground, situation_words(ground.board, situation)).worth[area])


def land_neighbours(situation: Situation, area: int, avoided: list[int]) -> list[int]:
    """Where land units can come from."""
    world = situation.world
    return [to for to in world.ways[area] if not world.sea[to] and world.ways[to] and to not in avoided]


def pick(rng: core.Rng, found: list[int]) -> int:
    """One of some areas."""
    return found[int(rng.integers(len(found)))]


def foot_army(rng: core.Rng, least: int, most: int) -> dict[int, int]:
    """Some land units."""
    size = int(rng.integers(least, most + 1))
    tanks = int(rng.integers(0, 1 + size // 2))
    guns = int(rng.integers(0, 1 + (size - tanks) // 2))
    return {INFANTRY: size - tanks - guns, ARTILLERY: guns, TANK: tanks}


def open_city(rng: core.Rng) -> Position | None:
    """A capital, city or factory without units, beside an army."""
    situation = base_situation(rng)
    mover = situation.mover
    target = pick(rng, prizes(situation, mover, enemy=True))
    sources = land_neighbours(situation, target, list(situation.world.capitals))
    if not sources:
        return None
    source = pick(rng, sources)
    situation = with_owner(without_units(situation, target, source), source, mover)
    situation = with_army(situation, mover, source, foot_army(rng, 2, 4))
    gain = worth_of(situation, target)
    return position(KINDS[0], situation, target, source) if is_best(situation, gain, target, source) else None


def open_coast(rng: core.Rng) -> Position | None:
    """The same with an army across the sea, and transports beside it."""
    situation = base_situation(rng)
    mover, world = situation.mover, situation.world
    target = pick(rng, prizes(situation, mover, enemy=True))
    zones = [to for to in world.ways[target] if world.sea[to]]
    sources = [(zone, to) for zone in zones for to in world.ways[zone] if not world.sea[to] and to != target
               and to not in world.ways[target] and to not in world.capitals]  # fmt: skip
    if not sources:
        return None
    zone, source = sources[int(rng.integers(len(sources)))]
    situation = with_owner(without_units(situation, target, source, zone), source, mover)
    situation = with_army(situation, mover, source, foot_army(rng, 2, 4))
    situation = with_army(situation, mover, zone, {TRANSPORT: int(rng.integers(1, 3))})
    gain = worth_of(situation, target)
    return position(KINDS[1], situation, target, source) if is_best(situation, gain, target, source) else None


def trapped_fleet(rng: core.Rng) -> Position | None:
    """Weak ships beside a strong fleet, which is in no more danger where they are than where it is."""
    situation = base_situation(rng)
    mover, world = situation.mover, situation.world
    zone = pick(rng, [area for area in range(len(world.areas)) if world.sea[area] and world.ways[area]])
    beside = [to for to in world.ways[zone] if world.sea[to]]
    enemies = [n for n, each in enumerate(world.powers) if each.side != world.powers[mover].side]
    if not beside:
        return None
    source, enemy = pick(rng, beside), pick(rng, enemies)
    weak = [{TRANSPORT: int(rng.integers(1, 4))}, {SUBMARINE: 1, TRANSPORT: 1}, {DESTROYER: 1}][int(rng.integers(3))]
    situation = with_army(without_units(situation, zone, source), enemy, zone, weak)
    strong = {BATTLESHIP: int(rng.integers(1, 3)), DESTROYER: int(rng.integers(1, 3))}
    situation = with_army(situation, mover, source, strong)
    moved = with_army(without_units(situation, zone, source), mover, zone, strong)
    risk, stays = (max(strike(each, power, area)[WIN] for power in enemies)
                   for each, area in ((moved, zone), (situation, source)))  # fmt: skip
    if strike(situation, mover, zone)[WIN] < SURE or risk > stays + 0.05:
        return None
    price = sum(world.units.prices[kind] * number for kind, number in weak.items())
    return position(KINDS[2], situation, zone, source) if is_best(situation, price, zone, source) else None


def city_to_hold(rng: core.Rng) -> Position | None:
    """A city that falls without help and is safe with it; who stands before it is too strong to be attacked."""
    situation = base_situation(rng)
    mover, world = situation.mover, situation.world
    side = world.powers[mover].side
    city = pick(rng, prizes(situation, mover, enemy=False) or [world.capitals[mover]])
    around = land_neighbours(situation, city, list(world.capitals))
    enemies = [n for n, each in enumerate(world.powers) if each.side != side]
    if len(around) < 2 or situation.owners[city] != mover:
        return None
    front = pick(rng, around)
    reserve = pick(rng, [area for area in around if area != front])
    if world.areas[reserve].city:
        return None
    enemy = pick(rng, enemies)
    situation = with_owner(with_owner(without_units(situation, city, front, reserve), front, enemy), reserve, mover)
    situation = with_army(situation, enemy, front, foot_army(rng, 4, 9))
    situation = with_army(situation, mover, city, {INFANTRY: int(rng.integers(1, 3))})
    helping = foot_army(rng, 5, 11)
    saved = with_army(situation, mover, city, helping)
    situation = with_army(situation, mover, reserve, helping)
    danger, safe = take_chance(situation, city, side), take_chance(saved, city, side)
    if danger < RISK or safe > SAFE or strike(situation, mover, front)[WIN] > 0.4:
        return None
    if not is_best(situation, worth_of(situation, city), city, reserve) or is_needed_elsewhere(saved, city, reserve):
        return None
    return position(KINDS[3], situation, city, front)


def is_needed_elsewhere(situation: Situation, city: int, reserve: int) -> bool:
    """Whether another prize of the side, where help from the reserve could go too, is in danger: then none is clear."""
    world, steps = situation.world, ground_of(make_game(GAME)).steps
    side = world.powers[situation.mover].side
    friends = [power for power, each in enumerate(world.powers) if each.side == side]
    held = {area for power in friends for area in prizes(situation, power, enemy=False)} - {city}
    return any(steps[reserve, area] and take_chance(situation, area, side) > SAFE for area in held)


def position(kind: str, situation: Situation, area: int, other: int) -> Position:
    """A position with its words."""
    world = situation.world
    words = f"{world.powers[situation.mover].name}: {kind} {world.areas[area].name} ({world.areas[other].name})"
    return Position(kind, words, situation, area, other)


MAKERS: dict[str, Callable[[core.Rng], Position | None]] = dict(
    zip(KINDS, (open_city, open_coast, trapped_fleet, city_to_hold), strict=True)
)
