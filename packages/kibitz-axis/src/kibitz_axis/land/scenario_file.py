"""Reads a scenario from TOML; mistakes are named with their file and line.

turns = 2                               [areas]
range = [-19, 23]                       G = { owner = "player", next = ["M"], units = "2i2a1t" }
[powers]                                M = { owner = "opponent", value = 10, units = "6i2a1t" }
player = { side = "player" }            …
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from kibitz.core.errors import NotUnderstood, short_list, short_repr
from kibitz_axis.battle.problem import BattleRules, Order
from kibitz_axis.land.board import NOBODY, Area, Board, Power, Script, ScriptedOrder, Switches, Whole
from kibitz_axis.land.board_checks import faults, trim_units
from kibitz_axis.units import PIECE, REVISED, Army, Unit, read_army
from kibitz_lab.games.definition_file import DefinitionFile

Coordinate: TypeAlias = Annotated[float, Meta(ge=0.0, le=1000.0)]
Gain: TypeAlias = Annotated[float, Meta(ge=-1e9, le=1e9)]
"""A finite number."""


class AreaTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An area in the file."""

    owner: str | None = None
    value: Whole = 0
    factory: bool = False
    city: bool = False
    sea: bool = False
    closed: bool = False
    next: tuple[str, ...] = ()
    units: str | dict[str, str] = ""
    place: tuple[Coordinate, Coordinate] | None = None


class OrderTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"origin": "from"}):
    """An order of a script in the file."""

    all: str | None = None
    origin: str | None = None
    to: str | None = None
    send: str | None = None
    keep: str | None = None


class PowerTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A power in the file; without a side it is one of its own."""

    side: str | None = None
    script: tuple[OrderTable | tuple[OrderTable, ...], ...] | None = None


class RulesTable(Switches, frozen=True, forbid_unknown_fields=True):
    """The rules in the file: the switches, and those of battles; *losses* is for both sides."""

    losses: Order = "cheapest"
    retreat: Whole = 0
    rounds: Whole = 0
    low_luck: bool = False


class ScenarioTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario in the file; areas and powers are checked one by one."""

    areas: dict[str, Any]
    powers: dict[str, Any]
    name: str = ""
    about: str = ""
    turns: Whole = 1
    range: tuple[Gain, Gain] | None = None
    rules: dict[str, Any] = {}
    units: dict[str, Any] = {}
    edges: tuple[tuple[str, str], ...] = ()


class ScenarioFile(DefinitionFile):
    """One scenario file while it is read."""

    def army(self, text: str, units: Sequence[Unit], *keys: str) -> Army:
        """The army that a text describes."""
        try:
            return read_army(text, units)
        except NotUnderstood as error:
            raise self.wrong(f"{'.'.join(keys)}: {error}", *keys) from None


def read_scenario(path: Path | str) -> Board:
    """The board a scenario file describes, checked."""
    file = ScenarioFile.read(path)
    table = file.convert_table(file.tables(), ScenarioTable)
    units = known_units(file, table)
    areas = {name: file.convert_table(each, AreaTable, "areas", name) for name, each in table.areas.items()}
    powers = {name: file.convert_table(each, PowerTable, "powers", name) for name, each in table.powers.items()}
    rules = file.convert_table(table.rules, RulesTable, "rules")
    sides = list(dict.fromkeys(each.side or name for name, each in powers.items()))
    if len(sides) != 2:
        raise file.wrong(f"powers: there must be two sides, not {len(sides)} ({short_list(sides)})", "powers")
    board = Board(
        name=table.name or Path(path).stem,
        areas=tuple(made_areas(file, areas, powers, table.edges)),
        powers=tuple(
            Power(name, sides.index(each.side or name), made_script(file, each, name, areas, units))
            for name, each in powers.items()
        ),
        sides=(sides[0], sides[1]),
        units=units,
        forces=tuple(made_forces(file, areas, powers, units)),
        turns=table.turns,
        span=table.range,
        switches=Switches(**{name: getattr(rules, name) for name in Switches.__struct_fields__}),
        battle_rules=BattleRules(rules.losses, rules.losses, rules.retreat, rules.rounds, rules.low_luck),
        about=table.about,
    )
    for why, *keys in faults(board):
        raise file.wrong(why, *keys)
    return trim_units(board)


