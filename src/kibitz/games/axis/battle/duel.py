"""Losses chosen as well as they can be, every roll considered: the readable reference of `choices`.

The rules settle who chooses when. In each volley, opening fire and then general fire, the attackers roll, the defender
chooses losses, the defenders roll, and the attacker chooses. So a battle is a game of perfect information, which
backward induction solves. Each side wants the expected swing: what the other side loses less what it loses itself.
"""

from collections.abc import Callable
from functools import cached_property

from kibitz.games.axis.battle.dice import others, surprises
from kibitz.games.axis.battle.problem import Armies, Battle
from kibitz.games.axis.battle.side import (
    Side,
    Targets,
    anything,
    bombardment,
    hit_chances,
    kinds_of,
    ships,
    shot_down,
    sides_of,
    takes,
)
from kibitz.games.axis.units import Army, army_worth

Value = Callable[[Army, Army], float]


def win_value(attackers: Army, defenders: Army, battle: Battle) -> float:
    """1 where the attackers have taken the area, or at sea are left alone; 0 otherwise."""
    kinds = kinds_of(battle.units).units
    left = [unit for count, unit in zip(attackers, kinds, strict=True) if count and unit.fights]
    gone = not any(count and unit.fights for count, unit in zip(defenders, kinds, strict=True))
    return float(gone and any(battle.at_sea() or takes(unit) for unit in left))


