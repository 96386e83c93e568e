"""Checks of a board, whatever file it came from; and a board with no more kinds of units than it needs."""

import re
from collections.abc import Iterator

import msgspec

from kibitz.core.errors import short_repr
from kibitz_axis.land.board import NOBODY, Area, Board, reach
from kibitz_axis.land.movement import COMBAT, NONCOMBAT, Front
from kibitz_axis.units import MOST, Army

MOST_AREAS = 2_000
NAME = re.compile(r"(?!\s)[^>]{1,80}(?<!\s)")
"""What an area or power may be called: orders are written `infantry A > B`."""


def faults(board: Board) -> Iterator[tuple[str, ...]]:
    """What is wrong, followed by the keys of its place: `areas`, the area, and which of its entries."""
    if len(board.areas) > MOST_AREAS:
        yield f"areas: {len(board.areas):,} of them, and {MOST_AREAS:,} are played at most", "areas"
    named = [*(("areas", area.name) for area in board.areas), *(("powers", power.name) for power in board.powers)]
    for kind, name in named:
        if not NAME.fullmatch(name) or not name.isprintable():
            why = f"{kind}: {short_repr(name)} is no name; it has 1 to 80 characters, no '>', and no blank at an end"
            yield why, kind, name
    for place, area in enumerate(board.areas):
        yield from _area_faults(board, place, area)
    joined = reach(0, [area.neighbours for area in board.areas])
    for place, area in enumerate(board.areas):
        if place not in joined:
            first = board.areas[0].name
            yield f"areas.{area.name}: disconnected, no way leads to it from {first}", "areas", area.name
    if board.turns < 1:
        yield "turns: at least 1", "turns"
    if not any(board.forces):
        yield "no units anywhere that are played", "areas"
    elif not any(can_move(board, power) for power in range(len(board.powers))):
        yield "no unit can ever move, so the game would be over at once", "areas"
    yield from rule_faults(board)


def rule_faults(board: Board) -> Iterator[tuple[str, ...]]:
    """What is wrong with the rules of a board, which may differ from those of its file."""
    cities = sum(area.city for area in board.areas)
    if board.switches.victory > cities:
        yield f"victory: {board.switches.victory} cities are wanted, and there are {cities}", "rules", "victory"
    if board.span is not None and not board.span[0] < board.span[1]:
        low, high = board.span
        yield f"range: from {low:g} to {high:g} is no range; the smaller number comes first", "range"


def can_move(board: Board, power: int) -> bool:
    """Whether any unit of a power can move in its first turn."""
    front = Front(board, power, board.forces, tuple(area.owner for area in board.areas))
    phases = (COMBAT, NONCOMBAT) if board.switches.noncombat else (COMBAT,)
    return any(front.posts(phase, {}, ()) for phase in phases)


def _area_faults(board: Board, place: int, area: Area) -> Iterator[tuple[str, ...]]:
    """Units where none can stand, and two sides in one area."""
    here, keys = f"areas.{area.name}", ("areas", area.name, "units")
    armies = {power: board.forces[place * len(board.powers) + power] for power in range(len(board.powers))}
    sides = {board.powers[power].side for power, army in armies.items() if army}
    for army in armies.values():
        for count, unit in zip(army, board.units, strict=False):
            if count and unit.domain == "sea":
                yield f"{here}: a {unit.name}; units of the sea are not played", *keys
            if count > MOST:
                yield f"{here}: {count:,} {unit.name}; there are at most {MOST} of a kind", *keys
    if sides and area.sea:
        yield f"{here}: has units, but is sea, which only aircraft cross", *keys
    if sides and area.closed:
        yield f"{here}: has units, but is closed, so that nothing may stand there", *keys
    if len(sides) > 1:
        yield f"{here}: contradictory owners, both sides have units there", *keys
    elif area.owner is not None and sides - {board.powers[area.owner].side}:
        owner, other = board.powers[area.owner].name, board.sides[min(sides)]
        yield f"{here}: contradictory owners, it is {owner}'s and has units of {other} alone", *keys
    if area.owner is not None and (area.sea or area.closed):
        yield f"{here}: an area that is sea or closed has no owner", *keys[:2], "owner"


def trim_units(board: Board) -> Board:
    """The board with only the kinds of units that any power has: armies get shorter, and states smaller."""
    needed = [kind for kind in range(len(board.units)) if any(army and army[kind] for army in board.forces)]

    def cut_army(army: Army | None) -> Army | None:
        return tuple(army[kind] for kind in needed) if army else army

    powers = []
    for power in board.powers:
        script = power.script and tuple(
            tuple(
                msgspec.structs.replace(order, send=cut_army(order.send), keep=cut_army(order.keep)) for order in turn
            )
            for turn in power.script
        )
        powers.append(msgspec.structs.replace(power, script=script))
    return msgspec.structs.replace(
        board,
        units=tuple(board.units[kind] for kind in needed),
        forces=tuple(cut_army(army) or NOBODY for army in board.forces),
        powers=tuple(powers),
    )
