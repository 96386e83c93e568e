"""Losses chosen as well as they can be, every roll considered.

The rules settle who chooses when: the attackers roll, the defender chooses his losses, the defenders roll (those just
lost included), the attacker chooses his. So a battle is a game of perfect information, which backward induction solves.
Each side wants the expected swing: what the other side loses less what it loses itself.
"""

from math import prod

from kibitz.core.errors import BadGame
from kibitz.games.axis.battle.problem import Battle, battle_text
from kibitz.games.axis.battle.reference import Armies, Chances, add, hit_chances, opening_shots, settled
from kibitz.games.axis.battle.side import Side, sides_of
from kibitz.games.axis.units import Army, army_worth

MOST_STATES = 20_000
"""Pairs of armies that are looked at; more would take minutes."""


def optimal_outcomes(battle: Battle) -> Chances:
    """How a battle may end where one side or both choose their losses best; the other keeps to its order."""
    why = obstacle(battle)
    if why:
        raise BadGame(battle_text(battle), why)
    attacker, defender = sides_of(battle)
    return Duel(attacker, defender, battle.rules.low_luck).outcomes(dict(opening_shots(battle, float)))


def obstacle(battle: Battle) -> str:
    """Why best losses cannot be worked out in a battle; empty where they can."""
    attacker, defender = sides_of(battle)
    pairs = possible(attacker, battle.attackers) * possible(defender, battle.defenders)
    if any(unit.surprise for unit in battle.present(battle.attackers) + battle.present(battle.defenders)):
        return "best losses are worked out for battles without submarines"
    if battle.rules.rounds or battle.rules.retreat:
        return "best losses are worked out for battles to the end, without retreat"
    if pairs > MOST_STATES:
        return f"{pairs:,} pairs of armies are too many to choose best losses in; take pairs, or fewer units"
    return ""


def possible(side: Side, army: Army) -> int:
    """How many armies losses may make of one."""
    if side.order != "optimal":
        return 1 + sum(army)
    return prod(1 + count * unit.hits for count, unit in zip(army, side.units, strict=True))


class Duel:
    """A battle as a game between the two who choose losses."""

    def __init__(self, attacker: Side, defender: Side, low_luck: bool) -> None:
        self.attacker, self.defender, self.low_luck = attacker, defender, low_luck
        self.values: dict[Armies, float] = {}
        self.replies: dict[tuple[Army, int, Army], Army] = {}
        self.choices: dict[tuple[Side, Army, int], list[Army]] = {}
        self.chances: dict[tuple[Side, Army], list[tuple[int, float]]] = {}

    def outcomes(self, states: Chances) -> Chances:
        """Where the best choices lead from *states*."""
        return settled(states, self.round, self.hits_left)

    def hits_left(self, armies: Armies) -> int:
        return self.attacker.hits_left(armies[0]) + self.defender.hits_left(armies[1])

    def round(self, armies: Armies) -> Chances:
        """One round with both sides choosing best; nothing where it is over."""
        attackers, defenders = armies
        found: Chances = {}
        if not any(attackers) or not any(defenders):
            return found
        for kills, chance in self.hits(self.attacker, attackers):
            left = self.kept(armies, kills)
            for losses, more in self.hits(self.defender, defenders):
                add(found, (self.reply(attackers, losses, left), left), chance * more)
        return found

    def value(self, armies: Armies) -> float:
        """The expected worth of attackers left less that of defenders left; of a stand-off as it stands."""
        if armies not in self.values:
            after = self.round(armies)
            unchanged = after.pop(armies, 0.0)
            if after:
                value = sum(chance * self.value(later) for later, chance in after.items()) / (1.0 - unchanged)
            else:
                value = float(army_worth(armies[0], self.attacker.kinds) - army_worth(armies[1], self.defender.kinds))
            self.values[armies] = value
        return self.values[armies]

    def kept(self, armies: Armies, kills: int) -> Army:
        """What the defender keeps after *kills*, before he knows what his own dice bring."""
        options = self.options(self.defender, armies[1], kills)
        return options[0] if len(options) == 1 else min(options, key=lambda left: self.expected(armies, left))

    def expected(self, armies: Armies, left: Army) -> float:
        """The value of keeping *left*, all rolls of the defenders averaged."""
        attackers, defenders = armies
        return sum(
            chance * self.value((self.reply(attackers, losses, left), left))
            for losses, chance in self.hits(self.defender, defenders)
        )

    def reply(self, attackers: Army, losses: int, defenders: Army) -> Army:
        """What the attacker keeps after *losses* where *defenders* are left."""
        asked = attackers, losses, defenders
        if asked not in self.replies:
            options = self.options(self.attacker, attackers, losses)
            best = options[0] if len(options) == 1 else max(options, key=lambda army: self.value((army, defenders)))
            self.replies[asked] = best
        return self.replies[asked]

    def options(self, side: Side, army: Army, hits: int) -> list[Army]:
        """What a side may keep after so many hits, the army its order would keep first."""
        asked = side, army, hits
        if asked not in self.choices:
            found = {army}
            for _ in range(min(hits, side.hits_left(army)) if side.order == "optimal" else 0):
                found = {side.hit(each, place) for each in found for place in range(len(each)) if each[place]}
            self.choices[asked] = sorted(found) if side.order == "optimal" else [side.lose(army, hits)]
        return self.choices[asked]

    def hits(self, side: Side, army: Army) -> list[tuple[int, float]]:
        """How many hits an army may score, with their chances."""
        asked = side, army
        if asked not in self.chances:
            chances = hit_chances(side.strengths(army), self.low_luck, float)
            self.chances[asked] = [(hits, chance) for hits, chance in enumerate(chances) if chance]
        return self.chances[asked]
