"""A battle as a question: who attacks whom, under which rules."""

from typing import Annotated, Literal, TypeAlias

import msgspec

from kibitz.core.errors import NotUnderstood
from kibitz_axis.units import REVISED, Army, Unit, army_text

Order: TypeAlias = Literal["cheapest", "pairs", "land"]
"""Who is lost first: the cheapest unit; the one whose strength is missed least, so that artillery keeps its infantry;
or the cheapest but for the last land unit, which takes the area."""

Armies: TypeAlias = tuple[Army, Army]
"""Attackers and defenders."""


class BattleRules(msgspec.Struct, frozen=True, cache_hash=True):
    """How a battle is fought. Without *retreat* or *rounds* it goes on to the end, as in the thesis."""

    attacker_losses: Order = "cheapest"
    defender_losses: Order = "cheapest"
    retreat: Annotated[int, msgspec.Meta(ge=0)] = 0
    """The attacker withdraws after a round that leaves him so many units or fewer."""
    rounds: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    """The attacker withdraws after so many rounds; 0 is never."""
    low_luck: bool = False
    """Six points of strength are a sure hit; one die is rolled for the rest."""
    worth: Annotated[int, msgspec.Meta(ge=0)] = 0
    """What the area is worth to an attacker who takes it with a land unit."""
    attacker_order: tuple[int, ...] = ()
    """The kinds that attackers lose, those first that are lost first; kinds not named come after them. It takes the
    place of prices in the order of loss."""
    defender_order: tuple[int, ...] = ()


class Battle(msgspec.Struct, frozen=True):
    """Attackers against defenders; guns against aircraft count among the defenders and are never lost."""

    attackers: Army
    defenders: Army
    units: tuple[Unit, ...] = REVISED
    rules: BattleRules = BattleRules()

    def at_sea(self) -> bool:
        """Whether it is fought on water: no land unit is near, and a ship is."""
        present = self.present(self.attackers) + self.present(self.defenders)
        land = any(unit.domain == "land" for unit in present)
        return not land and any(unit.domain == "sea" for unit in present)

    def present(self, army: Army) -> list[Unit]:
        """The kinds of units an army has."""
        return [unit for count, unit in zip(army, self.units, strict=True) if count]


def battle_text(battle: Battle) -> str:
    """A battle in words: `2 infantry vs 1 tank`."""
    return f"{army_text(battle.attackers, battle.units)} vs {army_text(battle.defenders, battle.units)}"


def check_battle(battle: Battle) -> Battle:
    """The battle, if it can be fought; raises NotUnderstood where a unit has no place in it or a side is empty."""
    line = battle_text(battle)
    for army, who in ((battle.attackers, "attacker"), (battle.defenders, "defender")):
        if not any(army):
            raise NotUnderstood(line, line, f"the {who} needs at least one unit")
    if battle.at_sea():
        return battle
    for unit in battle.present(battle.attackers):
        if unit.domain == "sea" and not unit.bombards:
            raise NotUnderstood(line, unit.name, "at land ships only bombard, and this one cannot")
        if not unit.fights:
            raise NotUnderstood(line, unit.name, "it cannot attack")
    for unit in battle.present(battle.defenders):
        if unit.domain == "sea":
            raise NotUnderstood(line, unit.name, "a ship cannot defend where land units fight")
    landing = any(unit.domain == "land" for unit in battle.present(battle.attackers))
    ships = [unit for unit in battle.present(battle.attackers) if unit.domain == "sea"]
    if ships and not landing:
        raise NotUnderstood(line, ships[0].name, "ships bombard only where land units attack too")
    return battle