class Duel:
    """A battle as a game between the two who choose losses; a side with a fixed order keeps to it."""

    def __init__(self, battle: Battle) -> None:
        self.battle, self.rules = battle, battle.rules
        self.attacker, self.defender = sides_of(battle)
        self.known: dict[tuple[Army, Army, int], float] = {}

    @cached_property
    def start(self) -> Armies:
        """Both sides as they begin, if nothing is shot at them before the first round."""
        armies, at_sea = (self.battle.attackers, self.battle.defenders), self.battle.at_sea()
        sides = self.attacker, self.defender
        attackers, defenders = (side.fighting(army, at_sea=at_sea) for side, army in zip(sides, armies, strict=True))
        return attackers, defenders

    def worth(self, attackers: Army, defenders: Army) -> float:
        """What it is worth to the attacker that the battle ends so."""
        kinds = kinds_of(self.battle.units).units
        if self.rules.aim == "win":
            return win_value(attackers, defenders, self.battle)
        landed = any(count and takes(unit) for count, unit in zip(attackers, kinds, strict=True))
        area = self.rules.worth if landed and not self.defender.in_battle(defenders) else 0
        return float(army_worth(attackers, kinds) - army_worth(defenders, kinds) + area)

    def first_value(self, attackers: Army, defenders: Army) -> float:
        """The value before the first round, in which nobody submerges or withdraws."""
        if not self.attacker.in_battle(attackers) or not self.defender.in_battle(defenders):
            return self.worth(attackers, defenders)
        left = max(0, self.rules.rounds - 1)
        return self.opening_fire(attackers, defenders, lambda one, other: self.value(one, other, left))

    def value(self, attackers: Army, defenders: Army, left: int) -> float:
        """The value between two rounds of which so many are *left*; 0 is any number where they are not counted."""
        asked = attackers, defenders, left
        if asked not in self.known:
            self.known[asked] = self.value_between_rounds(attackers, defenders, left)
        return self.known[asked]

    def value_between_rounds(self, attackers: Army, defenders: Army, left: int) -> float:
        both = self.attacker.in_battle(attackers) and self.defender.in_battle(defenders)
        if not both or (self.rules.rounds and not left):
            return self.worth(attackers, defenders)
        submerge = self.rules.submerge
        if submerge in ("attacker", "both") and not self.defender.detects(defenders):
            below = self.attacker.submerge(attackers)
            if below != attackers:
                return self.value(below, defenders, left)
        if self.attacker.in_battle(attackers) <= self.rules.retreat:
            return self.worth(attackers, defenders)
        if submerge in ("defender", "both") and not self.attacker.detects(attackers):
            below = self.defender.submerge(defenders)
            if below != defenders:
                return self.value(attackers, below, left)
        return self.round_value(attackers, defenders, left)

    def round_value(self, attackers: Army, defenders: Army, left: int) -> float:
        """The value of fighting a round. Where rounds are not counted one that changes nothing is divided out."""
        again = 0.0

        def after(attackers_left: Army, defenders_left: Army) -> float:
            if not self.rules.rounds and (attackers_left, defenders_left) == (attackers, defenders):
                return 0.0
            return self.value(attackers_left, defenders_left, max(0, left - 1))

        if not self.rules.rounds:
            again = self.standstill_chance(attackers, defenders)
            if again > 1.0 - 1e-9:
                return self.worth(attackers, defenders)
        return self.opening_fire(attackers, defenders, after) / (1.0 - again)

    def standstill_chance(self, attackers: Army, defenders: Army) -> float:
        """How likely a round changes nothing."""
        chance = 1.0
        for side, army, other, targets in (
            (self.attacker, attackers, self.defender, defenders),
            (self.defender, defenders, self.attacker, attackers),
        ):
            for fires, allowed in ((surprises, ships), (others, anything)):
                if other.targets(targets, allowed):
                    chance *= hit_chances(side.strengths(army, fires), self.rules.low_luck)[0]
        return chance

    def opening_fire(self, attackers: Army, defenders: Army, after: Value) -> float:
        """Submarines fire; with a destroyer, those whom they hit still fire in general fire."""

        def then(attackers_left: Army, defenders_left: Army) -> float:
            firing = attackers if self.attacker.detects(attackers) else attackers_left
            answering = defenders if self.defender.detects(defenders) else defenders_left
            rolls = self.rolls(self.attacker, firing, others), self.rolls(self.defender, answering, others)
            return self.volley(attackers_left, defenders_left, rolls, anything, after)

        rolls = self.rolls(self.attacker, attackers, surprises), self.rolls(self.defender, defenders, surprises)
        return self.volley(attackers, defenders, rolls, ships, then)

    def volley(
        self,
        attackers: Army,
        defenders: Army,
        rolls: tuple[list[float], list[float]],
        allowed: Targets,
        after: Value,
    ) -> float:
        """The value of a volley: the defender chooses before the defenders' dice are rolled, the attacker last."""
        total = 0.0
        for kills, chance in enumerate(rolls[0]):
            if not chance:
                continue
            total += chance * min(
                sum(
                    more * max(after(kept, left) for kept in self.options(self.attacker, attackers, hits, allowed))
                    for hits, more in enumerate(rolls[1])
                    if more
                )
                for left in self.options(self.defender, defenders, kills, allowed)
            )
        return total

    def options(self, side: Side, army: Army, hits: int, allowed: Targets) -> list[Army]:
        """What a side may keep after so many hits."""
        if side.order != "optimal":
            return [side.lose(army, hits, allowed)]
        found = {army}
        for _ in range(hits):
            found = {side.hit(each, place) for each in found for place in side.targets(each, allowed)} or found
        return sorted(found)

    def best_start(self, attackers: Army, kills: int) -> float:
        """The value where a bombardment has hit so many of the defenders, and the defender chooses whom."""
        options = self.options(self.defender, self.start[1], kills, anything)
        return min(self.first_value(attackers, defenders) for defenders in options)

    def battle_value(self) -> float:
        """The value of the whole battle, guns and bombardment included."""
        return sum(
            chance * more * self.best_start(army, kills)
            for army, chance in shot_down(self.battle, self.start[0])
            for kills, more in enumerate(hit_chances(bombardment(self.battle), self.rules.low_luck))
            if more
        )

    def rolls(self, side: Side, army: Army, fires: Targets) -> list[float]:
        return hit_chances(side.strengths(army, fires), self.rules.low_luck)
