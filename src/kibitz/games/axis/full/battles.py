"""A battle, step by step: guns, bombardment, submarines, all others, losses, submerging, retreat, and how it ends."""

from collections.abc import Callable

from kibitz.games.axis.full.endings import end_battle, end_if_decided, keep_aboard
from kibitz.games.axis.full.fire import attack_shots, hit_odds
from kibitz.games.axis.full.losses import (
    ATTACKER,
    DEFENDER,
    Stacks,
    attackers,
    candidates,
    chooser,
    has_destroyer,
    has_kind,
    is_landing,
    remove_doomed,
    shots,
    side_units,
    take_hit,
)
from kibitz.games.axis.full.orders import (
    BOMBARD,
    GO_ON,
    HOLD_FIRE,
    RETREAT,
    STAY,
    SUBMERGE,
    WITHDRAW,
    Order,
    guests_aboard,
)
from kibitz.games.axis.full.situation import (
    FOUGHT,
    NOBODY,
    SPENT,
    SUBMERGED,
    WITHDRAWN,
    Engagement,
    Situation,
    Stack,
)

ASK_BOMBARDMENT, GUNS, BOMBARDMENT = range(3)
SNEAK_ATTACK, SNEAK_DEFENCE, SNEAK_LOSSES, ATTACK, DEFENCE, LOSSES = range(3, 9)
REMOVAL, ATTACKERS_SUBMERGE, ASK_RETREAT, DEFENDERS_SUBMERGE, NEXT_ROUND = range(9, 14)
"""The steps of a round; the first three belong to the first round only."""


def start_battle(situation: Situation, area: int) -> Situation:
    """A battle begins: who fights does not move any more in this turn, aircraft excepted."""
    joined = {stack for stack, _ in attackers(situation, area)}
    units = situation.world.units

    def join(stack: Stack) -> Stack:
        if stack not in joined or stack.kind in units.aircraft:
            return stack
        return stack._replace(spent=SPENT, marks=stack.marks | (FOUGHT if stack.kind in units.transports else 0))

    battle = Engagement(area, step=ASK_BOMBARDMENT, landing=is_landing(situation, area))
    return advance_battle(situation.map_units(join, engagement=battle))


def bombarding_ships(situation: Situation, area: int) -> Stacks:
    """The ships that may fire at the land: in zones from which units land and where no battle was fought."""
    sea, power, land = situation.world.sea, situation.mover, situation.world.units.land
    zones = {s.came for s, _ in attackers(situation, area) if s.kind in land and s.came != NOBODY and sea[s.came]}
    arsenal = situation.arsenal(power)
    return [
        (stack, number)
        for zone in sorted(zones)
        if zone not in situation.fought
        for stack, number in situation.own_units(zone, power)
        if arsenal.bombards(stack.kind) and not stack.marks & WITHDRAWN
    ]


def attacking_aircraft(situation: Situation, area: int) -> tuple[int, ...]:
    """How many of each kind of aircraft attack."""
    found = attackers(situation, area)
    return tuple(sum(n for s, n in found if s.kind == kind) for kind in situation.world.units.flyers)


def guns_fire(situation: Situation, area: int) -> bool:
    """Whether guns fire at the attackers of an area."""
    return situation.has_guns(area, situation.mover) and any(attacking_aircraft(situation, area))


def advance_battle(situation: Situation) -> Situation:
    """The battle up to the next die or decision, or past its end."""
    while (battle := situation.engagement) is not None and not needs_answer(situation, battle):
        situation = STEPS[battle.step](situation, battle)
    return situation


def needs_answer(situation: Situation, battle: Engagement) -> bool:
    """Whether the battle waits for dice or for somebody."""
    return bool(battle_dice(situation, battle)) or battle_chooser(situation, battle) is not None


def battle_dice(situation: Situation, battle: Engagement) -> str:
    """What is rolled for now, if anything."""
    area = battle.area
    match battle.step:
        case _ if battle.step == GUNS:
            return "guns" if guns_fire(situation, area) else ""
        case _ if battle.step == BOMBARDMENT:
            return "bombardment" if battle.bombards else ""
        case _ if battle.step in (SNEAK_ATTACK, SNEAK_DEFENCE):
            return "submarines" if shots(situation, area, battle.step - SNEAK_ATTACK, sneak=True) else ""
        case _ if battle.step in (ATTACK, DEFENCE):
            return "fire" if shots(situation, area, battle.step - ATTACK, sneak=False) else ""
    return ""


