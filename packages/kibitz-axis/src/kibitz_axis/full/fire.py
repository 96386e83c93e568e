"""Dice: who fires with which strength, and how likely each number of hits is, with luck or with little."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from kibitz.core.kernels.structs import zeros
from kibitz_axis.full.battles import ATTACK, BOMBARDMENT, SNEAK_ATTACK, SNEAK_DEFENCE
from kibitz_axis.full.dice import RAID_DAMAGE, RESEARCH_ROLL, ROCKET, VOLLEY, count_aimed, hit_base, what_is_rolled
from kibitz_axis.full.economy import aimed_rocket, raider_count
from kibitz_axis.full.losses import fires, is_heavy, list_bombarding, strength
from kibitz_axis.full.position import Position, Setting, Stack
from kibitz_axis.full.stacks import ATTACKER, DEFENDER, first_in, knows
from kibitz_axis.full.units import HEAVY_BOMBERS

HEAVY_DICE = 2
"""The dice of a heavy bomber."""


class Shot(NamedTuple):
    """The dice of one unit: it hits with each die up to its strength, or once with the best of them."""

    strength: int
    dice: int = 1
    best: bool = False


Odds = tuple[tuple[int, float], ...]
"""Numbers and how likely each is, in order."""


def attack_shots(game: Setting, position: Position, stacks: Sequence[Stack]) -> list[Shot]:
    """The dice of attackers, artillery lifting one infantry each."""
    lifted = sum(stack.count for stack in stacks if game.kinds[stack.kind].supports)
    shots: list[Shot] = []
    for stack in stacks:
        for _ in range(stack.count):
            power = strength(game, position, stack, ATTACKER)
            if game.kinds[stack.kind].supported and lifted:
                lifted, power = lifted - 1, min(6, power + 1)
            if is_heavy(game, position, stack):
                shots.append(Shot(power, HEAVY_DICE, best=bool(game.lhtr)))
            elif power:
                shots.append(Shot(power))
    return shots


def defence_shots(game: Setting, position: Position, stacks: Sequence[Stack]) -> list[Shot]:
    """The dice of defenders."""
    shots: list[Shot] = []
    for stack in stacks:
        shot = Shot(strength(game, position, stack, DEFENDER))
        if game.lhtr and is_heavy(game, position, stack):
            shot = Shot(shot.strength, HEAVY_DICE, best=True)
        shots += [shot] * stack.count if shot.strength else []
    return shots


def volley(game: Setting, position: Position) -> tuple[Shot, ...]:
    """The dice that are rolled at this step of a battle."""
    area, step, stacks = position.battle, position.step, position.stacks
    if step == BOMBARDMENT:
        places = zeros(len(stacks))
        count = list_bombarding(game, position, area, places)
        return tuple(attack_shots(game, position, [stacks[place] for place in places[:count]]))
    sneak = step in (SNEAK_ATTACK, SNEAK_DEFENCE)
    side = step - (SNEAK_ATTACK if sneak else ATTACK)
    here = stacks[first_in(position, area) : first_in(position, area + 1)]
    firing = [stack for stack in here if fires(game, position, stack, side, sneak)]
    return tuple((attack_shots if side == ATTACKER else defence_shots)(game, position, firing))


@lru_cache(maxsize=10_000)
def hit_odds(shots: tuple[Shot, ...], low_luck: bool = False) -> Odds:
    """How likely each number of hits is."""
    if low_luck:
        total = sum(min(6, shot.strength + shot.dice - 1) if shot.best else shot.strength * shot.dice for shot in shots)
        return _sure_and_rest(total)
    odds = [1.0]
    for shot in shots:
        chance = shot.strength / 6.0
        if shot.best:
            odds = _convolve(odds, [(1.0 - chance) ** shot.dice, 1.0 - (1.0 - chance) ** shot.dice])
        else:
            for _ in range(shot.dice):
                odds = _convolve(odds, [1.0 - chance, chance])
    return tuple((hits, chance) for hits, chance in enumerate(odds) if chance > 0.0)


def _sure_and_rest(total: int) -> Odds:
    """A hit for every six, and one die for the rest."""
    sure, rest = divmod(total, 6)
    return ((sure, 1.0 - rest / 6.0), (sure + 1, rest / 6.0)) if rest else ((sure, 1.0),)


def _convolve(one: Sequence[float], other: Sequence[float]) -> list[float]:
    found = [0.0] * (len(one) + len(other) - 1)
    for i, p in enumerate(one):
        for j, q in enumerate(other):
            found[i + j] += p * q
    return found


@lru_cache(maxsize=1_000)
def gun_odds(*aircraft: int) -> tuple[tuple[tuple[int, ...], float], ...]:
    """How likely guns hit so many of each kind of aircraft: one die each, and 1 hits."""
    each = [hit_odds((Shot(1),) * number) for number in aircraft]
    return tuple((tuple(hits for hits, _ in way), prod(chance for _, chance in way)) for way in product(*each))


def raid_damage(lhtr: bool, value: int, faces: Sequence[int]) -> int:
    """What the raid of one bomber costs, at most the value of the area; two dice are those of a heavy one."""
    return min(value, max(faces) + 1 if lhtr and len(faces) == HEAVY_DICE else sum(faces))


@lru_cache(maxsize=1_000)
def _one_raid(lhtr: bool, dice: int, value: int) -> tuple[float, ...]:
    odds = [0.0] * (value + 1)
    for faces in product(range(1, 7), repeat=dice):
        odds[raid_damage(lhtr, value, faces)] += 6.0**-dice
    return tuple(odds)


def damage_odds(lhtr: bool, bombers: int, heavy: bool, value: int) -> Odds:
    """How likely each damage of a raid is."""
    one = _one_raid(lhtr, HEAVY_DICE if heavy else 1, value)
    odds = [1.0]
    for _ in range(bombers):
        odds = _convolve(odds, one)
    return tuple((damage, chance) for damage, chance in enumerate(odds) if chance > 0.0)


# What is rolled now.


def roll_odds(game: Setting, position: Position) -> Odds:
    """How likely each result of the dice is that are rolled now."""
    rolled, lhtr = what_is_rolled(game, position), bool(game.lhtr)
    if rolled == RESEARCH_ROLL:
        return hit_odds((Shot(1),) * position.dice)
    if rolled == VOLLEY:
        return hit_odds(volley(game, position), bool(game.low_luck))
    if rolled == RAID_DAMAGE:
        heavy, bombers = knows(position, position.mover, HEAVY_BOMBERS), raider_count(position, position.raid)
        return damage_odds(lhtr, bombers, heavy, game.value[position.raid])
    if rolled == ROCKET:
        return damage_odds(lhtr, 1, False, game.value[position.rockets[aimed_rocket(position)].target])
    return gun_roll_odds(aimed_aircraft(game, position, rolled))


def aimed_aircraft(game: Setting, position: Position, rolled: int) -> tuple[int, ...]:
    """How many aircraft of each kind guns fire at now."""
    counts = zeros(game.flyer_count)
    count_aimed(game, position, rolled, counts)
    return tuple(counts)


def gun_roll_odds(aircraft: tuple[int, ...]) -> Odds:
    """How likely guns hit so many of each kind, the hits as one number."""
    base, found = hit_base(list(aircraft)), dict[int, float]()
    for hits, chance in gun_odds(*aircraft):
        number = 0
        for hit, count in zip(hits, aircraft, strict=True):
            number = base * number + min(hit, base - 1) if count else number
        found[number] = found.get(number, 0.0) + chance
    return tuple(found.items())


def hits_by_kind(aircraft: tuple[int, ...], result: int) -> tuple[int, ...]:
    """The hits on each kind of aircraft that a number means, the last kind last."""
    base, found = hit_base(list(aircraft)), list[int]()
    for count in reversed(aircraft):
        result, digit = divmod(result, base) if count else (result, 0)
        found.append(digit)
    return tuple(reversed(found))
