"""How a battle may end, worked out exactly: by kernels where they know it, by the reference where not."""

from functools import lru_cache
from math import fsum

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadGame
from kibitz.games.axis.battle import kernels, reference
from kibitz.games.axis.battle.optimal import optimal_outcomes
from kibitz.games.axis.battle.problem import Battle, battle_text, checked
from kibitz.games.axis.battle.side import Side, sides_of, with_damaged
from kibitz.games.axis.units import Army, Unit

KEPT = 4096
"""So many battles are remembered."""
MOST_STEPS = 5_000_000
"""Pairs of rolls in pairs of armies that the reference looks at in half a minute."""


class Ending(msgspec.Struct, frozen=True):
    """What may be left of both sides, the damaged counted apart (see `side.with_damaged`)."""

    attackers: Army
    defenders: Army
    probability: float


@lru_cache(maxsize=KEPT)
def endings(battle: Battle) -> tuple[Ending, ...]:
    """Every way the battle may end, in a fixed order: the more of the attackers are left the sooner.

    >>> from kibitz.games.axis.units import read_battle
    >>> [round(each.probability * 28) for each in endings(Battle(*read_battle("tank vs 2 inf")))]
    [4, 2, 12, 10]
    """
    found = worked_out(manageable(checked(battle)))
    total = fsum(found.values())  # 1 but for rounding
    ordered = sorted(found.items(), key=lambda item: (item[0][0], [-count for count in item[0][1]]), reverse=True)
    return tuple(Ending(*armies, chance / total) for armies, chance in ordered)


def manageable(battle: Battle) -> Battle:
    """The battle, unless the reference has to work it out and would take minutes."""
    steps = 1
    for side, army in zip(sides_of(battle), (battle.attackers, battle.defenders), strict=True):
        divers = sum(count for count, unit in zip(army, battle.units, strict=True) if unit.surprise)
        steps *= side.hits_left(side.fighting(army, at_sea=battle.at_sea())) * (1 + divers) * (1 + sum(army) - divers)
    if steps > MOST_STEPS and not every_hit_counts(battle):
        raise BadGame(battle_text(battle), "with submarines too many units to work out; roll dice: --rolls 100000")
    return battle


def worked_out(battle: Battle) -> dict[reference.Armies, float]:
    """How a battle that can be fought may end, by the fastest way there is."""
    rules = battle.rules
    if "optimal" in (rules.attacker_losses, rules.defender_losses):
        found = optimal_outcomes(battle)
    elif every_hit_counts(battle):
        found = by_kernels(battle)
    else:
        found = reference.outcomes(battle, float)
    return {armies: chance for armies, chance in found.items() if chance > 0.0}


def every_hit_counts(battle: Battle) -> bool:
    """Whether every hit may fall on every unit: nobody fires at ships only, in a volley of its own."""
    return not any(
        unit.surprise and (one or other)
        for unit, one, other in zip(battle.units, battle.attackers, battle.defenders, strict=True)
    )


def by_kernels(battle: Battle) -> reference.Chances:
    """The endings by `battle_grid`, one grid for everything that may be left of the attacking aircraft."""
    attacker, defender = sides_of(battle)
    at_sea, rules = battle.at_sea(), battle.rules
    defenders, defence = ladder(defender, defender.fighting(battle.defenders, at_sea=at_sea))
    start = bombarded(battle, len(defenders))
    found: reference.Chances = {}
    for army, chance in reference.shot_down(battle, attacker.fighting(battle.attackers, at_sea=at_sea), float):
        attackers, attack = ladder(attacker, army)
        withdraw = withdrawal(attackers, rules.retreat)
        grid = kernels.battle_grid(attack, defence, start, withdraw, rules.rounds, rules.low_luck)
        rows, columns = np.nonzero(grid)
        for i, j, share in zip(rows.tolist(), columns.tolist(), grid[rows, columns].tolist(), strict=True):
            reference.add(found, (attackers[i], defenders[j]), chance * share)
    return found


def ladder(side: Side, army: Army) -> tuple[list[Army], NDArray[np.int64]]:
    """What is left of an army after 0, 1, 2 … hits, and the ladder of strengths that kernels want."""
    order = kernels.ORDERS[side.order]
    table = kernels.fallen(np.array(army, dtype=np.int64), traits(side.units), side.attacking, order)
    kinds = len(army)
    return [tuple(row) for row in table[:, :kinds].tolist()], np.ascontiguousarray(table[:, kinds:])


@lru_cache(maxsize=64)
def traits(units: tuple[Unit, ...]) -> NDArray[np.int64]:
    """What kernels must know of every kind of unit, the damaged included, in the order of their columns."""
    kinds, becomes = with_damaged(units)
    rows = [
        (u.attack, u.defence, u.cost, u.hits, after, u.supports, u.supported, u.domain == "land")
        for u, after in zip(kinds, becomes, strict=True)
    ]
    return np.array(rows, dtype=np.int64)


def withdrawal(armies: list[Army], retreat: int) -> int:
    """After how many hits so few are left that they withdraw."""
    if not retreat:
        return len(armies) - 1
    return next(hits for hits, army in enumerate(armies) if sum(army) <= retreat)


def bombarded(battle: Battle, most: int) -> NDArray[np.float64]:
    """How likely the defenders are to have taken 0, 1, 2 … hits before the first round, *most* rows of a ladder."""
    start = np.zeros(most)
    strengths = reference.bombardment(battle)
    for hits, chance in enumerate(
        reference.hit_chances(strengths, battle.rules.low_luck, float) if strengths else [1.0]
    ):
        start[min(hits, most - 1)] += chance
    return start
