"""The odds of a battle written as `2 inf 1 tank vs 3 inf`, in waves `… then …`, and the cheapest army that wins."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from math import fsum, sqrt
from typing import Annotated, ClassVar, Literal, NamedTuple, cast, get_args

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from kibitz.core.errors import BadGame, BadSpec, NotUnderstood
from kibitz.core.kit.odds import LeastArmy, Odds, OddsMaker, Survivors, Swing
from kibitz_axis.battle.exact import Ending, endings, sorted_endings
from kibitz_axis.battle.problem import Armies, Battle, BattleRules, Order, battle_text
from kibitz_axis.battle.side import kinds_of, survivors, takes
from kibitz_axis.battle.tables import fighting_armies
from kibitz_axis.full.board import read_world
from kibitz_axis.land.scenarios import scenario_units
from kibitz_axis.units import AGAINST, REVISED, Army, Unit, army_price, read_army, unit_named

WAVE = re.compile(r"\s*(?:;|\bthen\b)\s*", re.IGNORECASE)
ADVICE = "write attackers, 'vs' and defenders, such as '2 inf 1 tank vs 3 inf'"


class Contest(NamedTuple):
    """Who attacks whom, wave by wave."""

    waves: tuple[Army, ...]
    defenders: Army
    units: tuple[Unit, ...]


def units_of(scenario: str) -> tuple[Unit, ...]:
    """The units that may be written: those of Revised, of a land scenario, or of a TripleA map."""
    if scenario.endswith(".xml"):
        world = read_world(scenario)
        kinds = zip(world.board.units, world.units.kinds, strict=True)
        return tuple(unit for unit, kind in kinds if not kind.factory)
    return scenario_units(scenario) if scenario else REVISED


def read_contest(text: str, units: tuple[Unit, ...]) -> Contest:
    """The contest that a line means."""
    first, *later = WAVE.split(text.strip())
    sides = AGAINST.split(first)
    if len(sides) != 2:
        why = ADVICE if len(sides) < 2 else f"more than two sides; {ADVICE}"
        raise NotUnderstood(text, first or text, why)
    waves = [(part, read_army(part, units)) for part in (sides[0], *later)]
    defenders = read_army(sides[1], units)
    for part, army in waves:
        if not any(army):
            raise NotUnderstood(text, part or text, "the attacker needs at least one unit")
    if not any(defenders):
        raise NotUnderstood(text, sides[1] or text, "the defender needs at least one unit")
    return Contest(tuple(army for _, army in waves), defenders, units)


TAKEN, AIR_ONLY = "takes the territory", "air left only, retreats"
ORDERS = get_args(Order)


class BattleOdds(OddsMaker):
    """Odds of one battle. *losses* and *defender_losses* say who is lost first; *worth* is what the area is worth.

    An order of loss is one of `cheapest`, `pairs` and `land`, or kinds in the order they are lost:
    `losses='inf fighter tank'`; kinds it does not name come last, the cheapest first. The attacker withdraws when
    *retreat* units or fewer are left, or after *rounds*; 0 is never. Where both sides are destroyed, or neither can hit
    the other, it is a draw, and the defender keeps the area. Guns against aircraft are never destroyed: a land unit
    that is left captures them, otherwise they stay with the defender. Units are those of the Revised rules, or of a
    *scenario*: a name or a file.
    """

    counted_in: ClassVar[str] = "IPC"

    def __init__(
        self,
        losses: str = "cheapest",
        defender_losses: str = "same",
        retreat: Annotated[int, Meta(ge=0, le=1000)] = 0,
        rounds: Annotated[int, Meta(ge=0, le=1000)] = 0,
        low_luck: bool = False,
        worth: Annotated[int, Meta(ge=0, le=1000)] = 0,
        scenario: str = "",
    ) -> None:
        self.losses, self.defender_losses, self.retreat, self.rounds = losses, defender_losses, retreat, rounds
        self.low_luck, self.worth, self.scenario = low_luck, worth, scenario

    # Reading.

    def contest(self, text: str) -> Contest:
        """The contest that a line describes."""
        return read_contest(text, units_of(self.scenario))

    def rules(self, contest: Contest) -> BattleRules:
        """The rules of the battles of a contest."""
        first, one = self.loss_order(self.losses, "losses", contest.units)
        written = self.losses if self.defender_losses == "same" else self.defender_losses
        second, other = self.loss_order(written, "defender_losses", contest.units)
        return BattleRules(
            *(first, second, self.retreat, self.rounds, self.low_luck),
            *(self.worth, one, other),
        )

    def loss_order(self, written: str, option: str, units: Sequence[Unit]) -> tuple[Order, tuple[int, ...]]:
        """The rule by which losses are taken, and the kinds that are named in order."""
        if written in ORDERS:
            return cast(Order, written), ()
        words = written.replace(">", " ").replace(",", " ").split()
        why = f"one of {', '.join(ORDERS)}, or kinds in the order they are lost"
        try:
            named = tuple(dict.fromkeys(unit_named(word, units, written) for word in words))
        except NotUnderstood as error:
            raise BadSpec(f"{option}={written}", f"{why}; {error}") from None
        if not named:
            raise BadSpec(f"{option}={written}", why)
        return "cheapest", named

    def battle(self, text: str) -> Battle:
        """The first battle that a line describes, under these rules."""
        contest = self.contest(text)
        return Battle(contest.waves[0], contest.defenders, contest.units, self.rules(contest))

    # Answering.

    def odds(self, text: str) -> Odds:
        contest = self.contest(text)
        rules = self.rules(contest)
        battles = [Battle(wave, contest.defenders, contest.units, rules) for wave in contest.waves]
        if len(battles) == 1:
            return self.odds_of_endings(battles[0], endings(battles[0]))
        together = tuple(map(sum, zip(*contest.waves, strict=True)))
        whole = msgspec.structs.replace(battles[0], attackers=together)
        return self.odds_of_endings(whole, all_waves(battles), waves=True)

    def least_army(self, text: str, chance: float) -> LeastArmy:
        units = units_of(self.scenario)
        defenders = read_army(text.casefold().removeprefix("vs").strip(), units)
        contest = Contest((), defenders, units)
        return least_army(Battle(defenders, defenders, units, self.rules(contest)), chance)

    def odds_of_endings(self, battle: Battle, found: Sequence[Ending], waves: bool = False) -> Odds:
        """The odds that the endings of a battle make."""
        probabilities: defaultdict[str, list[float]] = defaultdict(list)
        wins: defaultdict[str, list[float]] = defaultdict(list)
        for ending in found:
            who = winner(ending, battle, waves)
            probabilities[who].append(ending.probability)
            if who == "attacker":
                wins[TAKEN if is_area_taken(ending, battle) else AIR_ONLY].append(ending.probability)
        attacker, draw, defender = (min(1.0, fsum(probabilities[who])) for who in ("attacker", "draw", "defender"))
        swings = list(zip(self.swings(battle, found), (ending.probability for ending in found), strict=True))
        mean = fsum(chance * swing for swing, chance in swings)
        spread = sqrt(fsum(chance * (swing - mean) ** 2 for swing, chance in swings))
        ranked = sorted(found, key=lambda ending: -ending.probability)
        survivors = tuple(survivors_of(ending, battle) for ending in ranked)
        flying = any(unit.domain == "air" for unit in battle.present(battle.attackers))
        names = () if battle.at_sea() else (TAKEN, AIR_ONLY) if flying else (TAKEN,)
        parts = {name: min(1.0, fsum(wins[name])) for name in names}
        return Odds(attacker, draw, defender, survivors, Swing(mean, spread), parts, profits_of(swings))

    def swings(self, battle: Battle, found: Sequence[Ending]) -> Iterator[float]:
        """Of every ending what the defender lost less what the attacker lost, and the area if it is taken."""
        kinds = kinds_of(battle.units).units
        attackers, defenders = fighting_armies(battle)
        before = army_price(defenders, kinds) - army_price(attackers, kinds)
        for ending in found:
            left = army_price(ending.attackers, kinds) - army_price(ending.defenders, kinds)
            yield before + left + (battle.rules.worth if is_area_taken(ending, battle) else 0)


def profits_of(swings: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """How likely each swing is, the smallest first."""
    found: defaultdict[float, list[float]] = defaultdict(list)
    for swing, chance in swings:
        found[float(swing)].append(chance)
    return tuple((swing, fsum(chances)) for swing, chances in sorted(found.items()))


def in_battle(army: Army, battle: Battle) -> bool:
    """Whether anything is left of an army that fights."""
    return any(count and unit.fights for count, unit in zip(army, kinds_of(battle.units).units, strict=True))


def winner(ending: Ending, battle: Battle, withdrawn: bool = False) -> Literal["attacker", "defender", "draw"]:
    """Who is left: the attacker, the defender (who is also where the attacker withdrew), or a draw."""
    attackers, defenders = in_battle(ending.attackers, battle), in_battle(ending.defenders, battle)
    if attackers and defenders:
        return "defender" if withdrawn or battle.rules.retreat or battle.rules.rounds else "draw"
    if not any(unit.fights for unit in battle.present(battle.defenders)):  # guns alone, which aircraft cannot hit
        return "attacker" if is_area_taken(ending, battle) else "draw" if attackers else "defender"
    return "attacker" if attackers else "defender" if defenders else "draw"


def is_area_taken(ending: Ending, battle: Battle) -> bool:
    """Whether a land unit is there to take the area."""
    kinds = kinds_of(battle.units).units
    landed = any(count and takes(unit) for count, unit in zip(ending.attackers, kinds, strict=True))
    return landed and not any(ending.defenders)


def survivors_of(ending: Ending, battle: Battle) -> Survivors:
    """What is left of both sides by name, with the guns that the defender keeps."""
    kinds = kinds_of(battle.units).units
    attackers, defenders = (
        {unit.name: count for count, unit in zip(army, kinds, strict=True) if count}
        for army in (ending.attackers, ending.defenders)
    )
    if not is_area_taken(ending, battle):
        counts = zip(battle.defenders, battle.units, strict=True)
        defenders |= {unit.name: count for count, unit in counts if count and not unit.fights}
    return Survivors(attackers, defenders, ending.probability)


MOST_COST, MOST_MIXES, MOST_KINDS = 400, 3_000, 3
"""The most that an army may cost, how many mixes of one price are tried, and of how many kinds a mix is."""


def least_army(battle: Battle, chance: float) -> LeastArmy:
    """The cheapest attackers that win with at least this probability; of equal price those that win most often."""
    if not 0.0 < chance < 1.0:
        raise BadSpec(f"{chance:g}", "the probability of a win is a number between 0 and 1")
    units, at_sea, nothing = battle.units, battle.at_sea(), (0,) * len(battle.units)
    domains = ("sea" if at_sea else "land", "air")
    kinds = [kind for kind, unit in enumerate(units) if unit.domain in domains and unit.attack and unit.price]
    kinds.sort(key=lambda kind: units[kind].price)
    prices = [units[kind].price for kind in kinds]
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
    return LeastArmy(named, army_price(army, units), won, probability.cache_info().currsize)


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


def all_waves(battles: Sequence[Battle]) -> list[Ending]:
    """How waves of attackers end, each against what those before it left; who withdrew is counted with the last.

    Between two waves, which are attacks of different powers, damaged ships are repaired.
    """
    units, kinds = battles[0].units, len(kinds_of(battles[0].units).units)
    nothing, done = (0,) * kinds, defaultdict[Armies, float](float)
    waiting: dict[Armies, float] = {(nothing, battles[0].defenders): 1.0}
    for number, battle in enumerate(battles):
        following, last = defaultdict[Armies, float](float), number == len(battles) - 1
        unused = _plus(nothing, *(each.attackers for each in battles[number + 1 :]))
        guns = tuple(count * (not unit.fights) for count, unit in zip(battle.defenders, units, strict=True))
        for (left, defenders), probability in waiting.items():
            if not any(count and unit.fights for count, unit in zip(defenders, units, strict=True)):
                done[_plus(left, battle.attackers, unused), nothing] += probability
                continue
            for ending in endings(replace(battle, defenders=defenders)):
                standing, reached = _plus(left, ending.attackers), probability * ending.probability
                if last or (not any(ending.defenders) and any(ending.attackers)):
                    done[_plus(standing, unused), ending.defenders] += reached
                else:
                    following[standing, _plus(survivors(ending.defenders, units), guns)] += reached
        waiting = following
    return sorted_endings(done)


def _plus(first: Army, *others: Army) -> Army:
    """Armies added up; those without the damaged are shorter."""
    return tuple(count + sum(other[kind] for other in others if kind < len(other)) for kind, count in enumerate(first))
