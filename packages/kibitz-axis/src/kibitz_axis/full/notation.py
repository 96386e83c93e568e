"""Orders as people read and type them: `2 infantry Ukraine S.S.R. > Caucasus`, `load 2 inf SZ5`, `buy 5 inf 1 tank`."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from kibitz.core.errors import NotUnderstood, closest, short_list
from kibitz_axis.full import orders as verbs
from kibitz_axis.full.board import World
from kibitz_axis.full.dice import BATTLE_GUNS, OVERFLIGHT, RAID_DAMAGE, RAID_GUNS, ROCKET, what_is_rolled
from kibitz_axis.full.fire import aimed_aircraft, hits_by_kind
from kibitz_axis.full.move_orders import find_group
from kibitz_axis.full.movement import is_canal_open, mark_front, stops_ship
from kibitz_axis.full.orders import Order
from kibitz_axis.full.position import NOBODY, PHASES, Position, work_of
from kibitz_axis.full.stacks import movement_left
from kibitz_axis.full.tables import WorldRules
from kibitz_axis.full.units import TECHNOLOGIES, Kind, UnitSet
from kibitz_axis.units import PIECE, SPOKEN, unit_named

WORDS = {
    verbs.LOADING: "load",
    verbs.UNLOADING: "unload",
    verbs.RAID: "raid",
    verbs.BUY: "buy",
    verbs.PUT: "place",
    verbs.BOARD: "board",
    verbs.INVEST: "research",
}
"""The first word of orders that begin with one."""
DONE = "done"
"""It ends the phase that is named after it: the one before may just have passed by itself."""
PLAIN = {
    verbs.GO_ON: "fight on",
    verbs.WITHDRAW: "withdraw aircraft",
    verbs.SUBMERGE: "submerge",
    verbs.STAY: "stay",
    verbs.BOMBARD: "bombard",
    verbs.HOLD_FIRE: "no bombardment",
}
"""Orders that need no more words."""

# Writing.


def order_text(world: World, phase: int, order: Order, count: int) -> str:
    """An order in words."""
    if order.verb in PLAIN:
        return PLAIN[order.verb]
    names, units = [area.name for area in world.areas], world.units.names
    match order.verb:
        case verbs.DONE:
            return f"{DONE} {PHASES[phase]}"
        case verbs.INVEST:
            return f"research {count} dice {TECHNOLOGIES[order.kind]}"
        case verbs.FIGHT:
            return f"fight {names[order.area]}"
        case verbs.RETREAT:
            return f"retreat to {names[order.to]}"
        case verbs.FIRE_ROCKET:
            return f"rocket {names[order.area]} > {names[order.to]}"
        case verbs.HOLD_ROCKET:
            return f"no rocket {names[order.area]}"
    first = WORDS.get(order.verb, "")
    places = [names[place] for place in (order.area, order.via, order.to) if place != NOBODY]
    return f"{first} {count} {units[order.kind]}{_group_text(order)} {' > '.join(places)}".strip()


def _group_text(order: Order) -> str:
    """Which of several groups of a kind in an area, if it is not the first."""
    return f" group {order.variant + 1}" if order.variant else ""


def roll_text(tables: WorldRules, position: Position, result: int) -> str:
    """The result of dice in words."""
    setting = tables.setting
    rolled = what_is_rolled(setting, position)
    if rolled in (OVERFLIGHT, BATTLE_GUNS, RAID_GUNS):
        aimed, names = aimed_aircraft(setting, position, rolled), tables.world.units.names
        hits = zip(hits_by_kind(aimed, result), setting.flyers, aimed, strict=True)
        return f"guns hit {' '.join(f'{count} {names[kind]}' for count, kind, there in hits if there)}"
    return f"damage {result}" if rolled in (RAID_DAMAGE, ROCKET) else f"{result} hits"


# Reading.


def read_area(world: World, text: str) -> int | None:
    """The area that is meant: its name, the beginning of one name only, or `SZ5`."""
    wanted = " ".join(text.casefold().split())
    names = world.folded_numbers
    if (zone := re.fullmatch(r"(?:sz|sea zone)\s*(\d+)", wanted)) is not None:
        wanted = f"{zone[1]} sea zone"
    if wanted in names:
        return names[wanted]
    begins = [area for name, area in names.items() if wanted and name.startswith(wanted)]
    return begins[0] if len(begins) == 1 else None


def read_orders(tables: WorldRules, position: Position, text: str, found: Sequence[Order]) -> list[tuple[Order, int]]:
    """The orders that a line means, one for each kind of unit and group.

    *found* are the orders that may be given now. Each order may change what the next may do, so
    ask again before playing it. Raises NotUnderstood with the word it stops at.
    """
    line = " ".join(text.split())
    if (plain := _plain_order(tables.world, position.phase, line, found)) is not None:
        return [(plain, 0)]
    verb, rest = _verb_of(line)
    legal = [order for order in found if order.verb == verb]
    if verb == verbs.INVEST:
        return [_read_research(line, rest, legal)]
    army, places, variant = _split(tables.world, line, rest)
    pairs: list[tuple[Order, int]] = []
    for kind, count in army:
        pairs += _matches(tables, position, line, legal, kind, count, places, variant)
    return pairs


def _plain_order(world: World, number: int, line: str, legal: Sequence[Order]) -> Order | None:
    """The order without a number that a line means, by its text or the beginning of one only; None if it is another."""
    wanted, phase = line.casefold(), PHASES[number]
    written = {order_text(world, number, order, 0).casefold(): order for order in legal if not order.most}
    if wanted in written:
        return written[wanted]
    # `done` alone, or `d`, is no beginning: the phase for which it was meant may just have passed by itself.
    begins = [text for text in written if wanted and text.startswith(wanted) and not DONE.startswith(wanted)]
    if len(begins) == 1:
        return written[begins[0]]
    first = wanted.partition(" ")[0]
    if first == DONE:
        end = next((text for text in written if text.startswith(DONE)), None)
        how = f": write {end!r}" if end else ", which end by themselves"
        raise NotUnderstood(line, line, f"the phase is now {phase}{how}")
    if begins:
        raise NotUnderstood(line, line, f"it may be {short_list(begins)}")
    if wanted in PLAIN.values() or first in ("fight", "retreat", "rocket", "no"):
        close = closest(wanted, written)
        raise NotUnderstood(line, line, f"did you mean {close!r}?" if close else f"this cannot be ordered in {phase}")
    return None


def _verb_of(line: str) -> tuple[int, str]:
    first, _, rest = line.partition(" ")
    for verb, word in WORDS.items():
        if first.casefold() == word:
            return verb, rest
    return verbs.MOVE, line


def _read_research(line: str, rest: str, legal: Sequence[Order]) -> tuple[Order, int]:
    match = re.fullmatch(r"(\d{1,4}) dic?e (.+)", rest.casefold())
    known = {TECHNOLOGIES[order.kind]: order for order in legal}
    if match is None:
        raise NotUnderstood(line, rest, "write the dice and the technology, such as 'research 2 dice rockets'")
    meant = [order for name, order in known.items() if name.startswith(match[2])]
    if len(meant) != 1:
        raise NotUnderstood(line, match[2], f"there are {', '.join(known) or 'none left to find'}")
    if not 1 <= int(match[1]) <= meant[0].most:
        raise NotUnderstood(line, match[1], f"the money buys 1 to {meant[0].most} dice")
    return meant[0], int(match[1])


def _split(world: World, line: str, rest: str) -> tuple[list[tuple[int, int]], list[int], int | None]:
    """The units of a line, the areas it names, and the number of a group if it names one."""
    parts = [part.strip() for part in rest.split(">")]
    words = parts[0].split()
    for start in range(1, len(words) + 1):
        first = " ".join(words[start:])
        area = read_area(world, first) if first else None
        if first and area is None:
            continue
        army = _read_units(" ".join(words[:start]), world.units)
        if army is None:
            continue
        places = [] if area is None else [area]
        for part in parts[1:]:
            named = read_area(world, part)
            if named is None:
                close = closest(part.casefold(), world.folded_numbers)
                raise NotUnderstood(line, part, f"no area is called so{f'; did you mean {close!r}?' if close else ''}")
            places.append(named)
        for one, other in pairwise(places) if len(places) > 2 else ():
            if other not in world.ways[one]:
                names = [world.areas[place].name for place in (one, other)]
                raise NotUnderstood(line, f"{names[0]} > {names[1]}", "these areas are not adjacent")
        return army[0], places, army[1]
    raise NotUnderstood(line, rest, "write units and areas, such as '2 inf 1 art Ukraine > Caucasus'")


def _read_units(text: str, units: UnitSet) -> tuple[list[tuple[int, int]], int | None] | None:
    """Kinds with their counts, and a group; None if the text is something else."""
    group = re.search(r"\bgroup (\d{1,3})$", text, re.IGNORECASE)
    if group is not None:
        text = text[: group.start()].strip()
    counts: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        found = _whole_name(text, position, units) or _short_name(text, position, units)
        if found is None:
            return None
        kind, number, end = found
        counts.append((kind, number))
        between = re.compile(r"[\s,;+&]*(?:\band\b)?[\s,;+&]*").match(text, end)
        position = between.end() if between else end
    return (counts, int(group[1]) - 1 if group else None) if counts else None


def _whole_name(text: str, position: int, units: UnitSet) -> tuple[int, int, int] | None:
    """A kind by the whole of its name, of any characters, its count, and where the two end."""
    count = re.compile(r"\s*(\d{1,9})\s+").match(text, position)
    start = count.end() if count is not None else position
    rest = text[start:].casefold()
    fits = [name for name in units.names if rest.startswith(name.casefold()) and not rest[len(name) :][:1].isalnum()]
    if not fits:
        return None
    longest = max(fits, key=len)
    return units.names.index(longest), int(count[1]) if count is not None else 1, start + len(longest)


def _short_name(text: str, position: int, units: UnitSet) -> tuple[int, int, int] | None:
    """The same for the short names that people use."""
    match = PIECE.match(text, position)
    kind = _kind_named(match["name"], units.kinds) if match is not None else None
    if match is None or kind is None:
        return None
    number = SPOKEN[match["spoken"].lower()] if match["spoken"] else int((match["count"] or "1")[:9])
    return kind, number, match.end()


@lru_cache(maxsize=500)
def _kind_named(name: str, kinds: tuple[Kind, ...]) -> int | None:
    try:
        return unit_named(name, kinds)
    except NotUnderstood:
        return None


def _matches(
    tables: WorldRules,
    position: Position,
    line: str,
    legal: Sequence[Order],
    kind: int,
    count: int,
    places: Sequence[int],
    variant: int | None,
) -> list[tuple[Order, int]]:
    """The legal orders for so many units of a kind, over several groups if one is not enough."""
    name = tables.world.units.names[kind]
    fitting = [order for order in legal if order.kind == kind and _goes(tables, position, order, places)]
    fitting = [order for order in fitting if _route(order) == list(places)] or fitting
    if variant is not None:
        fitting = [order for order in fitting if order.variant == variant]
    ways = {(order.area, order.to, order.via) for order in fitting}
    if len(ways) > 1:
        raise NotUnderstood(line, name, "it may be from or to several areas: name both, as in 'Ukraine > Caucasus'")
    if count < 1 or sum(order.most for order in fitting) < count:
        most = sum(order.most for order in fitting)
        raise NotUnderstood(line, f"{count} {name}", f"{most or 'none'} may do that in {PHASES[position.phase]}")
    found = []
    whole = [order for order in fitting if order.most >= count]
    for order in whole[:1] if whole and whole[0].variant == 0 else fitting:
        used = min(count, order.most)
        count -= used
        if used:
            found.append((order, used))
    return found


def _goes(tables: WorldRules, position: Position, order: Order, places: Sequence[int]) -> bool:
    """Whether an order fits the areas named: all of them, or only where it begins or ends."""
    if len(places) == 1:
        return places[0] in (order.area, order.to)
    if len(places) == 3 and order.via == NOBODY and order.verb in (verbs.MOVE, verbs.RAID):
        return (places[0], places[2]) == (order.area, order.to) and _passes(tables, position, order, places[1])
    return not places or list(places) == _route(order)


def _passes(tables: WorldRules, position: Position, order: Order, via: int) -> bool:
    """Whether the units of a move, which take nothing on their way, can go by an area next to both of its ends."""
    world, setting, kind = tables.world, tables.setting, tables.world.units.kinds[order.kind]
    if kind.domain == "air":
        return world.air[order.area][order.to] == 2
    group = position.stacks[find_group(position, order.area, order.kind, order.variant)]
    if movement_left(setting, position, group) < 2:
        return False
    work = work_of(world)
    mark_front(setting, position, work)
    if kind.domain == "sea":
        ends, blocked = (order.area, order.to), stops_ship(setting.kinds[order.kind], work, via)
        return not blocked and all(is_canal_open(setting, position, via, end) for end in ends)
    return bool(work.friend[via]) and not work.enemy[via]


def _route(order: Order) -> list[int]:
    """The areas that an order names."""
    return [place for place in (order.area, order.via, order.to) if place != NOBODY]
