"""Where units may go: land with blitz, ships with canals, aircraft; each route with its length and its last step."""

from typing import NamedTuple

from kibitz.games.axis.full.situation import COMBAT, NOBODY, Situation, Stack


class Route(NamedTuple):
    """A way to an area: its length, and the area before the last one."""

    length: int
    before: int


Routes = dict[tuple[int, int], Route]
"""Routes by where they end and which hostile area they blitz on the way (or -1)."""


def land_routes(situation: Situation, stack: Stack) -> Routes:
    """Where land units may go. In combat moves hostile areas end a move, other than empty ones for tanks."""
    left, power, combat = situation.movement_left(stack), stack.power, situation.phase == COMBAT
    if not left or situation.world.sea[stack.area] or (combat and stack.kind in situation.world.units.guns):
        return {}
    kind, by_land = situation.world.units.kinds[stack.kind], situation.world.by_land
    friendly = situation.is_friendly(stack.area, power) and passes(situation, stack.area, kind.blitz)
    if stack.spent and (situation.enemies(stack.area, power) or not friendly):
        return {}
    found: Routes = {}
    edge = [(stack.area, NOBODY)]
    for length in range(1, left + 1):
        following: list[tuple[int, int]] = []
        for place, via in edge:
            for to in by_land[place]:
                friendly, guarded = situation.is_friendly(to, power), bool(situation.enemies(to, power))
                if to in (stack.area, via) or (to, via) in found or (not combat and (not friendly or guarded)):
                    continue
                found[to, via] = Route(length, place)
                if guarded:
                    continue
                if friendly and passes(situation, to, kind.blitz):
                    following.append((to, via))
                elif not friendly and via == NOBODY and kind.blitz and to not in situation.factories:
                    following.append((to, to))
        edge = following
    return found


def passes(situation: Situation, area: int, blitz: bool) -> bool:
    """Whether land units go on through a friendly area: where one was taken in this phase, only those that blitz."""
    return blitz or situation.phase != COMBAT or area not in situation.taken


def sea_routes(situation: Situation, stack: Stack, peaceful: bool = False) -> Routes:
    """Where ships may go; *peaceful* counts only zones without enemies, as after the battles."""
    left, power, world = situation.movement_left(stack), stack.power, situation.world
    if not left or stack.landed != NOBODY or any(item.to != NOBODY for item in stack.cargo):
        return {}
    if stack.spent and stops_ship(situation, stack.area, stack):
        return {}
    quiet = peaceful or situation.phase != COMBAT
    found: Routes = {}
    seen, edge = {stack.area}, [stack.area]
    for length in range(1, left + 1):
        following = []
        for place in edge:
            for to in world.by_sea[place]:
                if to in seen or not canal_is_open(situation, place, to, power):
                    continue
                if quiet and situation.enemies(to, power):
                    if stack.kind in world.units.submarines and not stops_ship(situation, to, stack):
                        seen.add(to)
                        following.append(to)
                    continue
                seen.add(to)
                found[to, NOBODY] = Route(length, place)
                if not stops_ship(situation, to, stack):
                    following.append(to)
        edge = following
    return found


def stops_ship(situation: Situation, zone: int, stack: Stack) -> bool:
    """Whether enemies in a zone stop a ship: any that is not submerged; a submarine only by destroyers."""
    enemies = situation.enemies(zone, stack.power)
    units = situation.world.units
    if stack.kind in units.submarines:
        return any(enemy.kind in units.destroyers for enemy, _ in enemies)
    return bool(enemies)


def canal_is_open(situation: Situation, zone: int, to: int, power: int) -> bool:
    """Whether ships of a power may go from zone to zone: a canal needs its land, held since the turn began."""
    land = situation.world.canal_land.get((zone, to), ())
    return all(situation.is_friendly(area, power) and area not in situation.taken for area in land)


def air_routes(situation: Situation, stack: Stack) -> Routes:
    """Where aircraft may fly, whether they can land afterwards or not."""
    left, air = situation.movement_left(stack), situation.world.air[stack.area]
    ways = situation.world.ways
    return {
        (to, NOBODY): Route(far, next(n for n in ways[to] if air[n] == far - 1))
        for to, far in enumerate(air)
        if 0 < far <= left
    }


def gun_areas(situation: Situation, stack: Stack, to: int) -> tuple[int, ...]:
    """The areas whose guns fire at aircraft on the way: where they start and what they cross, not where they end.

    Of the shortest routes they take the one with the fewest guns.
    """
    if situation.rules.lhtr:
        return ()
    start, power, world = stack.area, stack.power, situation.world
    met = start in situation.fought or start in dict(situation.raided)  # its guns have had their turn
    here = (start,) if situation.has_guns(start, power) and not met else ()
    best: dict[int, tuple[int, ...]] = {start: here}
    for _ in range(world.air[start][to]):
        following: dict[int, tuple[int, ...]] = {}
        for place, guns in best.items():
            for neighbour in world.ways[place]:
                if world.air[neighbour][to] != world.air[place][to] - 1:
                    continue
                passed = (*guns, neighbour) if neighbour != to and situation.has_guns(neighbour, power) else guns
                if neighbour not in following or len(passed) < len(following[neighbour]):
                    following[neighbour] = passed
        best = following
    return best.get(to, here)
