"""Situations of the whole game, made and played in words: who stands where, orders as typed, dice as thrown."""

from collections.abc import Iterator
from typing import Any

from kibitz.core.errors import NotUnderstood
from kibitz.games.axis.full import battles, economy
from kibitz.games.axis.full.board import read_world
from kibitz.games.axis.full.fire import HEAVY_DICE, attack_shots, hits_of_dice, raid_damage
from kibitz.games.axis.full.losses import shots
from kibitz.games.axis.full.notation import order_text, read_area, read_orders
from kibitz.games.axis.full.rules_options import read_rules
from kibitz.games.axis.full.situation import BATTLE, COMBAT, NOBODY, PLACE, Cargo, Situation, Stack, initial_situation
from kibitz.games.axis.full.turn import MOST_DIGIT, advance, apply_order, apply_roll, current_orders, next_phase, roll
from kibitz.games.axis.units import read_army

WORLD = read_world("revised")
POWERS = [power.name for power in WORLD.powers]


def area(name: str) -> int:
    """The number of an area."""
    number = read_area(WORLD, name)
    assert number is not None, name
    return number


def power(name: str) -> int:
    """The number of a power."""
    return POWERS.index(name)


def start(mover: str, phase: int = COMBAT, **switches: Any) -> Situation:
    """The initial situation, in a phase of a power's turn."""
    return initial_situation(WORLD, read_rules(switches)).replace(mover=power(mover), phase=phase)


def put(situation: Situation, owner: str, where: str, army: str, **fields: Any) -> Situation:
    """More units in an area."""
    counts = enumerate(read_army(army))
    return situation.with_units({Stack(area(where), power(owner), kind, **fields): n for kind, n in counts if n})


def clear(situation: Situation, *where: str) -> Situation:
    """Areas without units."""
    gone = {area(name) for name in where}
    return situation.map_units(lambda stack: None if stack.area in gone else stack)


def own(situation: Situation, where: str, owner: str) -> Situation:
    """An area that belongs to another power."""
    owners = list(situation.owners)
    owners[area(where)] = power(owner)
    return situation.replace(owners=tuple(owners))


def fight(situation: Situation) -> Situation:
    """The battle phase."""
    return advance(situation.replace(phase=BATTLE))


def knowing(situation: Situation, owner: str, technology: int) -> Situation:
    """A power with a technology."""
    known = list(situation.technologies)
    known[power(owner)] |= 1 << technology
    return situation.replace(technologies=tuple(known))


def buy(situation: Situation, army: str, factories: int = 0) -> Situation:
    """A power that has bought units and places them."""
    return situation.replace(bought=(*read_army(army), factories), phase=PLACE)


def aboard(owner: str, army: str) -> tuple[Cargo, ...]:
    """Units on a transport since an earlier turn."""
    return tuple(Cargo(power(owner), kind) for kind, n in enumerate(read_army(army)) for _ in range(n))


def can(situation: Situation, line: str) -> bool:
    """Whether a line is legal as a whole."""
    try:
        play(situation, line)
    except NotUnderstood:
        return False
    return True


def play(situation: Situation, *lines: str) -> Situation:
    """What lines of orders lead to."""
    for line in lines:
        for order, count in read_orders(situation, line):
            fresh = next((o for o in current_orders(situation) if o._replace(most=0) == order._replace(most=0)), None)
            if fresh is None or fresh.most < count:
                raise NotUnderstood(line, order_text(situation, order, count), "not after the order before it")
            situation = apply_order(situation, fresh, count)
    return situation


def asked(situation: Situation) -> list[str]:
    """The orders without numbers that may be given now."""
    return [order_text(situation, order, 0) for order in current_orders(situation) if not order.most]


def throw(situation: Situation, *faces: int) -> Situation:
    """What dice lead to, thrown in the order in which units fire; their number must be right."""
    rolled = roll(situation)
    assert rolled is not None, "no dice are rolled now"
    expected, result = _meaning(situation, rolled.what, faces)
    assert len(faces) == expected, f"{rolled.what}: {expected} dice, not {len(faces)}"
    assert result in dict(rolled.odds), f"{result} is not a result of {rolled}"
    return apply_roll(situation, result)


