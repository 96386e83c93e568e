"""Dice: who fires with which strength, and how likely each number of hits is, with luck or with little."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from kibitz.games.axis.full.situation import Situation, Stack
from kibitz.games.axis.full.units import HEAVY_BOMBERS

HEAVY_DICE = 2
"""The dice of a heavy bomber."""


class Shot(NamedTuple):
    """The dice of one unit: it hits with each die up to its strength, or once with the best of them."""

    strength: int
    dice: int = 1
    best: bool = False

    def hits(self, faces: Sequence[int]) -> int:
        """How often it hits with these dice."""
        struck = sum(face <= self.strength for face in faces)
        return min(1, struck) if self.best else struck


Odds = tuple[tuple[int, float], ...]
"""Numbers and how likely each is, in order."""


def attack_shots(situation: Situation, stacks: Iterable[tuple[Stack, int]]) -> list[Shot]:
    """The dice of attackers, artillery lifting one infantry each."""
    stacks, kinds = list(stacks), situation.world.units.kinds
    lifted = sum(number for stack, number in stacks if kinds[stack.kind].supports)
    shots: list[Shot] = []
    for stack, number in stacks:
        arsenal = situation.arsenal(stack.power)
        for _ in range(number):
            strength = arsenal.attack(stack.kind)
            if kinds[stack.kind].supported and lifted:
                lifted, strength = lifted - 1, min(6, strength + 1)
            if kinds[stack.kind].raids and arsenal.knows(HEAVY_BOMBERS):
                shots.append(Shot(strength, HEAVY_DICE, best=situation.rules.lhtr))
            elif strength:
                shots.append(Shot(strength))
    return shots


def defence_shots(situation: Situation, stacks: Iterable[tuple[Stack, int]]) -> list[Shot]:
    """The dice of defenders."""
    shots: list[Shot] = []
    for stack, number in stacks:
        arsenal = situation.arsenal(stack.power)
        shot = Shot(arsenal.defence(stack.kind))
        raids = situation.world.units.kinds[stack.kind].raids
        if raids and arsenal.knows(HEAVY_BOMBERS) and situation.rules.lhtr:
            shot = Shot(shot.strength, HEAVY_DICE, best=True)
        shots += [shot] * number if shot.strength else []
    return shots


def hits_of_dice(shots: Sequence[Shot], faces: Iterable[int]) -> int:
    """The hits of dice rolled in the order of the shots."""
    rolled = iter(faces)
    return sum(shot.hits([next(rolled) for _ in range(shot.dice)]) for shot in shots)


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
