"""A battle as kernels want it: of both sides the armies that may be left, as tables, and where the battle begins."""

from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadGame
from kibitz_axis.battle import kernels, losses
from kibitz_axis.battle.problem import Armies, Battle, battle_text
from kibitz_axis.battle.side import aircraft, bombardment, kinds_of, shot_down, sides_of
from kibitz_axis.units import Army, Unit

MOST_STARTS = 100_000
"""In so many ways guns may thin out the aircraft."""


class Tables(NamedTuple):
    """Of both sides all armies that may be left, their table, and how likely it is that each of them begins."""

    attackers: NDArray[np.int64]
    attack: NDArray[np.int64]
    attackers_start: NDArray[np.float64]
    defenders: NDArray[np.int64]
    defence: NDArray[np.int64]
    defenders_start: NDArray[np.float64]

    def steps(self, rounds: int) -> float:
        """About how many pairs of rolls have to be looked at: one takes 1 to 3 ns."""
        work = 1.0 * max(1, rounds)
        for table in (self.attack, self.defence):
            work *= float((table[:, losses.LEFT] + 1).sum())
        shots = [int(table[:, losses.SHOTS].max()) + 1 for table in (self.attack, self.defence)]
        screens = [bool(table[:, losses.SCREEN].any()) for table in (self.attack, self.defence)]
        # Hits on a side without a destroyer are gone through one by one where the other side has one.
        alone = [shot for shot, screened in zip(shots, screens, strict=True) if screened != any(screens)]
        return work * max(alone, default=1)

    def chances_by_armies(self, grid: NDArray[np.float64] | NDArray[np.int64]) -> dict[Armies, float]:
        """What a grid says of each pair of armies, where it says anything."""
        return chances_by_armies(grid, self.attackers, self.defenders)


def chances_by_armies(
    grid: NDArray[np.float64] | NDArray[np.int64], attackers: NDArray[np.int64], defenders: NDArray[np.int64]
) -> dict[Armies, float]:
    """What a grid says of each pair of armies, where it says anything."""
    rows, columns = np.nonzero(grid)
    cells = zip(attackers[rows].tolist(), defenders[columns].tolist(), grid[rows, columns].tolist(), strict=True)
    return {(tuple(one), tuple(other)): value for one, other, value in cells}


def battle_tables(battle: Battle) -> Tables:
    """A battle in which losses are taken in a fixed order, as kernels want it."""
    sides, armies = sides_of(battle), fighting_armies(battle)
    hunting = [any(army[place] for place, unit in enumerate(battle.units) if unit.surprise) for army in armies]
    begun = attackers_shot_at(battle, armies[0])
    starts = np.array([army for army, _ in begun], dtype=np.int64)
    attackers, attack, rows = losses.army_table(
        starts, traits(sides[0].units), True, losses.ORDERS[sides[0].order], hunting[1]
    )
    defenders, defence, first = losses.army_table(
        np.array([armies[1]], dtype=np.int64),
        *(traits(sides[1].units), False, losses.ORDERS[sides[1].order], hunting[0]),
    )
    start, landed = np.zeros(len(attack)), np.zeros(len(defence))
    start[rows] = [chance for _, chance in begun]
    row = int(first[0])
    for chance in bombardment_chances(battle):
        landed[row] += chance
        row = int(defence[row, losses.ANY_HIT])
    return Tables(attackers, attack, start, defenders, defence, landed)


def fighting_armies(battle: Battle) -> Armies:
    """The units of both sides that fight to the end."""
    (attacker, defender), at_sea = sides_of(battle), battle.at_sea()
    return attacker.fighting(battle.attackers, at_sea=at_sea), defender.fighting(battle.defenders, at_sea=at_sea)


def attackers_shot_at(battle: Battle, army: Army) -> list[tuple[Army, float]]:
    """What guns may leave of the attackers before the first round, and how likely that is."""
    kinds = kinds_of(battle.units).units
    ways = prod(1 + count for count, unit in zip(army, kinds, strict=True) if aircraft(unit))
    if ways > MOST_STARTS and not battle.rules.low_luck:
        raise BadGame(battle_text(battle), f"guns may leave {ways:,} different armies; ask for fewer aircraft")
    return shot_down(battle, army)


def bombardment_chances(battle: Battle) -> list[float]:
    """How likely 0, 1, 2 … hits are before the first round."""
    strengths = np.array(bombardment(battle), dtype=np.int64)
    hits = np.zeros(int(strengths.sum()) + 2)
    kernels.hit_chances(strengths, battle.rules.low_luck, hits)
    return [float(chance) for chance in np.trim_zeros(hits, "b")]


@lru_cache(maxsize=64)
def traits(units: tuple[Unit, ...]) -> NDArray[np.int64]:
    """What kernels must know of every kind of unit, the damaged included, in their columns' order."""
    kinds, after_hit = kinds_of(units)
    rows = [
        (
            *(unit.attack, unit.defence, unit.price, unit.hits, hit, unit.supports, unit.supported),
            *(unit.domain == "land", unit.domain == "sea", unit.surprise, unit.detects, unit.fights),
        )
        for unit, hit in zip(kinds, after_hit, strict=True)
    ]
    return np.array(rows, dtype=np.int64)