def volley_odds(situation: Situation, battle: Engagement) -> tuple[tuple[int, float], ...]:
    """How likely each number of hits of this step is."""
    low = situation.rules.low_luck
    if battle.step == BOMBARDMENT:
        return hit_odds(tuple(attack_shots(situation, bombarding_ships(situation, battle.area))), low)
    sneak = battle.step in (SNEAK_ATTACK, SNEAK_DEFENCE)
    side = battle.step - (SNEAK_ATTACK if sneak else ATTACK)
    return hit_odds(shots(situation, battle.area, side, sneak), low)


def score_hits(situation: Situation, hits: int) -> Situation:
    """The dice of this step have hit so often."""
    battle = situation.engagement
    assert battle is not None
    if battle.step == BOMBARDMENT:
        fired = {stack for stack, _ in bombarding_ships(situation, battle.area)}
        situation = situation.map_units(
            lambda stack: stack._replace(spent=SPENT, marks=stack.marks | WITHDRAWN) if stack in fired else stack
        )
        battle = battle._replace(bombards=False)
    side = ATTACKER if battle.step in (SNEAK_DEFENCE, DEFENCE) else DEFENDER
    new = list(battle.hits)
    new[side] += hits
    battle = battle._replace(hits=(new[0], new[1]), sneaked=battle.step in (SNEAK_ATTACK, SNEAK_DEFENCE))
    if battle.step != BOMBARDMENT:
        battle = battle._replace(step=battle.step + 1)
    return advance_battle(situation.replace(engagement=battle))


def shoot_down(situation: Situation, hits: tuple[int, ...]) -> Situation:
    """Guns have hit so many of each kind of aircraft; those are lost first that have flown farthest."""
    battle = situation.engagement
    assert battle is not None
    gone: dict[Stack, int] = {}
    for kind, number in zip(situation.world.units.flyers, hits, strict=True):
        flown = [pair for pair in attackers(situation, battle.area) if pair[0].kind == kind]
        for stack, count in sorted(flown, key=lambda pair: -pair[0].spent):
            gone[stack] = -min(number, count)
            number += gone[stack]
    gone = {stack: number for stack, number in gone.items() if number}
    return advance_battle(situation.with_units(gone, engagement=battle._replace(step=battle.step + 1)))


# Steps without an answer.


def _go_on(situation: Situation, battle: Engagement) -> Situation:
    return situation.replace(engagement=battle._replace(step=battle.step + 1))


def _take_losses(situation: Situation, battle: Engagement) -> Situation:
    """Hits are taken; those left when everyone is lost mean nothing."""
    for side in (ATTACKER, DEFENDER):
        while battle.hits[side]:
            units = candidates(situation, battle, side)
            if not units:
                hits = (0, battle.hits[1]) if side == ATTACKER else (battle.hits[0], 0)
                battle = battle._replace(hits=hits)
                situation = situation.replace(engagement=battle)
                break
            situation = take_hit(situation, battle, side, units[0][0])
            assert situation.engagement is not None
            battle = situation.engagement
    if battle.step == BOMBARDMENT:
        return check_screens(situation.replace(engagement=battle._replace(step=SNEAK_ATTACK)))
    step = battle.step + 1
    return situation.replace(engagement=battle._replace(step=step, sneaked=False))


def check_screens(situation: Situation) -> Situation:
    """A round begins: which side has destroyers is fixed for it."""
    battle = situation.engagement
    assert battle is not None
    both = has_destroyer(situation, battle.area, ATTACKER), has_destroyer(situation, battle.area, DEFENDER)
    return end_if_decided(situation.replace(engagement=battle._replace(screened=both)))


def _remove(situation: Situation, battle: Engagement) -> Situation:
    situation = remove_doomed(situation, battle)
    assert situation.engagement is not None
    return end_if_decided(situation.replace(engagement=situation.engagement._replace(step=battle.step + 1)))


def _next_round(situation: Situation, battle: Engagement) -> Situation:
    begun = battle._replace(round=battle.round + 1, step=SNEAK_ATTACK)
    situation = end_if_decided(situation.replace(engagement=begun))
    return check_screens(situation) if situation.engagement is not None else situation


STEPS: dict[int, Callable[[Situation, Engagement], Situation]] = {
    ASK_BOMBARDMENT: _go_on,
    GUNS: _go_on,
    BOMBARDMENT: _take_losses,
    SNEAK_ATTACK: _go_on,
    SNEAK_DEFENCE: _go_on,
    SNEAK_LOSSES: _take_losses,
    ATTACK: _go_on,
    DEFENCE: _go_on,
    LOSSES: _take_losses,
    REMOVAL: _remove,
    ATTACKERS_SUBMERGE: _go_on,
    ASK_RETREAT: _go_on,
    DEFENDERS_SUBMERGE: _go_on,
    NEXT_ROUND: _next_round,
}


# Decisions.


