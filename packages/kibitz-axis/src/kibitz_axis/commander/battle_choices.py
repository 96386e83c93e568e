"""Decisions in battles: fight on or retreat by the odds, submerge, bombard, and which units are lost."""

import numpy as np

from kibitz_axis.commander.kernels.fights import KILLED, LOST, RESULTS, TAKE, Counts, fight
from kibitz_axis.commander.survey import Possible, Survey
from kibitz_axis.full import orders as verbs

LIKELY = 0.6
"""Submarines that defend leave the battle if it is lost with at least this chance."""


def battle_armies(survey: Survey, area: int) -> tuple[Counts, Counts]:
    """The armies of the mover and its enemies in an area."""
    world = survey.ground.world
    kinds = world.units.kinds
    fits = np.array([k.fights and (k.domain == "air" or (k.domain == "sea") == world.sea[area]) for k in kinds])
    fights = np.array([kind.fights for kind in kinds])
    return survey.own[area] * fits, survey.enemy_units[area] * fights


def battle_results(survey: Survey, attack: Counts, defence: Counts, area: int) -> Counts:
    """What is known of a battle."""
    results = np.zeros(RESULTS)
    guns = [kind.gun for kind in survey.ground.world.units.kinds]
    fight(survey.ground.board, attack, defence, int(survey.enemy_units[area][guns].sum() > 0), 1, results)
    return results


def battle_order(survey: Survey, boldness: float = 0.0) -> Possible:
    """What to order in the battle phase."""
    orders = survey.orders
    by_verb: dict[int, list[Possible]] = {}
    for order in orders:
        by_verb.setdefault(order.verb, []).append(order)
    area = int(survey.fields["battle"])
    if verbs.BOMBARD in by_verb:
        return by_verb[verbs.BOMBARD][0]
    if verbs.SUBMERGE in by_verb:
        attack, defence = battle_armies(survey, area)
        lost = battle_results(survey, attack, defence, area)[0] > LIKELY
        defends = verbs.STAY in by_verb and not survey.own[area][list(survey.ground.world.units.submarines)].sum()
        return by_verb[verbs.SUBMERGE if lost and defends else verbs.STAY][0]
    if verbs.GO_ON in by_verb:
        leaves = by_verb.get(verbs.RETREAT) or by_verb.get(verbs.WITHDRAW)
        if not leaves or expected_gain(survey, area) > -boldness:
            return by_verb[verbs.GO_ON][0]
        return leaves[0]
    return orders[0]


def expected_gain(survey: Survey, area: int) -> float:
    """What going on with a battle is expected to gain."""
    attack, defence = battle_armies(survey, area)
    return gain_of(battle_results(survey, attack, defence, area), survey.area_values[area] * survey.hostile[area])


def gain_of(results: Counts, value: float) -> float:
    """The units that a battle is expected to destroy less those it costs, and the area if it is taken."""
    return float(results[KILLED] - results[LOST] + results[TAKE] * value)
