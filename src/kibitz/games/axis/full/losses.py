"""Who is lost: the units of each side in a battle, the default order of losses, and their removal."""

from kibitz.games.axis.full.fire import Shot, attack_shots, defence_shots
from kibitz.games.axis.full.situation import (
    NOBODY,
    RAIDING,
    SUBMERGED,
    WITHDRAWN,
    Engagement,
    Situation,
    Stack,
)

ATTACKER, DEFENDER = 0, 1
Stacks = list[tuple[Stack, int]]


def attackers(situation: Situation, area: int) -> Stacks:
    """The units of the mover that attack in an area."""
    sea, units = situation.world.sea[area], situation.world.units
    kinds = (units.ships if sea else units.land) | units.aircraft
    return [
        (stack, number)
        for stack, number in situation.own_units(area, situation.mover)
        if stack.kind in kinds and stack.kind in units.fighting and not stack.marks & (SUBMERGED | RAIDING | WITHDRAWN)
    ]


def side_units(situation: Situation, area: int, side: int) -> Stacks:
    """The units of one side of a battle."""
    return attackers(situation, area) if side == ATTACKER else situation.defenders(area, situation.mover)


def has_kind(stacks: Stacks, kinds: frozenset[int]) -> bool:
    """Whether any of these units is of one of these kinds."""
    return any(stack.kind in kinds for stack, _ in stacks)


def shots(situation: Situation, area: int, side: int, sneak: bool) -> tuple[Shot, ...]:
    """The dice of a side: of its submarines, or of all others. Submarines only fire where there are ships to hit."""
    own, other = side_units(situation, area, side), side_units(situation, area, 1 - side)
    units = situation.world.units
    if sneak and not has_kind(other, units.ships):
        return ()
    firing = [pair for pair in own if (pair[0].kind in units.submarines) == sneak]
    return tuple(attack_shots(situation, firing) if side == ATTACKER else defence_shots(situation, firing))


def candidates(situation: Situation, battle: Engagement, side: int) -> Stacks:
    """The units that can take the next hit, those first that are lost first by default."""
    doomed = dict(battle.doomed[side])
    units = [
        (stack, number - doomed.get(stack, 0))
        for stack, number in side_units(situation, battle.area, side)
        if not battle.sneaked or stack.kind in situation.world.units.ships
    ]
    return sorted((pair for pair in units if pair[1] > 0), key=lambda pair: _order_of_loss(situation, pair[0], side))


def _order_of_loss(situation: Situation, stack: Stack, side: int) -> tuple[object, ...]:
    arsenal = situation.arsenal(stack.power)
    strength = arsenal.attack(stack.kind) if side == ATTACKER else arsenal.defence(stack.kind)
    return (
        not takes_damage(situation, stack),
        situation.world.units.prices[stack.kind],
        strength,
        len(stack.cargo),
        stack,
    )


def takes_damage(situation: Situation, stack: Stack) -> bool:
    """Whether a hit only damages a unit."""
    return stack.damage + 1 < situation.world.units.kinds[stack.kind].hits


def take_hit(situation: Situation, battle: Engagement, side: int, stack: Stack) -> Situation:
    """One unit takes a hit: it is damaged, lost, or, if its destroyers keep it in the battle, lost after it fires."""
    hits = battle.hits
    battle = battle._replace(hits=(hits[0] - 1, hits[1]) if side == ATTACKER else (hits[0], hits[1] - 1))
    if takes_damage(situation, stack):
        return situation.with_units({stack: -1, stack._replace(damage=stack.damage + 1): 1}, engagement=battle)
    if battle.sneaked and battle.screened[side]:
        doomed = dict(battle.doomed[side])
        doomed[stack] = doomed.get(stack, 0) + 1
        marked = tuple(sorted(doomed.items()))
        both = (marked, battle.doomed[1]) if side == ATTACKER else (battle.doomed[0], marked)
        return situation.replace(engagement=battle._replace(doomed=both))
    return situation.with_units({stack: -1}, engagement=battle)


def remove_doomed(situation: Situation, battle: Engagement) -> Situation:
    """Units that fired though they were hit are lost now."""
    gone = {stack: -number for side in battle.doomed for stack, number in side}
    return situation.with_units(gone, engagement=battle._replace(doomed=((), ())))


def chooser(situation: Situation, area: int, side: int) -> int:
    """The player who decides for a side: the mover, the owner of the area, or who has most units there."""
    if side == ATTACKER:
        return situation.mover
    counts: dict[int, int] = {}
    for stack, number in situation.defenders(area, situation.mover):
        counts[stack.power] = counts.get(stack.power, 0) + number
    owner = situation.owners[area]
    return owner if owner in counts else max(counts, key=lambda power: (counts[power], -power), default=owner)


def can_hit(situation: Situation, area: int, side: int) -> bool:
    """Whether a side has any die that could hit."""
    return bool(shots(situation, area, side, sneak=True) or shots(situation, area, side, sneak=False))


def has_destroyer(situation: Situation, area: int, side: int) -> bool:
    """Whether a side has a destroyer in a battle."""
    return has_kind(side_units(situation, area, side), situation.world.units.destroyers)


def is_landing(situation: Situation, area: int) -> bool:
    """Whether attackers came from the sea."""
    sea = situation.world.sea
    return not sea[area] and any(s.came != NOBODY and sea[s.came] for s, _ in attackers(situation, area))
