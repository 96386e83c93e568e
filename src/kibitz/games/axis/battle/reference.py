"""The readable reference: any battle of the rules, exact in any arithmetic.

With `Fraction` this is the oracle of the kernels; with `float` it answers for battles that kernels do not know, those
in which some shots hit some units only. A round: submarines that nobody detects fire first, at ships, and what they hit
is gone before it fires; then everything else fires, both sides at once. Before the first round guns fire at every
attacking aircraft, and ships bombard once; neither is answered.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any, TypeAlias

from kibitz.games.axis.battle.problem import Battle
from kibitz.games.axis.battle.side import SIDES, Side, aircraft, ships, sides_of
from kibitz.games.axis.units import Army, Unit

Number: TypeAlias = Any
"""Fraction or float; sums and products are all that is asked of it."""
Armies: TypeAlias = tuple[Army, Army]
Chances: TypeAlias = dict[Armies, Number]
"""What attackers and defenders may be left with, and how likely each is."""


def outcomes(battle: Battle, number: type[Number] = Fraction) -> Chances:
    """How every battle may end, by what is left of both sides (the damaged counted apart)."""
    rounds = Rounds(battle, number)
    states: Chances = {}
    for armies, chance in opening_shots(battle, number):
        for after, more in rounds.once(armies).items():
            add(states, after, chance * more)
    for _ in range(battle.rules.rounds - 1):
        states = rounds.one_more(states)
    return states if battle.rules.rounds else rounds.to_the_end(states)


class Rounds:
    """Rounds of one battle."""

    def __init__(self, battle: Battle, number: type[Number]) -> None:
        self.number, self.low_luck, self.retreat = number, battle.rules.low_luck, battle.rules.retreat
        self.attacker, self.defender = sides_of(battle)

    def over(self, armies: Armies) -> bool:
        """Whether a side is gone, or too few attackers are left to stay."""
        return not any(armies[1]) or sum(armies[0]) <= self.retreat

    def one_more(self, states: Chances) -> Chances:
        """Everybody who still fights fights one round."""
        found: Chances = {}
        for armies, chance in states.items():
            for after, more in ({armies: self.number(1)} if self.over(armies) else self.once(armies)).items():
                add(found, after, chance * more)
        return found

    def to_the_end(self, states: Chances) -> Chances:
        """Rounds until all is over."""
        return settled(states, lambda armies: {} if self.over(armies) else self.once(armies), self.hits_left)

    def hits_left(self, armies: Armies) -> int:
        return self.attacker.hits_left(armies[0]) + self.defender.hits_left(armies[1])

    def once(self, armies: Armies) -> Chances:
        """One round of both sides."""
        if not any(armies[0]) or not any(armies[1]):
            return {armies: self.number(1)}
        surprises = hidden(self.attacker, armies[0], armies[1]), hidden(self.defender, armies[1], armies[0])
        found: Chances = {}
        for between, chance in self.volley(armies, surprises, first=True).items():
            for after, more in self.volley(between, surprises, first=False).items():
                add(found, after, chance * more)
        return found

    def volley(self, armies: Armies, surprises: tuple[bool, bool], *, first: bool) -> Chances:
        """Both sides fire at once: in the *first* volley those who surprise, in the other one all others."""
        if first and not any(surprises):
            return {armies: self.number(1)}
        attacks = list(self.fire(self.attacker, armies[0], surprises[0], first))
        defences = list(self.fire(self.defender, armies[1], surprises[1], first))
        found: Chances = {}
        for (on_ships, on_all), chance in attacks:
            left = self.defender.lose(self.defender.lose(armies[1], on_ships, ships), on_all)
            for (at_ships, at_all), more in defences:
                rest = self.attacker.lose(self.attacker.lose(armies[0], at_ships, ships), at_all)
                add(found, (rest, left), chance * more)
        return found

    def fire(self, side: Side, army: Army, surprise: bool, first: bool) -> Iterator[tuple[tuple[int, int], Number]]:
        """How many hits on ships only, and on anything, the units that fire now may score."""
        divers = (lambda unit: unit.surprise) if first == surprise else nobody
        others = nobody if first else (lambda unit: not unit.surprise)
        for on_ships, chance in self.hits(side.strengths(army, divers)):
            for on_all, more in self.hits(side.strengths(army, others)):
                yield (on_ships, on_all), chance * more

    def hits(self, strengths: Iterable[int]) -> Iterator[tuple[int, Number]]:
        """The numbers of hits that are possible, with their chances."""
        for hits, chance in enumerate(hit_chances(tuple(strengths), self.low_luck, self.number)):
            if chance:
                yield hits, chance


def settled(states: Chances, once: Callable[[Armies], Chances], hits_left: Callable[[Armies], int]) -> Chances:
    """Where rounds lead until none follows. A round in which nobody is hit changes nothing, so it is divided out."""
    ended: Chances = {}
    waiting = [(-hits_left(armies), armies) for armies in states]
    heapify(waiting)
    while waiting:
        armies = heappop(waiting)[1]  # those with most hits left first: nothing that is still to come leads there
        chance, after = states.pop(armies), once(armies)
        unchanged = after.pop(armies, 0)
        if not after:  # over, or nobody can hit anybody
            add(ended, armies, chance)
        for later, more in after.items():
            if later not in states:
                heappush(waiting, (-hits_left(later), later))
            add(states, later, chance * more / (1 - unchanged))
    return ended


def nobody(unit: Unit) -> bool:
    """No unit of any kind."""
    return False


def hidden(side: Side, army: Army, others: Army) -> bool:
    """Whether the submarines of *army* surprise: the other side has nothing that detects them."""
    return not any(count and unit.detects for count, unit in zip(others, side.kinds, strict=True))


def hit_chances(strengths: tuple[int, ...], low_luck: bool, number: type[Number] = Fraction) -> list[Number]:
    """How likely 0, 1, 2 … hits are from so many units of strength 0, 1, … 6."""
    total = sum(strength * count for strength, count in enumerate(strengths))
    if low_luck:
        sure, rest = divmod(total, SIDES)
        return [number(0)] * sure + [number(SIDES - rest) / SIDES, number(rest) / SIDES]
    chances = [number(1)]
    for strength, count in enumerate(strengths):
        hit = number(strength) / SIDES
        for _ in range(count if strength else 0):
            missed = [chance * (1 - hit) for chance in chances] + [number(0)]
            scored = [number(0)] + [chance * hit for chance in chances]
            chances = [one + other for one, other in zip(missed, scored, strict=True)]
    return chances


def opening_shots(battle: Battle, number: type[Number] = Fraction) -> Iterator[tuple[Armies, Number]]:
    """What is left when the guns have fired at the aircraft, each kind apart, and the ships have bombarded."""
    attacker, defender = sides_of(battle)
    at_sea, low_luck = battle.at_sea(), battle.rules.low_luck
    landed = defender.fighting(battle.defenders, at_sea=at_sea)
    for army, chance in shot_down(battle, attacker.fighting(battle.attackers, at_sea=at_sea), number):
        for hits, more in enumerate(hit_chances(bombardment(battle), low_luck, number)):
            if more:
                yield (army, defender.lose(landed, hits)), chance * more


def bombardment(battle: Battle) -> tuple[int, ...]:
    """The strengths of the ships that fire once before a landing; nothing where none does."""
    ships_there = any(count and ships(unit) for count, unit in zip(battle.attackers, battle.units, strict=True))
    if not ships_there or battle.at_sea():
        return ()
    attacker = Side(battle.units, True)
    whole = battle.attackers + (0,) * (len(attacker.kinds) - len(battle.attackers))
    return attacker.strengths(whole, ships)


def shot_down(battle: Battle, army: Army, number: type[Number] = Fraction) -> Iterator[tuple[Army, Number]]:
    """What is left of the attackers after every aircraft was fired at once, if the defenders have a gun."""
    guns = any(count and unit.anti_air for count, unit in zip(battle.defenders, battle.units, strict=True))
    if not guns:
        yield army, number(1)
        return
    attacker = Side(battle.units, True)
    states: dict[Army, Number] = {army: number(1)}
    flying = [place for place, unit in enumerate(attacker.kinds) if army[place] and aircraft(unit)]
    groups = [flying] if battle.rules.low_luck else [[place] for place in flying]
    for group in groups:
        shots = sum(army[place] for place in group)
        found: dict[Army, Number] = {}
        for before, chance in states.items():
            for hits, more in enumerate(hit_chances((0, shots), battle.rules.low_luck, number)):
                kinds = {attacker.kinds[place] for place in group}
                after = attacker.lose(before, hits, kinds.__contains__)
                found[after] = found.get(after, number(0)) + chance * more
        states = {each: chance for each, chance in found.items() if chance}
    yield from states.items()


def add(chances: Chances, armies: Armies, chance: Number) -> None:
    """Count *chance* in."""
    chances[armies] = chances[armies] + chance if armies in chances else chance
