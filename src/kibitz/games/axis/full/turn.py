"""The one state machine: what may be ordered in each phase, what dice are rolled, and what both lead to."""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import NamedTuple

from kibitz.games.axis.full import battles, economy, orders
from kibitz.games.axis.full.fire import Shot, damage_odds, gun_odds, hit_odds
from kibitz.games.axis.full.losses import DEFENDER, attackers, side_units
from kibitz.games.axis.full.orders import DONE, FIGHT, FIRE_ROCKET, HOLD_ROCKET, Order
from kibitz.games.axis.full.situation import (
    BATTLE,
    BID,
    BID_PLACE,
    COMBAT,
    NOBODY,
    NONCOMBAT,
    OVER,
    PLACE,
    PURCHASE,
    RESEARCH,
    SPENT,
    SUBMERGED,
    Situation,
    Stack,
    take_area,
)

MOST_DIGIT, MOST_NUMBER = 1000, 10**18
"""Hits on kinds of aircraft are one number, with a digit for each kind that is there; see `digit_base`."""


class Roll(NamedTuple):
    """Dice that are rolled now: what for, and how likely each result is."""

    what: str
    odds: tuple[tuple[int, float], ...]


class Phase(NamedTuple):
    """A phase: what may be ordered, and what happens when it is done."""

    orders: Callable[[Situation], list[Order]]
    finish: Callable[[Situation], Situation]


# Dice.


def roll(situation: Situation) -> Roll | None:
    """The dice that are rolled now, if any."""
    rules, power = situation.rules, situation.mover
    if situation.research[1]:
        return Roll("research", hit_odds((Shot(1),) * situation.research[1]))
    if situation.overflight is not None:
        return Roll("overflight", _gun_roll(situation, passers(situation)))
    if situation.engagement is not None:
        battle = situation.engagement
        what = battles.battle_dice(situation, battle)
        if what == "guns":
            return Roll(what, _gun_roll(situation, battles.attacking_aircraft(situation, battle.area)))
        return Roll(what, battles.volley_odds(situation, battle)) if what else None
    if situation.phase != BATTLE or economy.rocket_orders(situation):
        return None
    if situation.raid != NOBODY:
        value, heavy = situation.world.areas[situation.raid].value, economy.is_heavy(situation)
        bombers = economy.bomber_count(situation, situation.raid)
        return Roll("raid", damage_odds(rules.lhtr, bombers, heavy, value))
    raids = economy.raid_areas(situation)
    for area in raids:
        if situation.has_guns(area, power):
            return Roll("guns at raiders", _gun_roll(situation, economy.raiding_aircraft(situation, area)))
    for _, to in situation.rockets if not raids else ():
        if to != NOBODY:
            return Roll("rocket", damage_odds(rules.lhtr, 1, False, situation.world.areas[to].value))
    return None


def passers(situation: Situation) -> tuple[int, ...]:
    """How many aircraft of each kind are fired at on their way."""
    assert situation.overflight is not None
    stack, count, _ = situation.overflight
    return tuple(count if kind == stack.kind else 0 for kind in situation.world.units.flyers)


def _gun_roll(situation: Situation, aircraft: tuple[int, ...]) -> tuple[tuple[int, float], ...]:
    """How likely guns hit so many of each kind, the hits as one number."""
    base, found = digit_base(sum(map(bool, aircraft))), dict[int, float]()
    for hits, chance in gun_odds(*aircraft):
        digits = [min(hit, base - 1) for hit, count in zip(hits, aircraft, strict=True) if count]
        number = reduce(lambda told, digit: base * told + digit, digits, 0)
        found[number] = found.get(number, 0.0) + chance
    return tuple(found.items())


def digit_base(kinds: int) -> int:
    """The base of the digits that tell the hits on each of so many kinds of aircraft, so that 64 bits hold them."""
    base = MOST_DIGIT
    while kinds and base**kinds > MOST_NUMBER:
        base -= 1
    return base


def hits_by_kind(aircraft: tuple[int, ...], result: int) -> tuple[int, ...]:
    """The hits on each kind of aircraft that a number means, the last kind last."""
    base, found = digit_base(sum(map(bool, aircraft))), list[int]()
    for count in reversed(aircraft):
        result, digit = divmod(result, base) if count else (result, 0)
        found.append(digit)
    return tuple(reversed(found))


def aimed_aircraft(situation: Situation) -> tuple[int, ...]:
    """How many aircraft of each kind guns fire at now."""
    if situation.overflight is not None:
        return passers(situation)
    if situation.engagement is not None:
        return battles.attacking_aircraft(situation, situation.engagement.area)
    return economy.raiding_aircraft(situation, _guarded_raid(situation))