def read_units(path: Path | str) -> tuple[Unit, ...]:
    """The units of a scenario file, which here may leave out everything else."""
    file = ScenarioFile.read(path)
    return known_units(file, file.convert_table({"areas": {}, "powers": {}, **file.tables()}, ScenarioTable))


def known_units(file: ScenarioFile, table: ScenarioTable) -> tuple[Unit, ...]:
    """The Revised list, and what the file adds to it or changes."""
    units = {unit.name: unit for unit in REVISED}
    for name, each in table.units.items():
        keys = "units", name
        if not isinstance(each, Mapping):
            raise file.wrong(f"{'.'.join(keys)}: a table such as {{ attack = 2, defence = 2, cost = 4 }}", *keys)
        old = msgspec.to_builtins(units[name]) if name in units else {}
        unit = file.convert_table({**old, **each, "name": name}, Unit, *keys)
        others = [other for other in units.values() if other.name != name]
        taken = {word: other.name for other in others for word in (other.name, *other.also)}
        for word in (name, *unit.also):
            read = PIECE.fullmatch(word)
            if read is None or read["name"] != word or not word.islower():
                raise file.wrong(
                    f"{'.'.join(keys)}: {short_repr(word)} is no name of a unit; write it as heavy-tank", *keys
                )
            if word in taken:
                raise file.wrong(f"{'.'.join(keys)}: {word!r} is another name of {taken[word]}", *keys)
        units[name] = unit
    return tuple(units.values())


def made_areas(
    file: ScenarioFile,
    areas: Mapping[str, AreaTable],
    powers: Mapping[str, PowerTable],
    edges: Iterable[tuple[str, str]],
) -> Iterable[Area]:
    """The areas with their neighbours, in both directions."""
    if not areas:
        raise file.wrong("areas: there is none", "areas")
    neighbours: dict[str, set[str]] = {name: set() for name in areas}
    pairs = [((name, to), ("areas", name, "next")) for name, each in areas.items() for to in each.next]
    for (one, other), keys in [*pairs, *((pair, ("edges",)) for pair in edges)]:
        for name in (one, other):
            file.place(name, areas, "area", *keys)
        if one == other:
            raise file.wrong(f"{'.'.join(keys)}: {one!r} is next to itself", *keys)
        neighbours[one].add(other)
        neighbours[other].add(one)
    names = list(areas)
    for name, each in areas.items():
        owner = None if each.owner is None else file.place(each.owner, powers, "power", "areas", name, "owner")
        near = tuple(sorted(names.index(to) for to in neighbours[name]))
        yield Area(name, owner, each.value, each.factory, each.city, each.sea, each.closed, near, each.place)


def made_forces(
    file: ScenarioFile, areas: Mapping[str, AreaTable], powers: Mapping[str, PowerTable], units: tuple[Unit, ...]
) -> Iterable[Army]:
    """Of every area the army of every power."""
    for name, area in areas.items():
        keys = "areas", name, "units"
        if isinstance(area.units, str) and area.units.strip() and area.owner is None:
            raise file.wrong(f"{'.'.join(keys)}: whose are they? write {{ POWER = {area.units!r} }}", *keys)
        written = area.units if isinstance(area.units, dict) else {area.owner: area.units} if area.owner else {}
        for power in written:
            file.place(power, powers, "power", *keys)
        for power in powers:
            army = file.army(written.get(power, ""), units, *keys)
            yield army if any(army) else NOBODY


def made_script(
    file: ScenarioFile, power: PowerTable, name: str, areas: Mapping[str, AreaTable], units: tuple[Unit, ...]
) -> Script | None:
    """The script of a power, turn by turn."""
    if power.script is None:
        return None
    keys = "powers", name, "script"
    turns = []
    for turn in power.script:
        orders = []
        for each in (turn,) if isinstance(turn, OrderTable) else turn:
            if each == OrderTable():
                continue
            target, whole = each.all or each.to, each.all is not None
            others = (each.origin, each.to, each.send, each.keep)
            if target is None or (whole and any(others)) or (not whole and each.origin is None):
                raise file.wrong(f"{'.'.join(keys)}: write {{ all = AREA }} or {{ from = AREA, to = AREA }}", *keys)
            to = file.place(target, areas, "area", *keys)
            origin = None if each.origin is None else file.place(each.origin, areas, "area", *keys)
            send, keep = (None if text is None else file.army(text, units, *keys) for text in (each.send, each.keep))
            orders.append(ScriptedOrder(to, origin, send, keep))
        turns.append(tuple(orders))
    return tuple(turns)
