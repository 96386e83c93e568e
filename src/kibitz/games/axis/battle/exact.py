"""How a battle may end, worked out exactly: by kernels where they know it, by the reference where not."""

from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.games.axis.battle import kernels, reference
from kibitz.games.axis.battle.optimal import optimal_outcomes
from kibitz.games.axis.battle.problem import Battle, checked
from kibitz.games.axis.battle.side import Side, sides_of
from kibitz.games.axis.units import Army

KEPT = 4096
"""So many battles are remembered."""


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
    checked(battle)
    rules = battle.rules
    if "optimal" in (rules.attacker_losses, rules.defender_losses):
        found = optimal_outcomes(battle)
    elif every_hit_counts(battle):
        found = by_kernels(battle)
    else:
        found = reference.outcomes(battle, float)
    ordered = sorted(found.items(), key=lambda item: (item[0][0], [-count for count in item[0][1]]), reverse=True)
    return tuple(Ending(*armies, float(chance)) for armies, chance in ordered if chance > 0.0)


def every_hit_counts(battle: Battle) -> bool:
    """Whether every hit may fall on every unit: nobody fires at ships only, in a volley of its own."""
    return not any(unit.surprise for unit in battle.present(battle.attackers) + battle.present(battle.defenders))


def by_kernels(battle: Battle) -> reference.Chances:
    """The endings by `battle_grid`, one grid for everything that may be left of the attacking aircraft."""
    attacker, defender = sides_of(battle)
    at_sea, rules = battle.at_sea(), battle.rules
    defenders = defender.lost_one_by_one(defender.fighting(battle.defenders, at_sea=at_sea))
    defence, start = ladder(defender, defenders), bombarded(battle, len(defenders))
    found: reference.Chances = {}
    for army, chance in reference.shot_down(battle, attacker.fighting(battle.attackers, at_sea=at_sea), float):
        attackers = attacker.lost_one_by_one(army)
        attack, withdraw = ladder(attacker, attackers), withdrawal(attackers, rules.retreat)
        grid = kernels.battle_grid(attack, defence, start, withdraw, rules.rounds, rules.low_luck)
        for i, j in zip(*map(np.ndarray.tolist, np.nonzero(grid)), strict=True):
            reference.add(found, (attackers[i], defenders[j]), chance * float(grid[i, j]))
    return found


def ladder(side: Side, armies: list[Army]) -> NDArray[np.int64]:
    """The strengths of ever smaller armies, as kernels want them."""
    return np.array([side.strengths(army) for army in armies], dtype=np.int64)


def withdrawal(armies: list[Army], retreat: int) -> int:
    """After how many hits so few are left that they withdraw."""
    return next(hits for hits, army in enumerate(armies) if sum(army) <= retreat)


def bombarded(battle: Battle, most: int) -> NDArray[np.float64]:
    """How likely the defenders are to have taken 0, 1, 2 … hits before the first round, *most* rows of a ladder."""
    chances = reference.hit_chances(reference.bombardment(battle), battle.rules.low_luck, float)
    start = np.zeros(most)
    for hits, chance in enumerate(chances):
        start[min(hits, most - 1)] += chance
    return start
