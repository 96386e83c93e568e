"""One side of a battle: who fires with which strength, and who is lost first."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from math import comb, prod
from typing import NamedTuple

import msgspec

from kibitz_axis.battle.problem import Battle, Order
from kibitz_axis.units import Army, Unit

SIDES = 6
"""Of a die."""
Targets = Callable[[Unit], bool]


def anything(unit: Unit) -> bool:
    """Every unit may be hit."""
    return True


def ships(unit: Unit) -> bool:
    """Submarines hit ships only."""
    return unit.domain == "sea"


def aircraft(unit: Unit) -> bool:
    """Guns against aircraft hit nothing else."""
    return unit.domain == "air"


def takes(unit: Unit) -> bool:
    """Land units that are still in the battle take the area; aircraft and ships do not."""
    return unit.domain == "land" and unit.fights


class Kinds(NamedTuple):
    """The kinds of units that a battle tells apart: those of a list, then the damaged."""

    units: tuple[Unit, ...]
    after_hit: tuple[int, ...]
    """What a hit makes of each; -1 is gone."""


@lru_cache(maxsize=64)
def kinds_of(units: tuple[Unit, ...]) -> Kinds:
    """The kinds that a battle of such units tells apart."""
    kinds, after_hit = list(units), [-1] * len(units)
    for place, unit in enumerate(kinds):  # grows while it is walked along: two hits to go, then one
        if unit.hits > 1:
            after_hit[place] = len(kinds)
            whole = unit.name.removeprefix("damaged ")
            kinds.append(msgspec.structs.replace(unit, name=f"damaged {whole}", hits=unit.hits - 1))
            after_hit.append(-1)
    return Kinds(tuple(kinds), tuple(after_hit))


class Side:
    """Attackers or defenders; an army here also counts the damaged."""

    def __init__(self, units: tuple[Unit, ...], attacking: bool, order: Order = "cheapest") -> None:
        self.units, self.attacking, self.order = units, attacking, order
        self.kinds = kinds_of(units).units

    def fighting(self, army: Army, *, at_sea: bool) -> Army:
        """The units of an army that fight to the end: what only shoots once, or is only captured, is left out."""
        others = (0,) * (len(self.kinds) - len(army))
        takes_part = [unit.fights and (at_sea or unit.domain != "sea") for unit in self.units]
        return tuple(count * fights for count, fights in zip(army, takes_part, strict=True)) + others

    def strengths(self, army: Army, fires: Targets = anything) -> tuple[int, ...]:
        """How many units fire with strength 0, 1, … 6; attackers for whom there is support have 1 more."""
        counts = [0] * (SIDES + 1)
        support = sum(count for count, unit in zip(army, self.kinds, strict=True) if unit.supports)
        for count, unit in zip(army, self.kinds, strict=True):
            strength = unit.attack if self.attacking else unit.defence
            lifted = min(count, support) if self.attacking and unit.supported and unit.fights else 0
            support -= lifted
            if count and fires(unit):
                counts[min(SIDES, strength + 1)] += lifted
                counts[strength] += count - lifted
        return tuple(counts)


def sides_of(battle: Battle) -> tuple[Side, Side]:
    """Attackers and defenders of a battle."""
    rules = battle.rules
    attackers, defenders = (ranked_units(battle.units, order) for order in (rules.attacker_order, rules.defender_order))
    return Side(attackers, True, rules.attacker_losses), Side(defenders, False, rules.defender_losses)


@lru_cache(maxsize=64)
def ranked_units(units: tuple[Unit, ...], order: tuple[int, ...]) -> tuple[Unit, ...]:
    """The units with places in an order of loss instead of prices, for the side that loses them so."""
    if not order:
        return units
    rest = sorted((place for place in range(len(units)) if place not in order), key=lambda place: units[place].price)
    ranks = {place: rank for rank, place in enumerate((*order, *rest))}
    return tuple(msgspec.structs.replace(unit, price=ranks[place]) for place, unit in enumerate(units))


def survivors(army: Sequence[int], units: Sequence[Unit]) -> Army:
    """An army with the damaged counted among the whole, as it goes on after the battle."""
    if len(army) == len(units):
        return tuple(army)
    kinds, after_hit = kinds_of(tuple(units))
    left = list(army)
    for place in reversed(range(len(kinds))):
        if after_hit[place] >= 0:
            left[place] += left[after_hit[place]]
    return tuple(left[: len(units)])


def hit_chances(strengths: Sequence[int], low_luck: bool) -> list[float]:
    """How likely 0, 1, 2 … hits are from so many units of strength 0, 1, … 6."""
    if low_luck:
        sure, rest = divmod(sum(strength * count for strength, count in enumerate(strengths)), SIDES)
        return [0.0] * sure + [(SIDES - rest) / SIDES, *([rest / SIDES] if rest else [])]
    chances = [1.0]
    for strength, count in enumerate(strengths):
        hit = strength / SIDES
        for _ in range(count if strength else 0):
            missed, scored = [chance * (1.0 - hit) for chance in chances], [chance * hit for chance in chances]
            chances = [one + other for one, other in zip([*missed, 0.0], [0.0, *scored], strict=True)]
    return chances


def bombardment(battle: Battle) -> tuple[int, ...]:
    """The strengths of the ships that fire once before a landing: of each strength how many."""
    if battle.at_sea():
        return (0,) * (SIDES + 1)
    attacker = Side(battle.units, True)
    return attacker.strengths(battle.attackers + (0,) * (len(attacker.kinds) - len(battle.units)), ships)


def shot_down(battle: Battle, army: Army) -> list[tuple[Army, float]]:
    """What is left of the attackers, and how likely, after a gun fired at every aircraft; all, if there is none.

    With low luck six of a kind lose one for sure, and of those left over as many as the dice say are lost by lot.
    """
    if not any(unit.anti_air for unit in battle.present(battle.defenders)):
        return [(army, 1.0)]
    kinds = kinds_of(battle.units).units
    flying = [place for place, unit in enumerate(kinds) if army[place] and aircraft(unit)]
    over = [army[place] % SIDES if battle.rules.low_luck else army[place] for place in flying]
    sure = [army[place] // SIDES if battle.rules.low_luck else 0 for place in flying]
    hits = hit_chances((0, sum(over)), battle.rules.low_luck)
    found = []
    for lost in product(*(range(number + 1) for number in over)):
        total = sum(lost)
        if total >= len(hits) or hits[total] == 0.0:
            continue
        lots = prod(comb(number, some) for number, some in zip(over, lost, strict=True)) / comb(sum(over), total)
        left = list(army)
        for place, some, more in zip(flying, lost, sure, strict=True):
            left[place] -= some + more
        found.append((tuple(left), hits[total] * lots))
    return found