def battle_chooser(situation: Situation, battle: Engagement) -> int | None:
    """The player who decides now, if anyone does."""
    if not battle_orders(situation, battle):
        return None
    return chooser(situation, battle.area, DEFENDER if battle.step == DEFENDERS_SUBMERGE else ATTACKER)


def battle_orders(situation: Situation, battle: Engagement) -> list[Order]:
    """What may be decided at this step of a battle; empty if nothing."""
    area = battle.area
    if battle.step == ASK_BOMBARDMENT:
        return [Order(BOMBARD, area), Order(HOLD_FIRE, area)] if bombarding_ships(situation, area) else []
    if battle.step in (ATTACKERS_SUBMERGE, DEFENDERS_SUBMERGE):
        side = ATTACKER if battle.step == ATTACKERS_SUBMERGE else DEFENDER
        asked = may_submerge(situation, area, side) and chooser(situation, area, side) != NOBODY
        return [Order(SUBMERGE, area), Order(STAY, area)] if asked else []
    if battle.step == ASK_RETREAT:
        found = retreat_orders(situation, battle)
        return [Order(GO_ON, area), *found] if found else []
    return []


def may_submerge(situation: Situation, area: int, side: int) -> bool:
    """Whether the submarines of a side may leave the battle: no enemy destroyer is left."""
    units = situation.world.units
    submarines = has_kind(side_units(situation, area, side), units.submarines)
    screened = has_kind(side_units(situation, area, 1 - side), units.destroyers)
    return submarines and not screened


def retreat_orders(situation: Situation, battle: Engagement) -> list[Order]:
    """Where the attacker may retreat to, and whether aircraft may break off."""
    area, power, sea = battle.area, situation.mover, situation.world.sea
    units, flying = attackers(situation, area), situation.world.units.aircraft
    aircraft = has_kind(units, flying)
    others = {stack.came for stack, _ in units if stack.kind not in flying}
    if not others or battle.landing:
        return [Order(WITHDRAW, area)] if aircraft else []
    if sea[area]:
        back = {z for z in others if z != NOBODY and not situation.enemies(z, power) and z not in situation.fought}
    else:
        back = {z for z in others if z != NOBODY and situation.is_friendly(z, power) and not sea[z]}
        back = {z for z in back if not situation.enemies(z, power)}
    return [Order(RETREAT, area, to=zone) for zone in sorted(back)]


def decide_battle(situation: Situation, order: Order) -> Situation:
    """A player's decision in a battle is carried out."""
    battle = situation.engagement
    assert battle is not None
    area, following = battle.area, battle._replace(step=battle.step + 1)
    match order.verb:
        case _ if order.verb in (BOMBARD, HOLD_FIRE):
            situation = situation.replace(engagement=following._replace(bombards=order.verb == BOMBARD))
        case _ if order.verb == SUBMERGE:
            side = ATTACKER if battle.step == ATTACKERS_SUBMERGE else DEFENDER
            submarines = situation.world.units.submarines
            diving = {s for s, _ in side_units(situation, area, side) if s.kind in submarines}
            situation = situation.map_units(
                lambda stack: stack._replace(marks=stack.marks | SUBMERGED) if stack in diving else stack
            )
            situation = end_if_decided(situation.replace(engagement=following))
        case _ if order.verb == RETREAT:
            situation = end_battle(_retreat(situation, area, order.to))
        case _ if order.verb == WITHDRAW:
            situation = _withdraw_aircraft(situation, area)
            situation = end_if_decided(situation.replace(engagement=following))
        case _:
            situation = situation.replace(engagement=following)
    return advance_battle(situation)


def _retreat(situation: Situation, area: int, to: int) -> Situation:
    """All attackers but aircraft go back; aircraft leave the battle and land later, those of allies stay aboard."""
    leaving = {stack for stack, _ in attackers(situation, area)}

    def go_back(stack: Stack) -> Stack:
        if stack not in leaving:
            return stack
        if stack.kind in situation.world.units.aircraft:
            return stack._replace(marks=stack.marks | WITHDRAWN)
        return keep_aboard(stack)._replace(area=to, spent=SPENT)

    kinds = situation.world.units.kinds
    room = sum(number * kinds[stack.kind].deck for stack, number in attackers(situation, area))
    going = guests_aboard(situation, area, situation.mover, to, room) if room else {}
    return situation.with_units(going).map_units(go_back)


def _withdraw_aircraft(situation: Situation, area: int) -> Situation:
    flying = situation.world.units.aircraft
    leaving = {stack for stack, _ in attackers(situation, area) if stack.kind in flying}
    return situation.map_units(
        lambda stack: stack._replace(marks=stack.marks | WITHDRAWN) if stack in leaving else stack
    )
