"""The odds of a battle written as `2 inf 1 tank vs 3 inf`."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import fsum, sqrt
from typing import Annotated, ClassVar, Literal, cast, get_args

import msgspec
from msgspec import Meta

from kibitz.core.errors import BadSpec, NotUnderstood
from kibitz.core.kit.odds import LeastArmy, Odds, OddsMaker, Survivors, Swing
from kibitz.games.axis.battle.exact import Ending, endings
from kibitz.games.axis.battle.problem import Battle, BattleRules, Order
from kibitz.games.axis.battle.side import kinds_of, takes
from kibitz.games.axis.battle.tables import fighting_armies
from kibitz.games.axis.contests import Contest, read_contest, units_of
from kibitz.games.axis.least_army import least_army
from kibitz.games.axis.units import Army, Unit, army_worth, read_army, unit_named
from kibitz.games.axis.waves import all_waves

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
        """The contest a line tells of."""
        return read_contest(text, units_of(self.scenario))

    def rules(self, contest: Contest) -> BattleRules:
        """The rules of the battles of a contest."""
        first, one = self.loss_order(self.losses, "losses", contest.units)
        told = self.losses if self.defender_losses == "same" else self.defender_losses
        second, other = self.loss_order(told, "defender_losses", contest.units)
        return BattleRules(
            *(first, second, self.retreat, self.rounds, self.low_luck),
            *(self.worth, one, other),
        )

    def loss_order(self, told: str, option: str, units: Sequence[Unit]) -> tuple[Order, tuple[int, ...]]:
        """The rule by which losses are taken, and the kinds that are named in order."""
        if told in ORDERS:
            return cast(Order, told), ()
        words = told.replace(">", " ").replace(",", " ").split()
        why = f"one of {', '.join(ORDERS)}, or kinds in the order they are lost"
        try:
            named = tuple(dict.fromkeys(unit_named(word, units, told) for word in words))
        except NotUnderstood as error:
            raise BadSpec(f"{option}={told}", f"{why}; {error}") from None
        if not named:
            raise BadSpec(f"{option}={told}", why)
        return "cheapest", named

    def battle(self, text: str) -> Battle:
        """The first battle a line tells of, under these rules."""
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
        shares: defaultdict[str, list[float]] = defaultdict(list)
        wins: defaultdict[str, list[float]] = defaultdict(list)
        for ending in found:
            who = winner(ending, battle, waves)
            shares[who].append(ending.probability)
            if who == "attacker":
                wins[TAKEN if is_area_taken(ending, battle) else AIR_ONLY].append(ending.probability)
        attacker, draw, defender = (min(1.0, fsum(shares[who])) for who in ("attacker", "draw", "defender"))
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
        before = army_worth(defenders, kinds) - army_worth(attackers, kinds)
        for ending in found:
            left = army_worth(ending.attackers, kinds) - army_worth(ending.defenders, kinds)
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