def apply_roll(situation: Situation, result: int) -> Situation:
    """What the dice lead to."""
    rolled = roll(situation)
    assert rolled is not None
    match rolled.what:
        case "research":
            after = next_phase(economy.finish_research(situation, result))
        case "overflight":
            after = _shoot_at_passers(situation, sum(hits_by_kind(aimed_aircraft(situation), result)))
        case "guns":
            after = battles.shoot_down(situation, hits_by_kind(aimed_aircraft(situation), result))
        case "guns at raiders":
            after = economy.lose_raiders(
                situation, _guarded_raid(situation), hits_by_kind(aimed_aircraft(situation), result)
            )
        case "raid":
            after = economy.finish_raid(situation, result)
        case "rocket":
            after = _finish_rocket(situation, result)
        case _:
            after = battles.score_hits(situation, result)
    return advance(after)


def _shoot_at_passers(situation: Situation, hits: int) -> Situation:
    assert situation.overflight is not None
    stack, count, areas = situation.overflight
    left = situation.overflight._replace(number=count - hits, areas=areas[1:])
    under_way = left if left.number and left.areas else None
    return situation.with_units({stack: -hits} if hits else {}, overflight=under_way)


def _guarded_raid(situation: Situation) -> int:
    return next(a for a in economy.raid_areas(situation) if situation.has_guns(a, situation.mover))


def _finish_rocket(situation: Situation, damage: int) -> Situation:
    fired = next(pair for pair in situation.rockets if pair[1] != NOBODY)
    told = tuple((area, NOBODY if (area, to) == fired else to) for area, to in situation.rockets)
    return economy.damage_area(situation.replace(rockets=told), fired[1], damage)


# Orders.


def current_orders(situation: Situation) -> list[Order]:
    """What may be ordered now, sorted; empty if dice are rolled or the game is over."""
    if situation.phase == OVER or roll(situation) is not None:
        return []
    if situation.engagement is not None:
        return battles.battle_orders(situation, situation.engagement)
    return PHASE_RULES[situation.phase].orders(situation)


def mover(situation: Situation) -> int:
    """The player who decides now."""
    if situation.engagement is not None:
        chosen = battles.battle_chooser(situation, situation.engagement)
        assert chosen is not None
        return chosen
    return situation.mover


def apply_order(situation: Situation, order: Order, count: int = 0) -> Situation:
    """What an order leads to, up to the next decision or roll of dice."""
    if situation.engagement is not None:
        return advance(battles.decide_battle(situation, order))
    match order.verb:
        case _ if order.verb == DONE:
            after = next_phase(PHASE_RULES[situation.phase].finish(situation))
        case _ if order.verb == orders.INVEST:
            after = economy.invest(situation, order.kind, count)
        case _ if order.verb == orders.BUY:
            after = economy.buy(situation, order.kind, count)
        case _ if order.verb == orders.LOADING:
            after = orders.load_units(situation, order, count)
        case _ if order.verb == orders.UNLOADING:
            after = orders.unload_units(situation, order, count)
        case _ if order.verb in (orders.MOVE, orders.RAID):
            after = orders.move_units(situation, order, count)
        case _ if order.verb in (FIRE_ROCKET, HOLD_ROCKET):
            after = situation.replace(rockets=(*situation.rockets, (order.area, order.to)))
        case _ if order.verb == FIGHT:
            after = battles.start_battle(situation, order.area)
        case _ if order.verb == orders.PUT:
            after = economy.place(situation, order.kind, order.to, count)
        case _:
            after = economy.board_carrier(situation, order.area, order.kind, order.to, count)
    return advance(after)


def advance(situation: Situation) -> Situation:
    """The situation once everything has happened that needs neither dice nor a decision."""
    while situation.phase != OVER and roll(situation) is None:
        if situation.engagement is not None:
            return situation
        if situation.phase == BATTLE and (after := settle_battles(situation)) is not None:
            situation = after
            continue
        found = PHASE_RULES[situation.phase].orders(situation)
        if any(order.verb != DONE for order in found):
            return situation
        situation = next_phase(PHASE_RULES[situation.phase].finish(situation))
    return situation


# The battle phase.


def battle_areas(situation: Situation) -> list[int]:
    """The areas where a battle is to be fought, made from where units are; a landing waits for the battle at sea."""
    power = situation.mover
    waiting = {item.to for stack, _ in situation.all_of(power) for item in stack.cargo if item.to != NOBODY}
    areas = {stack.area for stack, _ in situation.all_of(power)} - set(situation.fought) - waiting
    return sorted(a for a in areas if attackers(situation, a) and side_units(situation, a, DEFENDER))


