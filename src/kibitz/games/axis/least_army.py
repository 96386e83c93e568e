"""The cheapest army that wins a battle with a wanted probability: prices are halved in on, mixes are tried out."""

from collections.abc import Iterator
from math import fsum

import msgspec

from kibitz.core.abilities.odds import LeastArmy
from kibitz.core.errors import BadGame, BadSpec
from kibitz.games.axis.battle.exact import endings
from kibitz.games.axis.battle.problem import Battle, battle_text
from kibitz.games.axis.battle.side import kinds_of, takes
from kibitz.games.axis.units import Army

MOST_COST, MOST_MIXES = 400, 3_000
"""The most that an army may cost, and how many mixes of one price are tried: those nearest to two kinds first."""


def least_army(battle: Battle, chance: float) -> LeastArmy:
    """The cheapest attackers that win with at least this probability; of equal price those that win most often."""
    if not 0.0 < chance < 1.0:
        raise BadSpec(f"{chance:g}", "the probability of a win is a number between 0 and 1")
    search = Search(battle)
    low, high = 0, 8
    while search.best(high)[1] < chance:
        low, high = high, 2 * high
        if high > MOST_COST:
            raise BadGame(battle_text(battle), f"no army of up to {MOST_COST} IPC wins with {chance:.1%}")
    while high - low > 1:
        middle = (low + high) // 2
        if search.best(middle)[1] >= chance:
            high = middle
        else:
            low = middle
    army, won = search.best(high)
    cost = sum(count * unit.cost for count, unit in zip(army, battle.units, strict=True))
    named = {unit.name: count for count, unit in zip(army, battle.units, strict=True) if count}
    return LeastArmy(named, cost, won, len(search.known))


class Search:
    """Armies of a price, and how likely each wins."""

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.at_sea = battle.at_sea()
        domains = ("sea", "air") if self.at_sea else ("land", "air")
        units = enumerate(battle.units)
        self.kinds = [kind for kind, unit in units if unit.domain in domains and unit.attack and unit.cost]
        self.known: dict[Army, float] = {}
        self.bests: dict[int, tuple[Army, float]] = {}

    def best(self, money: int) -> tuple[Army, float]:
        """The army that wins most often of those that the money buys and that leave less than one unit unbought."""
        if money not in self.bests:
            armies = [army for army in self.mixes(money) if self.can_win(army)]
            found = max(((self.chance(army), army) for army in armies), default=(0.0, (0,) * len(self.battle.units)))
            self.bests[money] = found[1], found[0]
        return self.bests[money]

    def can_win(self, army: Army) -> bool:
        """Whether an army has what it takes to take the area."""
        return any(army) and (self.at_sea or any(c and takes(u) for c, u in zip(army, self.battle.units, strict=True)))

    def mixes(self, money: int) -> Iterator[Army]:
        """Armies that the money buys: of up to three kinds, the dearest kinds in small numbers."""
        prices = {kind: self.battle.units[kind].cost for kind in self.kinds}
        cheapest = min(prices.values(), default=1)
        seen = 0
        ordered = sorted(self.kinds, key=lambda kind: prices[kind])
        for counts in _fillings([prices[kind] for kind in ordered], money, cheapest):
            if sum(count > 0 for count in counts) > 3:
                continue
            army = [0] * len(self.battle.units)
            for kind, count in zip(ordered, counts, strict=True):
                army[kind] = count
            seen += 1
            if seen > MOST_MIXES:
                return
            yield tuple(army)

    def chance(self, army: Army) -> float:
        """How likely an army takes the area, or at sea is left alone."""
        if army not in self.known:
            battle = msgspec.structs.replace(self.battle, attackers=army)
            kinds = kinds_of(battle.units).units
            wins = [
                each.probability
                for each in endings(battle)
                if not any(each.defenders)
                and any(
                    count and unit.fights and (self.at_sea or takes(unit))
                    for count, unit in zip(each.attackers, kinds, strict=True)
                )
            ]
            self.known[army] = min(1.0, fsum(wins))
        return self.known[army]


def _fillings(prices: list[int], money: int, cheapest: int) -> Iterator[tuple[int, ...]]:
    """All numbers of things with these prices that leave less money than the cheapest costs."""
    if len(prices) == 1:
        most = money // prices[0]
        if money - most * prices[0] < cheapest:
            yield (most,)
        return
    for count in range(money // prices[-1] + 1):
        for rest in _fillings(prices[:-1], money - count * prices[-1], cheapest):
            yield (*rest, count)
