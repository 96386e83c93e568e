"""The ability ODDS: the odds of a battle written as `2 inf 1 tank vs 3 inf`."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import fsum, sqrt
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from kibitz.core.abilities.odds import Odds, OddsMaker, Survivors, Swing
from kibitz.games.axis.battle.dice import tallied
from kibitz.games.axis.battle.exact import Ending, endings
from kibitz.games.axis.battle.problem import Battle, BattleRules, Order
from kibitz.games.axis.battle.side import sides_of, with_damaged
from kibitz.games.axis.units import army_worth, read_battle


class BattleOdds(OddsMaker):
    """Odds of one battle. *losses* and *defender_losses* say who is lost first; *worth* is what the area is worth.

    The attacker withdraws when *retreat* units or fewer are left, or after *rounds*; 0 is never. Where both sides are
    destroyed, or neither can hit the other, it is a draw, and the defender keeps the area. Guns against aircraft are
    never destroyed: a land unit that is left captures them, otherwise they stay with the defender.
    """

    counted_in: ClassVar[str] = "IPC"

    def __init__(
        self,
        losses: Order = "cheapest",
        defender_losses: Literal["same", "cheapest", "pairs", "land", "optimal"] = "same",
        retreat: Annotated[int, Meta(ge=0, le=1000)] = 0,
        rounds: Annotated[int, Meta(ge=0, le=1000)] = 0,
        low_luck: bool = False,
        worth: Annotated[int, Meta(ge=0, le=1000)] = 0,
    ) -> None:
        self.losses, self.defender_losses, self.retreat, self.rounds = losses, defender_losses, retreat, rounds
        self.low_luck, self.worth = low_luck, worth

    def battle(self, text: str) -> Battle:
        """The battle a line tells of, under these rules."""
        other: Order = self.losses if self.defender_losses == "same" else self.defender_losses
        return Battle(
            *read_battle(text), rules=BattleRules(self.losses, other, self.retreat, self.rounds, self.low_luck)
        )

    def odds(self, text: str) -> Odds:
        battle = self.battle(text)
        return self.odds_of_endings(battle, endings(battle))

    def simulate_odds(self, text: str, times: int, seed: int, told: Callable[[int], None] | None = None) -> Odds:
        battle = self.battle(text)
        counts = tallied(battle, times, seed, told)
        return self.odds_of_endings(battle, [Ending(*armies, count / times) for armies, count in counts.most_common()])

    def odds_of_endings(self, battle: Battle, found: Sequence[Ending]) -> Odds:
        """The odds that the endings of a battle make."""
        shares: defaultdict[str, list[float]] = defaultdict(list)
        for ending in found:
            shares[winner(ending, battle)].append(ending.probability)
        attacker, draw, defender = (min(1.0, fsum(shares[who])) for who in ("attacker", "draw", "defender"))
        swings = [(self.swing(battle, ending), ending.probability) for ending in found]
        mean = fsum(chance * swing for swing, chance in swings)
        spread = sqrt(fsum(chance * (swing - mean) ** 2 for swing, chance in swings))
        ranked = sorted(found, key=lambda ending: -ending.probability)
        survivors = tuple(survivors_of(ending, battle) for ending in ranked)
        return Odds(attacker, draw, defender, survivors, Swing(mean, spread))

    def swing(self, battle: Battle, ending: Ending) -> float:
        """What the defender lost less what the attacker lost, and the area if a land unit is there to take it."""
        kinds, at_sea = with_damaged(battle.units)[0], battle.at_sea()
        attacker, defender = sides_of(battle)
        lost = army_worth(attacker.fighting(battle.attackers, at_sea=at_sea), kinds) - army_worth(
            ending.attackers, kinds
        )
        killed = army_worth(defender.fighting(battle.defenders, at_sea=at_sea), kinds) - army_worth(
            ending.defenders, kinds
        )
        return killed - lost + (self.worth if is_area_taken(ending, battle) else 0)


def winner(ending: Ending, battle: Battle) -> str:
    """Who is left: the attacker, the defender (who is also where the attacker withdrew), or a draw."""
    attackers, defenders = any(ending.attackers), any(ending.defenders)
    if attackers and defenders:
        return "defender" if battle.rules.retreat or battle.rules.rounds else "draw"
    if not any(unit.fights for unit in battle.present(battle.defenders)):  # guns alone, which aircraft cannot hit
        return "attacker" if is_area_taken(ending, battle) else "draw" if attackers else "defender"
    return "attacker" if attackers else "defender" if defenders else "draw"


def is_area_taken(ending: Ending, battle: Battle) -> bool:
    """Whether a land unit is there to take the area."""
    kinds = with_damaged(battle.units)[0]
    landed = any(count and unit.domain == "land" for count, unit in zip(ending.attackers, kinds, strict=True))
    return landed and not any(ending.defenders)


def survivors_of(ending: Ending, battle: Battle) -> Survivors:
    """What is left of both sides by name, with the guns that the defender keeps."""
    kinds = with_damaged(battle.units)[0]
    attackers, defenders = (
        {unit.name: count for count, unit in zip(army, kinds, strict=True) if count}
        for army in (ending.attackers, ending.defenders)
    )
    if not is_area_taken(ending, battle):
        counts = zip(battle.defenders, battle.units, strict=True)
        defenders |= {unit.name: count for count, unit in counts if count and not unit.fights}
    return Survivors(attackers, defenders, ending.probability)
