"""One side of a battle: who fires with which strength, and who is lost first."""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

import msgspec

from kibitz.games.axis.battle.problem import Battle, Order
from kibitz.games.axis.units import Army, Unit

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


@lru_cache(maxsize=64)
def with_damaged(units: tuple[Unit, ...]) -> tuple[tuple[Unit, ...], tuple[int, ...]]:
    """The kinds of units in a battle, the damaged ones last, and what a hit makes of each (-1: gone)."""
    kinds, becomes = list(units), [-1] * len(units)
    for place, unit in enumerate(kinds):  # grows while it is walked along: two hits to go, then one
        if unit.hits > 1:
            becomes[place] = len(kinds)
            whole = unit.name.removeprefix("damaged ")
            kinds.append(msgspec.structs.replace(unit, name=f"damaged {whole}", hits=unit.hits - 1))
            becomes.append(-1)
    return tuple(kinds), tuple(becomes)


class Side:
    """Attackers or defenders; an army here also counts the damaged."""

    def __init__(self, units: tuple[Unit, ...], attacking: bool, order: Order = "cheapest") -> None:
        self.units, self.attacking, self.order = units, attacking, order
        self.kinds, self.becomes = with_damaged(units)

    @cached_property
    def points(self) -> tuple[int, ...]:
        """How many hits one of each kind takes."""
        return tuple(unit.hits for unit in self.kinds)

    def fighting(self, army: Army, *, at_sea: bool) -> Army:
        """The units of an army that fight to the end: what only shoots once, or is only captured, is left out."""
        damaged = (0,) * (len(self.kinds) - len(army))
        takes_part = [unit.fights and (at_sea or unit.domain != "sea") for unit in self.units]
        return tuple(count * fights for count, fights in zip(army, takes_part, strict=True)) + damaged

    def hits_left(self, army: Army) -> int:
        """How many hits destroy all of an army."""
        return sum(count * points for count, points in zip(army, self.points, strict=True))

    def strengths(self, army: Army, fires: Targets = anything) -> tuple[int, ...]:
        """How many units fire with strength 0, 1, … 6; attackers for whom there is support have 1 more."""
        counts = [0] * (SIDES + 1)
        support = sum(count for count, unit in zip(army, self.kinds, strict=True) if unit.supports)
        for count, unit in zip(army, self.kinds, strict=True):
            if not count or not fires(unit):
                continue
            strength = unit.attack if self.attacking else unit.defence
            lifted = min(count, support) if self.attacking and unit.supported else 0
            support -= lifted
            counts[min(SIDES, strength + 1)] += lifted
            counts[strength] += count - lifted
        return tuple(counts)

    def strength(self, army: Army) -> int:
        """All strengths added up."""
        return sum(strength * count for strength, count in enumerate(self.strengths(army)))

    def next_loss(self, army: Army, targets: Targets = anything) -> int | None:
        """The kind that takes the next hit; None where nothing can be hit."""
        places = [place for place, unit in enumerate(self.kinds) if army[place] and targets(unit)]
        if self.order == "land":
            last = [place for place, unit in enumerate(self.kinds) if army[place] and unit.domain == "land"]
            if sum(army[place] for place in last) == 1 and len(places) > 1:
                places = [place for place in places if place not in last]
        return min(places, key=lambda place: self.regret(army, place), default=None)

    def regret(self, army: Army, place: int) -> tuple[float, ...]:
        """What is lost with a hit on this kind, the least first: nothing where it only gets damaged."""
        unit = self.kinds[place]
        if self.becomes[place] >= 0:
            return (0.0, 0.0, float(place))
        if self.order == "pairs":
            return (1.0 + self.strength(army) - self.strength(self.hit(army, place)), unit.cost, float(place))
        return (unit.cost, unit.attack if self.attacking else unit.defence, float(place))

    def hit(self, army: Army, place: int) -> Army:
        """The army after a hit on a unit of one kind."""
        left = list(army)
        left[place] -= 1
        if self.becomes[place] >= 0:
            left[self.becomes[place]] += 1
        return tuple(left)

    def lose(self, army: Army, hits: int, targets: Targets = anything) -> Army:
        """The army after *hits*, taken in the side's order; what nothing can take is lost."""
        for _ in range(hits):
            place = self.next_loss(army, targets)
            if place is None:
                break
            army = self.hit(army, place)
        return army

    def lost_one_by_one(self, army: Army) -> list[Army]:
        """The army, then what is left of it after every further hit, down to nothing."""
        found = [army]
        while any(found[-1]):
            found.append(self.lose(found[-1], 1))
        return found


def sides_of(battle: Battle) -> tuple[Side, Side]:
    """Attackers and defenders of a battle."""
    rules = battle.rules
    return Side(battle.units, True, rules.attacker_losses), Side(battle.units, False, rules.defender_losses)


def survivors(army: Sequence[int], units: Sequence[Unit]) -> Army:
    """An army with the damaged counted among the whole, as it goes on after the battle."""
    if len(army) == len(units):
        return tuple(army)
    kinds, becomes = with_damaged(tuple(units))
    left = list(army)
    for place in range(len(kinds)):
        if becomes[place] >= 0:
            left[place] += left[becomes[place]]
    return tuple(left[: len(units)])
