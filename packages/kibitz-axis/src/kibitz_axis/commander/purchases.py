"""Purchases and placing: what a power needs, by what its land, its fleet and its enemies are like."""

from typing import Literal

from kibitz_axis.commander.pieces import Stations
from kibitz_axis.commander.survey import FAR, Possible, Survey
from kibitz_axis.full import orders as verbs
from kibitz_axis.full.units import Kind

Purpose = Literal["foot", "fast", "fighter", "transport", "screen"]
SHARE_FAST = 0.35
"""The share of the money for land units that move two areas."""
FREIGHT = 2
"""Land units that a transport carries."""


class Market:
    """The kinds a power can buy, by what they are for."""

    def __init__(self, survey: Survey) -> None:
        self.survey, world = survey, survey.ground.world
        self.kinds = world.units.kinds
        self.prices = world.prices[survey.mover]
        self.orders = {order.kind: order for order in survey.orders if order.verb == verbs.BUY}

    def best(self, wanted: Purpose) -> Possible | None:
        """The order for the kind that suits a purpose best for its price."""
        found = [
            (score / self.prices[kind], -kind, order)
            for kind, order in self.orders.items()
            if (score := suitability(self.kinds[kind], wanted)) > 0.0
        ]
        return max(found)[2] if found else None


def suitability(kind: Kind, wanted: Purpose) -> float:
    """How well a kind of unit suits a purpose; 0 if it does not."""
    fights_on_land = kind.domain == "land" and kind.fights
    match wanted:
        case "foot":
            return kind.defence + 0.5 * kind.attack if fights_on_land else 0.0
        case "fast":
            return kind.attack + kind.defence if fights_on_land and kind.move > 1 else 0.0
        case "fighter":
            return kind.attack + kind.defence if kind.domain == "air" and kind.berth else 0.0
        case "transport":
            return kind.room
        case "screen":
            return kind.defence if kind.domain == "sea" and kind.attack > 1 and kind.defence > 1 else 0.0


def room_left(survey: Survey) -> int:
    """How many more units the factories can make than have been bought."""
    areas = survey.ground.world.areas
    return int(sum(areas[area].value for area in survey.own_factories) - sum(survey.fields["bought"]))


def is_overseas(survey: Survey) -> bool:
    """Whether no prize of the enemy can be reached by land from where the power makes most units."""
    world = survey.ground.world
    if not survey.own_factories:
        return False
    home = survey.own_factories[0]
    return not any(
        survey.hostile[area] and each.value and world.marches[home][area] < FAR for area, each in enumerate(world.areas)
    )


def plain_purchase(survey: Survey) -> Possible | None:
    """The next thing a sensible power buys; None if it is done."""
    market, room = Market(survey), room_left(survey)
    if room <= 0:
        return None
    world, bought = survey.ground.world, survey.fields["bought"]
    money = int(survey.money[survey.mover])
    if is_overseas(survey):
        afloat = [kind for kind in range(len(world.units.kinds)) if world.units.kinds[kind].room]
        ships = survey.own[:, afloat].sum() + sum(bought[kind] for kind in afloat)
        waiting = survey.own[survey.own_factories][:, list(world.units.land & world.units.fighting)].sum()
        waiting += sum(int(bought[kind]) for kind in world.units.land & world.units.fighting)
        warships = list(world.units.ships & world.units.fighting - frozenset(afloat))
        escorts = survey.own[:, warships].sum() + sum(int(bought[kind]) for kind in warships)
        if escorts < 0.5 * ships and (order := market.best("screen")) is not None:
            return order
        if FREIGHT * ships < waiting + 1 and (order := market.best("transport")) is not None:
            return order
    foot, fast = market.best("foot"), market.best("fast")
    if foot is None:
        return None
    spent = sum(int(bought[kind]) * market.prices[kind] for kind in range(len(bought)))
    spent_fast = sum(int(bought[k]) * market.prices[k] for k in range(len(bought)) if world.units.kinds[k].move > 1)
    rich = money > room * market.prices[foot.kind] * 1.3
    if rich and (order := market.best("fighter")) is not None and money >= 2 * market.prices[order.kind]:
        return order
    if fast is not None and (rich or spent_fast < SHARE_FAST * (spent + market.prices[fast.kind])):
        return fast
    return foot


def plain_placing(survey: Survey) -> Possible | None:
    """Where the next bought unit is placed: where it is needed or nearest the front; ships beside other ships."""
    puts = [order for order in survey.orders if order.verb == verbs.PUT]
    if not puts:
        return None
    stations, world = Stations(survey), survey.ground.world
    ships = survey.units[:, survey.friends].sum(axis=1)[:, list(world.units.ships)].sum(axis=1)
    enemies = survey.enemy_units[:, list(world.units.ships | world.units.aircraft)].sum(axis=1)

    def score(order: Possible) -> float:
        if world.sea[order.to]:
            around = sum(enemies[zone] for zone in (order.to, *world.ways[order.to]))
            return float(ships[order.to] - 2.0 * around)
        return stations.score(order.to, order.kind) if world.units.kinds[order.kind].move else 0.0

    return max(puts, key=lambda each: (score(each), -each.to))


def placed_order(order: Possible, survey: Survey) -> int:
    """The number of an order to place: all that fit of land units one by one, so that places can differ."""
    world = survey.ground.world
    count = order.most if world.sea[order.to] or order.most <= 1 else max(1, order.most // 2)
    return order.number + count - 1
