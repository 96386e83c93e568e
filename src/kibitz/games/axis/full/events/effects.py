"""What events do to a situation."""

from collections.abc import Callable, Mapping

from kibitz.games.axis.full.board import MOST_MADE
from kibitz.games.axis.full.events.book import ALL, Change, Effect
from kibitz.games.axis.full.events.changed_board import changed_world, first_world, with_change
from kibitz.games.axis.full.events.conditions import judge_of
from kibitz.games.axis.full.events.moments import events_of, with_events
from kibitz.games.axis.full.situation import NOBODY, OVER, Situation, Stack

MOST_MONEY = 1_000_000
MOST_THERE = 1_000
"""The most units of a kind that events bring a power in one area."""
MANY_STACKS, MOST_STACKS = 1_000, 18_000
"""So many stacks more than at the start, four for one, are a crowd to which events add nothing."""


def change_board(situation: Situation, *changes: Change) -> Situation:
    """A situation on a board that has changed."""
    (_, events), first = events_of(situation), first_world(situation.world)
    told = with_change(events.changes, *changes)
    if told == events.changes:
        return situation
    return situation.replace(world=changed_world(first, told), events=events._replace(changes=told))


def place_units(situation: Situation, effect: Effect, times: int) -> Situation:
    """Units appear in an area."""
    world, area = situation.world, effect.area
    crowd = min(MOST_STACKS, MANY_STACKS + 4 * (len(world.forces) + len(world.cargo)))
    for power in effect.powers:
        for kind in effect.kinds if len(situation.units) < crowd else ():
            if kind in world.units.factories:
                if not world.sea[area]:
                    factories = tuple(sorted({*situation.factories, area}))
                    situation = situation.replace(factories=factories)
                continue
            room = max(0, MOST_THERE - situation.count(area, power, kind))
            number = min(room, effect.number * times)
            fits = not world.sea[area] if kind in world.units.land else kind not in world.units.ships or world.sea[area]
            if number and fits:
                situation = situation.with_units({Stack(area, power, kind): number})
    return situation


def remove_units(situation: Situation, effect: Effect, times: int) -> Situation:
    """Units disappear from an area, or from all, the least used first; so does what they carry."""
    left = {(power, kind): effect.number * times for power in effect.powers for kind in effect.kinds}
    gone: dict[Stack, int] = {}
    for stack, number in situation.units if effect.area == ALL else situation.at(effect.area):
        if stack.kind not in effect.kinds:
            continue
        wanted = min(number, left.get((stack.power, stack.kind), 0))
        if wanted:
            gone[stack] = -wanted
            left[stack.power, stack.kind] -= wanted
    factories = situation.factories
    if set(effect.kinds) & situation.world.units.factories:
        lost = {a for a in factories if effect.area in (ALL, a) and situation.owners[a] in effect.powers}
        factories = tuple(area for area in factories if area not in lost)
    return situation.with_units(gone, factories=factories) if gone or factories != situation.factories else situation


def give_units(situation: Situation, effect: Effect, times: int) -> Situation:
    """The power whose turn begins has units to place that it did not buy."""
    if situation.mover not in effect.powers:
        return situation
    bought = list(situation.bought)
    for kind in effect.kinds:
        bought[kind] = min(MOST_MADE, bought[kind] + effect.number * times)
    return situation.replace(bought=tuple(bought))


def give_money(situation: Situation, effect: Effect, times: int) -> Situation:
    """Powers get money, or lose it."""
    money = list(situation.money)
    for power in effect.powers:
        money[power] = min(MOST_MONEY, max(0, money[power] + effect.number * times))
    return situation.replace(money=tuple(money))


def give_technology(situation: Situation, effect: Effect, times: int) -> Situation:
    """Powers know a technology from now on."""
    known = list(situation.technologies)
    for power in effect.powers:
        known[power] |= 1 << effect.number
    return situation.replace(technologies=tuple(known))


def change_offers(situation: Situation, effect: Effect, times: int) -> Situation:
    """Powers buy from another list."""
    return change_board(situation, *(("offer", power, "", effect.number) for power in effect.powers))


def change_rule(situation: Situation, effect: Effect, times: int) -> Situation:
    """A list offers a kind of unit at a price, or (price 0) no more; *area* is the list."""
    return change_board(situation, *(("rule", effect.area, str(kind), effect.number) for kind in effect.kinds))


def change_kind(situation: Situation, effect: Effect, times: int) -> Situation:
    """Kinds of units are able to do something else."""
    return change_board(situation, *(("kind", kind, effect.field, effect.number) for kind in effect.kinds))


def change_area(situation: Situation, effect: Effect, times: int) -> Situation:
    """An area is worth something else, becomes a city, opens or closes."""
    return change_board(situation, ("area", effect.area, effect.field, effect.number))


def change_relation(situation: Situation, effect: Effect, times: int) -> Situation:
    """Two powers become allies or enemies, if their relation is one of those that the event asks for (*kinds*)."""
    one, other = sorted(effect.powers)
    if effect.kinds and judge_of(situation).relation(one, other) not in effect.kinds:
        return situation
    judge = judge_of(situation)
    if judge.relation(one, other) == effect.number:
        return situation
    changed = ("relation", one, str(other), effect.number), ("since", one, str(other), judge.round)
    return change_board(situation, *changed)


def change_owner(situation: Situation, effect: Effect, times: int) -> Situation:
    """Areas go from one owner to another; the powers are the new one, and the old one (-1 is any, -2 is nobody)."""
    new, old = effect.powers
    owners, places = list(situation.owners), range(len(situation.owners)) if effect.area == ALL else [effect.area]
    for area in places:
        if old == ALL or owners[area] == (NOBODY if old < ALL else old):
            owners[area] = NOBODY if new < 0 else new
    return situation.replace(owners=tuple(owners))


def switch_condition(situation: Situation, effect: Effect, times: int) -> Situation:
    """A condition is switched on or off; *area* is its number."""
    return change_board(situation, ("switch", effect.area, "", effect.number))


def set_uses(situation: Situation, effect: Effect, times: int) -> Situation:
    """A trigger may happen so often from now on; *area* is its number."""
    _, events = events_of(situation)
    uses = (*events.uses[: effect.area], effect.number, *events.uses[effect.area + 1 :])
    return with_events(situation, events._replace(uses=uses))


def win(situation: Situation, effect: Effect, times: int) -> Situation:
    """The side of a power has won."""
    return situation.replace(phase=OVER, winner=situation.world.powers[effect.powers[0]].side)


VERBS: Mapping[str, Callable[[Situation, Effect, int], Situation]] = {
    "switch": switch_condition,
    "uses": set_uses,
    "kind": change_kind,
    "area": change_area,
    "relation": change_relation,
    "technology": give_technology,
    "offers": change_offers,
    "rule": change_rule,
    "own": change_owner,
    "remove": remove_units,
    "give": give_units,
    "place": place_units,
    "money": give_money,
    "win": win,
}
"""What an effect does, by its verb."""
