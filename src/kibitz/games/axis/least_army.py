"""The cheapest army that wins a battle with a wanted probability."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from math import fsum

from msgspec.structs import replace

from kibitz.core.errors import BadGame, BadSpec
from kibitz.core.kit.odds import LeastArmy
from kibitz.games.axis.battle.exact import endings
from kibitz.games.axis.battle.problem import Battle, battle_text
from kibitz.games.axis.battle.side import kinds_of, takes
from kibitz.games.axis.units import Army

MOST_COST, MOST_MIXES, MOST_KINDS = 400, 3_000, 3
"""The most that an army may cost, how many mixes of one price are tried, and of how many kinds a mix is."""


def least_army(battle: Battle, chance: float) -> LeastArmy:
    """The cheapest attackers that win with at least this probability; of equal price those that win most often."""
    if not 0.0 < chance < 1.0:
        raise BadSpec(f"{chance:g}", "the probability of a win is a number between 0 and 1")
    units, at_sea, nothing = battle.units, battle.at_sea(), (0,) * len(battle.units)
    domains = ("sea" if at_sea else "land", "air")
    kinds = [kind for kind, unit in enumerate(units) if unit.domain in domains and unit.attack and unit.cost]
    kinds.sort(key=lambda kind: units[kind].cost)
    prices = [units[kind].cost for kind in kinds]
    able = [unit.fights and (at_sea or takes(unit)) for unit in kinds_of(units).units]

    @cache
    def probability(army: Army) -> float:
        """How likely an army takes the area, or at sea is left alone."""
        found = (each for each in endings(replace(battle, attackers=army)) if not any(each.defenders))
        held = (e.probability for e in found if any(n and wins for n, wins in zip(e.attackers, able, strict=True)))
        return min(1.0, fsum(held))

    @cache
    def best(money: int) -> tuple[float, Army]:
        """The army that wins most often of those that the money buys, with less than one unit unbought."""
        mixes = (mix for mix in _mixes(prices, money, prices[0]) if sum(map(bool, mix)) <= MOST_KINDS)
        armies = (_army(nothing, kinds, mix) for mix in islice(mixes, MOST_MIXES))
        fit = (army for army in armies if any(n and (at_sea or takes(u)) for n, u in zip(army, units, strict=True)))
        return max(((probability(army), army) for army in fit), default=(0.0, nothing))

    low, high = 0, 8
    while best(high)[0] < chance:
        low, high = high, 2 * high
        if high > MOST_COST:
            raise BadGame(battle_text(battle), f"no army of up to {MOST_COST} IPC wins with {chance:.1%}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if best(middle)[0] >= chance else (middle, high)
    won, army = best(high)
    named = {unit.name: count for count, unit in zip(army, units, strict=True) if count}
    cost = sum(count * unit.cost for count, unit in zip(army, units, strict=True))
    return LeastArmy(named, cost, won, probability.cache_info().currsize)


def _army(nothing: Army, kinds: list[int], mix: tuple[int, ...]) -> Army:
    counts = dict(zip(kinds, mix, strict=True))
    return tuple(counts.get(kind, 0) for kind in range(len(nothing)))


def _mixes(prices: list[int], money: int, cheapest: int) -> Iterator[tuple[int, ...]]:
    """All numbers of things with these prices that leave less money than the cheapest costs."""
    if len(prices) == 1:
        most = money // prices[0]
        if money - most * prices[0] < cheapest:
            yield (most,)
        return
    for count in range(money // prices[-1] + 1):
        for rest in _mixes(prices[:-1], money - count * prices[-1], cheapest):
            yield (*rest, count)