def settle_battles(situation: Situation) -> Situation | None:
    """What needs no decision in the battle phase: raids without guns, areas without defence, the only battle left."""
    if economy.rocket_orders(situation):
        return None
    raids = economy.raid_areas(situation)
    if raids:
        return situation.replace(raid=raids[0])
    land = situation.world.units.land
    for area in sorted({s.area for s, _ in situation.all_of(situation.mover) if s.kind in land}):
        hostile = not situation.world.sea[area] and not situation.is_friendly(area, situation.mover)
        if hostile and not situation.defenders(area, situation.mover):
            return take_area(situation, area, situation.mover)
    areas = battle_areas(situation)
    return battles.start_battle(situation, areas[0]) if len(areas) == 1 else None


def battle_phase_orders(situation: Situation) -> list[Order]:
    """Rockets first, then the battle to be fought next."""
    return economy.rocket_orders(situation) or [Order(FIGHT, area) for area in battle_areas(situation)]


# How phases end.


def next_phase(situation: Situation) -> Situation:
    """The phase after this one; after the last one of a turn, the next power's first."""
    if situation.phase == BID_PLACE:
        return _next_bid(situation)
    if situation.phase == PLACE:
        return _next_turn(situation)
    return situation.replace(phase=situation.phase + 1)


def _keep(situation: Situation) -> Situation:
    return situation


def _end_combat_moves(situation: Situation) -> Situation:
    """Who has moved does not move again, aircraft excepted."""
    power, flying = situation.mover, situation.world.units.aircraft

    def rest(stack: Stack) -> Stack:
        moved = stack.power == power and stack.spent and stack.kind not in flying
        return stack._replace(spent=SPENT) if moved else stack

    return situation.map_units(rest)


def _end_moves(situation: Situation) -> Situation:
    """Submarines surface, and aircraft without a place are lost."""
    situation = economy.lose_stranded(situation, situation.mover)
    return situation.map_units(lambda stack: stack._replace(marks=stack.marks & ~SUBMERGED))


def _end_placing(situation: Situation) -> Situation:
    """Units that were not placed are lost, and so are aircraft without a place; then the power earns."""
    situation = economy.learn_technology(economy.lose_stranded(situation, situation.mover))
    money = list(situation.money)
    money[situation.mover] += economy.income(situation, situation.mover)
    return situation.replace(money=tuple(money), bought=(0,) * len(situation.world.units.kinds))


def _next_turn(situation: Situation) -> Situation:
    """The next power's turn; after the last power, the cities are counted."""

    def refresh(stack: Stack) -> Stack:
        cargo = tuple(sorted(item._replace(fresh=False, to=NOBODY) for item in stack.cargo))
        return Stack(stack.area, stack.power, stack.kind, cargo=cargo)

    turns = situation.world.turns
    place = turns.index(situation.mover) + 1
    last = place == len(turns)
    situation = situation.map_units(
        refresh,
        phase=RESEARCH,
        mover=turns[0] if last else turns[place],
        round=situation.round + last,
        placed=(),
        taken=(),
        fought=(),
        raided=(),
        rockets=(),
    )
    if not last:
        return situation
    held = cities(situation)
    if max(held) >= situation.rules.winning_cities:
        return situation.replace(phase=OVER, winner=held.index(max(held)))
    return situation.replace(phase=OVER) if situation.round > situation.rules.rounds else situation


def _next_bid(situation: Situation) -> Situation:
    """The next power with a bid, or the first turn; what is left of a bid is kept."""
    world, bids = situation.world, situation.rules.bids
    money = list(situation.money)
    money[situation.mover] += situation.purse
    fresh = situation.replace(money=tuple(money), bought=(0,) * len(situation.world.units.kinds), placed=(), purse=0)
    for power in world.turns[world.turns.index(situation.mover) + 1 :]:
        if bids.get(world.powers[power].name):
            return fresh.replace(phase=BID, mover=power, purse=bids[world.powers[power].name])
    return fresh.replace(phase=RESEARCH, mover=world.turns[0])


def cities(situation: Situation) -> list[int]:
    """How many cities each side holds."""
    held = [0] * len(situation.world.sides)
    for area, owner in zip(situation.world.areas, situation.owners, strict=True):
        if area.city and owner != NOBODY:
            held[situation.world.powers[owner].side] += 1
    return held


def _with_done(found: Callable[[Situation], list[Order]]) -> Callable[[Situation], list[Order]]:
    return lambda situation: [Order(DONE), *found(situation)]


PHASE_RULES: Mapping[int, Phase] = {
    BID: Phase(_with_done(economy.purchase_orders), _keep),
    BID_PLACE: Phase(_with_done(economy.placing_orders), _keep),
    RESEARCH: Phase(_with_done(economy.research_orders), _keep),
    PURCHASE: Phase(_with_done(economy.purchase_orders), _keep),
    COMBAT: Phase(orders.moves, _end_combat_moves),
    BATTLE: Phase(battle_phase_orders, _keep),
    NONCOMBAT: Phase(orders.moves, _end_moves),
    PLACE: Phase(_with_done(economy.placing_orders), _end_placing),
}
"""The phases of a turn, as data."""
