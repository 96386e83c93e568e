"""Battles fought with dice, many times: a third look at what `exact` works out."""

from collections import Counter
from collections.abc import Callable

import numpy as np

from kibitz.core.errors import BadGame
from kibitz.core.kernels.random import Draws
from kibitz.core.seeds import kernel_stream
from kibitz.games.axis.battle import kernels
from kibitz.games.axis.battle.problem import Armies, Battle, battle_text, check_battle
from kibitz.games.axis.battle.side import SIDES, Side, aircraft, bombardment, ships, sides_of
from kibitz.games.axis.battle.tables import DIVES, battle_tables
from kibitz.games.axis.units import Army, Unit

AT_A_TIME = 10_000
"""So many battles are fought before somebody may say stop."""


def count_endings(
    battle: Battle, battles: int, seed: int = 0, told: Callable[[int], None] | None = None
) -> Counter[Armies]:
    """How often each ending comes up in *battles*; *told* hears of every so many more."""
    rules = check_battle(battle).rules
    if "optimal" in (rules.attacker_losses, rules.defender_losses):
        raise BadGame(battle_text(battle), "best losses are worked out and not rolled; take other losses, or no rolls")
    tables, words = battle_tables(battle), kernel_stream(seed, "battles")
    tally = np.zeros((len(tables.attack), len(tables.defence)), dtype=np.int64)
    asked = np.array([rules.retreat, rules.rounds, rules.low_luck, DIVES[rules.submerge]], dtype=np.int64)
    for done in range(0, battles, AT_A_TIME):
        more = min(AT_A_TIME, battles - done)
        starts = tables.attackers_start, tables.defenders_start
        kernels.battle_tally(tables.attack, tables.defence, *starts, asked, more, words, tally)
        if told is not None:
            told(more)
    return Counter({armies: int(count) for armies, count in tables.chances_by_armies(tally).items()})


def fight_once(battle: Battle, draws: Draws) -> Armies:
    """One battle, die by die, as people play it: the twin of `battle_tally`, without its tables."""
    attacker, defender = sides_of(battle)
    rules, at_sea = battle.rules, battle.at_sea()
    attackers = attacker.fighting(battle.attackers, at_sea=at_sea)
    defenders = defender.fighting(battle.defenders, at_sea=at_sea)
    if any(unit.anti_air for unit in battle.present(battle.defenders)):
        attackers = fired_at(attacker, attackers, rules.low_luck, draws)
    defenders = defender.lose(defenders, roll_hits(bombardment(battle), rules.low_luck, draws))
    number = 0
    while attacker.in_battle(attackers) and defender.in_battle(defenders):
        if number and number == rules.rounds:
            break
        if number and rules.submerge in ("attacker", "both") and not defender.detects(defenders):
            attackers = attacker.submerge(attackers)
        if number and attacker.in_battle(attackers) <= rules.retreat:
            break
        if number and rules.submerge in ("defender", "both") and not attacker.detects(attackers):
            defenders = defender.submerge(defenders)
        unable = harmless(attacker, attackers, defender, defenders), harmless(defender, defenders, attacker, attackers)
        if number and all(unable):
            break
        attackers, defenders = one_round(attacker, defender, (attackers, defenders), rules.low_luck, draws)
        number += 1
    return attackers, defenders


def surprises(unit: Unit) -> bool:
    """Submarines fire first."""
    return unit.surprise


def others(unit: Unit) -> bool:
    """All others fire then."""
    return not unit.surprise


def one_round(attacker: Side, defender: Side, armies: Armies, low_luck: bool, draws: Draws) -> Armies:
    """Submarines fire, and then everybody else; with a destroyer, those whom submarines hit as well."""
    attackers, defenders = armies
    kills = roll_hits(attacker.strengths(attackers, surprises), low_luck, draws)
    hits = roll_hits(defender.strengths(defenders, surprises), low_luck, draws)
    left, standing = attacker.lose(attackers, hits, ships), defender.lose(defenders, kills, ships)
    firing = attackers if attacker.detects(attackers) else left
    answering = defenders if defender.detects(defenders) else standing
    kills = roll_hits(attacker.strengths(firing, others), low_luck, draws)
    hits = roll_hits(defender.strengths(answering, others), low_luck, draws)
    return attacker.lose(left, hits), defender.lose(standing, kills)


def harmless(side: Side, army: Army, other: Side, targets: Army) -> bool:
    """Whether a side can hit nothing of the other: it has no strength, or only submarines where there are no ships."""
    if any(side.strengths(army, others)[1:]):
        return False
    return not any(side.strengths(army, surprises)[1:]) or not other.targets(targets, ships)


def fired_at(side: Side, army: Army, low_luck: bool, draws: Draws) -> Army:
    """The attackers after one shot at every aircraft."""
    left, over = list(army), list[int]()
    for place, unit in enumerate(side.kinds):
        for number in range(army[place] if aircraft(unit) else 0):
            if low_luck:  # six of a kind lose one; the lot decides among those left over
                if number < army[place] - army[place] % SIDES:
                    left[place] -= number % SIDES == 0
                else:
                    over.append(place)
            elif draws.below(SIDES) == 0:
                left[place] -= 1
    for _ in range(roll_hits((0, len(over)), low_luck, draws) if over else 0):
        left[over.pop(draws.below(len(over)))] -= 1
    return tuple(left)


def roll_hits(strengths: tuple[int, ...], low_luck: bool, draws: Draws) -> int:
    """How many hits so many units of strength 0, 1, … 6 roll."""
    if low_luck:
        sure, rest = divmod(sum(strength * count for strength, count in enumerate(strengths)), SIDES)
        return sure + (draws.below(SIDES) < rest)
    dice = [strength for strength, count in enumerate(strengths) for _ in range(count) if strength]
    return sum(draws.below(SIDES) < strength for strength in dice)
