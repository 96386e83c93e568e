"""Purchase by marginal value: what a unit adds to the estimate of the position, for its price."""

import numpy as np

from kibitz.games.axis.commander.kernels.plans import PlanScene, plan_value
from kibitz.games.axis.commander.purchases import room_left
from kibitz.games.axis.commander.survey import Possible, Survey
from kibitz.games.axis.full import orders as verbs
from kibitz.games.axis.full.kernels.layout import BOUGHT

PARTS = 3
"""Units are bought in about so many steps, each judged with those before it in place."""
NOTHING = np.zeros(0, dtype=np.int64)


def marginal_purchase(survey: Survey, scene: PlanScene) -> int | None:
    """The number of the next purchase: the kind that adds most for its price; None if nothing adds anything."""
    world, room = survey.ground.world, room_left(survey)
    buys = [order for order in survey.orders if order.verb == verbs.BUY]
    if room <= 0 or not buys:
        return None
    prices, features = world.prices[survey.mover], np.zeros(len(scene.weights))
    place_bought(survey, scene)
    before = plan_value(scene, NOTHING, features)
    money = int(survey.money[survey.mover])
    found: list[tuple[float, int, Possible]] = []
    for order in buys:
        kind = world.units.kinds[order.kind]
        if kind.factory or kind.gun:
            continue
        count = step_count(money, prices[order.kind], room)
        gain = max(
            (added_value(survey, scene, order.kind, count, at) - before for at in sites(survey, order.kind)),
            default=-1.0,
        )
        slots = money / max(1, room)
        found.append((gain / (count * max(prices[order.kind], 0.5 * slots)), -order.kind, order))
    if not found or max(found)[0] <= 0.0:
        return None
    order = max(found)[2]
    return order.number + min(order.most, step_count(money, prices[order.kind], room)) - 1


def step_count(money: int, price: int, room: int) -> int:
    """How many units of a price are judged and bought at once."""
    return max(1, min(room, money // price // PARTS))


def added_value(survey: Survey, scene: PlanScene, kind: int, count: int, area: int) -> float:
    """The value of the position with units added in an area, and the money gone."""
    scene.units[area, survey.mover, kind] += count
    value = plan_value(scene, NOTHING, np.zeros(len(scene.weights)))
    scene.units[area, survey.mover, kind] -= count
    return float(value)


def place_bought(survey: Survey, scene: PlanScene) -> None:
    """Count what is bought already as placed where it would do most: at the first site."""
    board = survey.ground.board
    for kind in range(len(survey.ground.world.units.kinds)):
        number = int(survey.numbers[board[BOUGHT] + kind])
        places = sites(survey, kind)
        if number and places:
            scene.units[places[0], survey.mover, kind] += number


def sites(survey: Survey, kind: int) -> list[int]:
    """Where units of a kind can be placed: factories, the most valuable first, or zones beside them."""
    world = survey.ground.world
    homes = [a for a in range(len(world.areas)) if survey.has_factory(a) and survey.owner(a) == survey.mover]
    homes.sort(key=lambda area: -world.areas[area].value)
    if world.units.kinds[kind].domain != "sea":
        return homes
    zones = [zone for home in homes for zone in world.by_sea[home]]
    own = survey.own[:, list(world.units.ships)].sum(axis=1)
    return sorted(dict.fromkeys(zones), key=lambda zone: -own[zone])[:3]
