"""Placing by marginal value: where bought units add most to the estimate of the position."""

import numpy as np

from kibitz.games.axis.commander.kernels.fights import Counts
from kibitz.games.axis.commander.kernels.plans import PlanScene, plan_value
from kibitz.games.axis.commander.pieces import Stations
from kibitz.games.axis.commander.survey import Possible, Survey
from kibitz.games.axis.full import orders as verbs
from kibitz.games.axis.full.position import COMBAT, NONCOMBAT, PLACE, PURCHASE

NOTHING = np.zeros(0, dtype=np.int64)


def added_value(survey: Survey, scene: PlanScene, kind: int, count: int, area: int) -> float:
    """The value of the position with units added in an area."""
    scene.units[area, survey.mover, kind] += count
    value = plan_value(scene, NOTHING, np.zeros(scene.weights.shape))
    scene.units[area, survey.mover, kind] -= count
    return float(value)


def units_to_come(survey: Survey) -> Counts:
    """The units of a position with those that are bought, placed where they are needed most."""
    units, world, bought = survey.units.copy(), survey.ground.world, survey.fields["bought"]
    if not bought.any() or survey.phase not in (PURCHASE, COMBAT, NONCOMBAT, PLACE):
        return units
    stations = Stations(survey)
    room = {area: world.areas[area].value for area in own_factories(survey)}
    for kind, number in enumerate(bought):
        homes = sorted(room, key=lambda area: -stations.score(area, kind))
        for home in homes:
            count, places = min(int(number), room[home]), sites(survey, kind, [home])
            if places:
                units[places[0], survey.mover, kind] += count
                room[home] -= count
                number -= count
    return units


def marginal_placing(survey: Survey, scene: PlanScene) -> Possible | None:
    """Where bought units of a kind add most to the position, if all that fit go there: what half of them cannot save
    all may; None if nothing is left to be placed."""
    puts = [order for order in survey.orders if order.verb == verbs.PUT]
    if not puts:
        return None
    kind = puts[0].kind
    scene.units[:] = survey.units
    stations = Stations(survey)

    def score(order: Possible) -> tuple[float, float]:
        return added_value(survey, scene, kind, order.most, order.to), stations.score(order.to, kind)

    return max((order for order in puts if order.kind == kind), key=score)


def own_factories(survey: Survey) -> list[int]:
    """The areas in which a power makes units, the most valuable first."""
    world = survey.ground.world
    homes = [a for a in range(len(world.areas)) if survey.has_factory(a) and survey.owner(a) == survey.mover]
    return sorted(homes, key=lambda area: -world.areas[area].value)


def sites(survey: Survey, kind: int, homes: list[int]) -> list[int]:
    """Where units of a kind can be placed: areas with factories, or zones beside them."""
    world = survey.ground.world
    if world.units.kinds[kind].domain != "sea":
        return homes
    zones = [zone for home in homes for zone in world.by_sea[home]]
    own = survey.own[:, list(world.units.ships)].sum(axis=1)
    return sorted(dict.fromkeys(zones), key=lambda zone: -own[zone])[:3]
