"""Battles fought with dice, many times: the independent check of `exact`."""

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadGame
from kibitz.core.kernels.random import Draws
from kibitz.core.seeds import kernel_stream
from kibitz.games.axis.battle import kernels
from kibitz.games.axis.battle.exact import every_hit_counts, ladder, withdrawal
from kibitz.games.axis.battle.problem import Battle, battle_text, checked
from kibitz.games.axis.battle.reference import Armies, bombardment, hidden
from kibitz.games.axis.battle.side import SIDES, Side, Targets, aircraft, anything, ships, sides_of
from kibitz.games.axis.units import Army

AT_A_TIME = 10_000
"""So many battles are fought before somebody may say stop."""


def tallied(battle: Battle, battles: int, seed: int = 0, told: Callable[[int], None] | None = None) -> Counter[Armies]:
    """How often each ending comes up in *battles*; *told* hears of every so many more."""
    rules = checked(battle).rules
    if "optimal" in (rules.attacker_losses, rules.defender_losses):
        raise BadGame(battle_text(battle), "best losses are worked out and not rolled; take other losses, or no rolls")
    fight = fighter(battle, kernel_stream(seed, "battles"))
    counts: Counter[Armies] = Counter()
    for done in range(0, battles, AT_A_TIME):
        more = min(AT_A_TIME, battles - done)
        counts.update(fight(more))
        if told is not None:
            told(more)
    return counts


def fighter(battle: Battle, words: NDArray[np.uint64]) -> Callable[[int], Counter[Armies]]:
    """Fights so many battles at each call; compiled where no shot is for some units only."""
    guns = any(unit.anti_air for unit in battle.present(battle.defenders))
    if not every_hit_counts(battle) or guns or any(bombardment(battle)):
        draws = Draws(words)
        return lambda battles: Counter(fought(battle, draws) for _ in range(battles))
    attacker, defender = sides_of(battle)
    at_sea, rules = battle.at_sea(), battle.rules
    attackers, attack = ladder(attacker, attacker.fighting(battle.attackers, at_sea=at_sea))
    defenders, defence = ladder(defender, defender.fighting(battle.defenders, at_sea=at_sea))
    withdraw = withdrawal(attackers, rules.retreat)

    def compiled(battles: int) -> Counter[Armies]:
        tally = np.zeros((len(attackers), len(defenders)), dtype=np.int64)
        kernels.battle_tally(attack, defence, 0, withdraw, rules.rounds, rules.low_luck, battles, words, tally)
        found = zip(*np.nonzero(tally), strict=True)
        return Counter({(attackers[i], defenders[j]): int(tally[i, j]) for i, j in found})

    return compiled


def fought(battle: Battle, draws: Draws) -> Armies:
    """One battle, die by die. It knows nothing of `reference` but who surprises whom and who bombards."""
    attacker, defender = sides_of(battle)
    rules, at_sea = battle.rules, battle.at_sea()
    attackers = attacker.fighting(battle.attackers, at_sea=at_sea)
    defenders = defender.fighting(battle.defenders, at_sea=at_sea)
    if any(unit.anti_air for unit in battle.present(battle.defenders)):
        attackers = fired_at(attacker, attackers, rules.low_luck, draws)
    defenders = defender.lose(defenders, rolled(bombardment(battle), rules.low_luck, draws))
    number = 0
    while any(attackers) and any(defenders):
        if number and (sum(attackers) <= rules.retreat or number == rules.rounds):
            break
        if attacker.strength(attackers) == 0 == defender.strength(defenders):
            break
        attackers, defenders = one_round(attacker, defender, (attackers, defenders), rules.low_luck, draws)
        number += 1
    return attackers, defenders


def one_round(attacker: Side, defender: Side, armies: Armies, low_luck: bool, draws: Draws) -> Armies:
    """Submarines that surprise, then everybody else."""
    surprises = hidden(attacker, armies[0], armies[1]), hidden(defender, armies[1], armies[0])
    for volley in (True, False):
        kills = volley_of(attacker, armies[0], surprises[0], volley, low_luck, draws)
        losses = volley_of(defender, armies[1], surprises[1], volley, low_luck, draws)
        armies = hit_by(attacker, armies[0], losses), hit_by(defender, armies[1], kills)
    return armies


def volley_of(
    side: Side, army: Army, surprise: bool, first: bool, low_luck: bool, draws: Draws
) -> tuple[tuple[int, Targets], ...]:
    """The hits of a side in the first volley or the other one, with what they may fall on."""
    divers = side.strengths(army, lambda unit: unit.surprise and first == surprise)
    others = side.strengths(army, lambda unit: not unit.surprise and not first)
    return (rolled(divers, low_luck, draws), ships), (rolled(others, low_luck, draws), anything)


def hit_by(side: Side, army: Army, volley: tuple[tuple[int, Targets], ...]) -> Army:
    """What is left of an army after a volley."""
    for hits, targets in volley:
        army = side.lose(army, hits, targets)
    return army


def fired_at(side: Side, army: Army, low_luck: bool, draws: Draws) -> Army:
    """The attackers after one shot at every aircraft."""
    if low_luck:
        shots = sum(count for count, unit in zip(army, side.kinds, strict=True) if aircraft(unit))
        return side.lose(army, rolled((0, shots), low_luck, draws), aircraft)
    for place, unit in enumerate(side.kinds):
        for _ in range(army[place] if aircraft(unit) else 0):
            if draws.below(SIDES) == 0:
                army = side.hit(army, place)
    return army


def rolled(strengths: tuple[int, ...], low_luck: bool, draws: Draws) -> int:
    """How many hits so many units of strength 0, 1, … 6 roll."""
    if low_luck:
        sure, rest = divmod(sum(strength * count for strength, count in enumerate(strengths)), SIDES)
        return sure + (draws.below(SIDES) < rest)
    dice = [strength for strength, count in enumerate(strengths) for _ in range(count) if strength]
    return sum(draws.below(SIDES) < strength for strength in dice)