def _meaning(situation: Situation, what: str, faces: tuple[int, ...]) -> tuple[int, int]:
    """How many dice are rolled, and what these mean."""
    if what == "research":
        return situation.research[1], faces.count(6)
    if what == "overflight":
        assert situation.overflight is not None
        return situation.overflight.number, faces.count(1)
    if what == "guns at raiders":
        return economy.bomber_count(situation, economy.raid_areas(situation)[0]), faces.count(1)
    if what == "raid":
        value = WORLD.areas[situation.raid].value
        dice = HEAVY_DICE if economy.is_heavy(situation) else 1
        bombers = economy.bomber_count(situation, situation.raid)
        groups = [faces[n * dice : (n + 1) * dice] for n in range(bombers)]
        return dice * bombers, sum(raid_damage(situation.rules.lhtr, value, group) for group in groups)
    if what == "rocket":
        target = next(to for _, to in situation.rockets if to != NOBODY)
        return 1, min(faces[0], WORLD.areas[target].value)
    battle = situation.engagement
    assert battle is not None
    if what == "guns":
        fighters, bombers = battles.attacking_aircraft(situation, battle.area)
        hits = faces[:fighters].count(1), faces[fighters:].count(1)
        return fighters + bombers, MOST_DIGIT * hits[0] + hits[1] if fighters and bombers else sum(hits)
    if what == "bombardment":
        firing = tuple(attack_shots(situation, battles.bombarding_ships(situation, battle.area)))
    else:
        sneak = what == "submarines"
        side = battle.step - (battles.SNEAK_ATTACK if sneak else battles.ATTACK)
        firing = shots(situation, battle.area, side, sneak)
    return sum(shot.dice for shot in firing), hits_of_dice(firing, faces)


def count(situation: Situation, owner: str, where: str, kind: int | None = None) -> int:
    """How many units (of a kind) a power has in an area."""
    units = situation.own_units(area(where), power(owner))
    return sum(number for stack, number in units if kind is None or stack.kind == kind)


def next_turn_of(situation: Situation, mover: str) -> Situation:
    """The same units in a later turn of a power, in its combat moves."""
    for _ in POWERS:
        situation = next_phase(situation.replace(phase=PLACE))
        if situation.mover == power(mover):
            break
    return situation.replace(phase=COMBAT)


def battle_odds(situation: Situation, where: str) -> tuple[float, float, float]:
    """How likely the attacker, the defender, and nobody is left, fought to the end without retreat or submerging."""
    known: dict[Any, list[tuple[Any, float]]] = {}
    waiting, ways, ended = [situation], {_key(situation): 1.0}, [0.0, 0.0, 0.0]
    while waiting:
        each = waiting.pop()
        if _key(each) not in known:
            known[_key(each)] = []
            for after, share in _outcomes(each):
                goes_on = after.engagement is not None
                known[_key(each)].append((_key(after) if goes_on else _winner(after, where), share))
                waiting += [after] if goes_on else []
    while sum(ways.values()) > 1e-12:
        following: dict[Any, float] = {}
        for key, chance in ways.items():
            for reached, share in known[key]:
                if isinstance(reached, int):
                    ended[reached] += chance * share
                else:
                    following[reached] = following.get(reached, 0.0) + chance * share
        ways = following
    return ended[0], ended[1], ended[2]


def _winner(situation: Situation, where: str) -> int:
    """0 if attackers are left, 1 if only defenders are, 2 if nobody is."""
    here = area(where)
    return 0 if situation.own_units(here, situation.mover) else 1 if situation.enemies(here, situation.mover) else 2


def _key(situation: Situation) -> Any:
    """What tells situations of a battle apart, whichever round it is."""
    assert situation.engagement is not None
    return situation.units, situation.engagement._replace(round=0)


def _outcomes(situation: Situation) -> Iterator[tuple[Situation, float]]:
    rolled = roll(situation)
    if rolled is not None:
        for result, chance in rolled.odds:
            yield apply_roll(situation, result), chance
        return
    words = asked(situation)
    yield play(situation, "stay" if "stay" in words else "fight on" if "fight on" in words else words[0]), 1.0
