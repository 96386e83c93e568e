"""Reads TripleA's game XML: first everything in it, then the board of what is played; the rest is listed.

Nothing is dropped silently: `Board.unsupported` names what a map has and these rules do not.
"""

import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from kibitz.core.errors import BadDefinition, short_list
from kibitz.games.axis.battle.problem import BattleRules
from kibitz.games.axis.board import AT_SEA, NOBODY, Area, Board, Power, Switches
from kibitz.games.axis.board_checks import faults, trim_units
from kibitz.games.axis.map_elements import known_name, required_elements
from kibitz.games.axis.templates import expand_templates
from kibitz.games.axis.units import MOST, REVISED, Army, Unit
from kibitz.games.axis.xml_nodes import Node, read_nodes

NUMBERS = {"attack": 0, "defense": 0, "movement": 0, "hitPoints": 1}
PLAYED_UP_TO = {"attack": 6, "defense": 6, "movement": 20, "hitPoints": 9}
FLAGS = {
    *("isAir", "isSea", "canBlitz", "artillery", "artillerySupportable", "isTwoHit", "isAA", "isAAforCombatOnly"),
    *("isFactory", "canBombard", "isSub", "isDestroyer", "isInfantry"),
}
"""The options of units that are read; `isInfantry` changes nothing on land."""
AREA_OPTIONS = {"production", "victoryCity", "isImpassable", "isImpassible", "capital"}
PLAYED = ("CombatMove", "Battle", "Move", "EndTurn")
"""How the names of the steps end that are played; `NonCombatMove` is one of them."""
LOW_LUCK = "Low Luck"
VICTORIES = {
    "Projection of Power": "Projection of Power VCs",
    "Honorable Surrender": "Honorable Victory VCs",
    "Total Victory": "Total Victory VCs",
}
"""The conditions under which cities win, and what the property is called that has each side's number of them."""
RENAMED = {"armour": "tank", "aaGun": "aa gun"}
NEUTRAL = "Neutral"
"""The owner of what no player owns; files may name it."""
Read = TypeVar("Read")


class Placement(msgspec.Struct, frozen=True):
    """Units of a kind that stand somewhere at the start."""

    unit: str
    territory: str
    owner: str
    count: int
    line: int


class Map(msgspec.Struct, frozen=True):
    """Everything a game file says, by its own names."""

    name: str
    territories: dict[str, bool]
    """Whether each is water."""
    connections: tuple[tuple[str, str], ...]
    players: tuple[str, ...]
    """In the order they move."""
    alliances: dict[str, str]
    units: tuple[str, ...]
    costs: dict[str, int]
    options: dict[tuple[str, str], dict[str, Node]]
    """Options of attachments by kind and owner; several of one kind are joined."""
    owners: dict[str, str]
    placements: tuple[Placement, ...]
    money: dict[str, int]
    properties: dict[str, str]
    steps: tuple[tuple[str, str], ...]
    """Names and players of the steps of a round."""
    skipped: tuple[str, ...] = ()
    """What names something that is not there, if that was let pass."""


def read_map(path: Path | str) -> Board:
    """The board of a game file; warns of what is not played."""
    root = expand_templates(read_nodes(path))
    board = Conversion(map_of(root), root).board()
    lines = {node.attributes.get("name"): node.line for node in root.all("map", "territory")}
    for why, *keys in faults(board):
        Node(root.source, "territory", {}, lines.get(keys[-1], lines.get(keys[1], 1)) if len(keys) > 1 else 1).wrong(
            why
        )
    board = trim_units(board)
    if board.unsupported:
        some = short_list(board.unsupported, 6)
        warnings.warn(f"{path}: not played: {some} (Board.unsupported lists all)", stacklevel=2)
    return board


def read_map_units(path: Path | str) -> tuple[Unit, ...]:
    """All units of a game file but factories, whether any are placed or not."""
    root = expand_templates(read_nodes(path))
    found = map_of(root)
    conversion = Conversion(found, root)
    return tuple(unit for name in found.units if (unit := conversion.unit(name)) is not None)


def map_of(root: Node, lenient: bool = False) -> Map:
    """Everything in a game file, names checked against each other.

    A *lenient* reader leaves out what names something that is not there, and what stands twice.
    """
    if root.tag != "game":
        root.wrong(f"the root is <{root.tag}>, not <game>; is it a TripleA map?")
    skipped = list[str]()

    def read(nodes: list[Node], what: Callable[[Node], Read]) -> list[Read]:
        found = []
        for node in nodes:
            try:
                found.append(what(node))
            except BadDefinition as error:
                if not lenient:
                    raise
                skipped.append(f"{node.tag}: {error.why}")
        return found

    territories = required_elements(root, "map", "territory", lenient=lenient)
    players = required_elements(root, "playerList", "player", lenient=lenient)
    units = required_elements(root, "unitList", "unit", lenient=lenient)
    owners = {**players, NEUTRAL: root}
    main = main_resource(root)
    steps = read(
        root.all("gamePlay", "sequence", "step"),
        lambda n: (n.get("name"), known_name(n, "player", players) if n.attributes.get("player") else ""),
    )
    given = (node for node in root.all(*GIVEN) if node.attributes.get("resource", main) == main)
    return Map(
        name=next((node.attributes.get("name", "") for node in root.all("info")), ""),
        territories={name: node.flag("water") for name, node in territories.items()},
        connections=tuple(read(root.all("map", "connection"), lambda node: connection(node, territories))),
        players=tuple(dict.fromkeys([*(player for _, player in steps if player in players), *players])),
        alliances=dict(
            read(
                root.all("playerList", "alliance"),
                lambda node: (known_name(node, "player", players), node.get("alliance")),
            )
        ),
        units=tuple(units),
        costs=costs_of(root, main),
        options=options_of(root, {"unit": units, "territory": territories}, read),
        owners=dict(  # of two lines for one territory the later counts
            read(
                root.all("initialize", "ownerInitialize", "territoryOwner"),
                lambda node: (known_name(node, "territory", territories), known_name(node, "owner", owners)),
            )
        ),
        placements=tuple(read(root.all(*PLACED), lambda node: placement(node, territories, units, players))),
        money=dict(read([*given], lambda node: (known_name(node, "player", players), node.number("quantity")))),
        properties={
            node.get("name"): node.attributes.get("value", "") for node in root.all("propertyList", "property")
        },
        steps=tuple(steps),
        skipped=tuple(skipped),
    )


def connection(node: Node, territories: dict[str, Node]) -> tuple[str, str]:
    """Two territories that are beside each other."""
    ends = (known_name(node, "t1", territories), known_name(node, "t2", territories))
    if ends[0] == ends[1]:
        node.wrong(f"{ends[0]!r} is connected to itself")
    return ends


PLACED = "initialize", "unitInitialize", "unitPlacement"
GIVEN = "initialize", "resourceInitialize", "resourceGiven"


def placement(node: Node, territories: dict[str, Node], units: dict[str, Node], players: dict[str, Node]) -> Placement:
    """Units at the start; without an owner they belong to no player."""
    unit, territory = known_name(node, "unitType", units), known_name(node, "territory", territories)
    owner = known_name(node, "owner", {**players, NEUTRAL: node}) if "owner" in node.attributes else NEUTRAL
    return Placement(unit, territory, owner, node.number("quantity"), node.line)


def main_resource(root: Node) -> str:
    """What units are paid with: `PUs` (`IPCs` in older files), or the first resource there is."""
    names = [node.get("name") for node in root.all("resourceList", "resource")]
    return next((name for name in ("PUs", "IPCs") if name in names), names[0] if names else "PUs")


def costs_of(root: Node, resource: str) -> dict[str, int]:
    """What units cost; where several rules make one, the first counts."""
    found: dict[str, int] = {}
    for rule in root.all("production", "productionRule"):
        for result in rule.all("result"):
            for cost in rule.all("cost"):
                if cost.attributes.get("resource", resource) == resource:
                    found.setdefault(result.get("resourceOrUnit"), cost.number("quantity"))
    return found


def options_of(
    root: Node, owners: dict[str, dict[str, Node]], read: "Callable[[list[Node], Callable[[Node], Any]], list[Any]]"
) -> dict[tuple[str, str], dict[str, Node]]:
    """The options of every attachment; what it belongs to must be there where the kind of *owners* is known."""

    def one(node: Node) -> tuple[tuple[str, str], dict[str, Node]]:
        kind, to = attachment_kind(node), "attatchTo" if "attatchTo" in node.attributes else "attachTo"
        owner = known_name(node, to, owners[kind], kind) if kind in owners else node.get(to)
        return (kind, owner), {option.get("name"): option for option in node.all("option")}

    found: dict[tuple[str, str], dict[str, Node]] = {}
    for key, options in read(attachments(root), one):
        found.setdefault(key, {}).update(options)
    return found


def attachments(root: Node) -> list[Node]:
    """All attachments in their order; older maps spell the word in another way."""
    lists = [node for node in root.children if node.tag in ("attachmentList", "attatchmentList")]
    return [node for each in lists for node in each.children if node.tag in ("attachment", "attatchment")]


def attachment_kind(node: Node) -> str:
    """What an attachment is for: `unit`, `territory`, or the name it has itself."""
    name = node.get("name")
    return {"unitAttachment": "unit", "territoryAttachment": "territory"}.get(name.replace("Attatch", "Attach"), name)


class Conversion:
    """Turns a map into a board, and counts what is not played."""

    def __init__(self, found: Map, root: Node) -> None:
        self.found, self.root = found, root
        self.missing = Counter[str]()
        self.players = [player for player in found.players if player in found.alliances]
        self.factories: set[str] = set()

    def board(self) -> Board:
        """The part of the map that is played."""
        found, players = self.found, self.players
        sides = list(dict.fromkeys(found.alliances[player] for player in players))
        if len(sides) != 2:
            self.root.wrong(f"there are {len(sides)} alliances ({short_list(sides)}); two are played")
        units = {name: self.unit(name) for name in found.units}
        kinds = [unit for unit in units.values() if unit is not None]
        forces = self.forces(units)
        areas = self.areas()
        self.note_what_is_missing(sides)
        return Board(
            name=found.name,
            areas=areas,
            powers=tuple(Power(player, sides.index(found.alliances[player])) for player in players),
            sides=(sides[0], sides[1]),
            units=tuple(kinds),
            forces=tuple(army_of(forces.get((area.name, player), {}), kinds) for area in areas for player in players),
            turns=3,
            switches=Switches(blitz=True, steps=0, noncombat=True, victory=self.victory(sides, areas)),
            battle_rules=BattleRules(low_luck=self.low_luck()),
            about="Read from a TripleA map; ships and what happens at sea are not played.",
            source=self.root.source,
            unsupported=tuple(sorted(self.missing)),
        )

    def bag(self, kind: str, owner: str, understood: set[str]) -> dict[str, str]:
        """The options of a unit or territory; those that are not understood are noted."""
        bag = self.found.options.get((kind, owner), {})
        self.missing.update(f"{kind} option {option}" for option in bag if option not in understood)
        return {name: option.get("value") for name, option in bag.items()}

    def number(self, kind: str, owner: str, option: str, otherwise: int) -> int:
        """An option that is a number."""
        node = self.found.options.get((kind, owner), {}).get(option)
        return otherwise if node is None else node.number("value")

    def note_what_is_missing(self, sides: list[str]) -> None:
        """Note whole parts of the map that are not played."""
        found = self.found
        self.missing.update(f"{kind} of {owner}" for kind, owner in found.options if kind not in ("unit", "territory"))
        self.missing.update(f"step {name}" for name, _ in found.steps if not name.endswith(PLAYED))
        understood = {LOW_LUCK, *VICTORIES, *(f"{side} {name}" for side in sides for name in VICTORIES.values())}
        self.missing.update(f"property {name}" for name in found.properties if name not in understood)
        self.missing.update(f"money of {player}" for player in found.money)
        self.missing.update(f"{each}, who is in no alliance" for each in found.players if each not in self.players)

    def victory(self, sides: list[str], areas: tuple[Area, ...]) -> int:
        """How many cities win, by the condition that is met first of those that are on; 0 where none can be met."""
        properties, cities = self.found.properties, sum(area.city for area in areas)
        found: list[int] = []
        for condition, name in VICTORIES.items():
            if properties.get(condition) != "true":
                continue
            numbers = {properties.get(f"{side} {name}", "") for side in sides}
            if len(numbers) > 1:
                self.missing[f"{condition}, which asks for other numbers of cities of each side"] += 1
            else:
                found += [int(number) for number in numbers if number.isdecimal() and 0 < int(number) <= cities]
        return min(found, default=0)

    def low_luck(self) -> bool:
        return self.found.properties.get(LOW_LUCK) == "true"

    def unit(self, name: str) -> Unit | None:
        """A kind of unit; None where it is a factory."""
        if ("unit", name) not in self.found.options:
            self.missing[f"unit {name}, which has no attachment"] += 1
        bag = self.bag("unit", name, FLAGS | NUMBERS.keys())
        flags = {option for option in FLAGS & bag.keys() if self.found.options["unit", name][option].flag("value")}
        if "isFactory" in flags:
            return None
        number = {key: self.number("unit", name, key, otherwise) for key, otherwise in NUMBERS.items()}
        for key, most in PLAYED_UP_TO.items():
            if number[key] > most:
                self.missing[f"{key} {number[key]} of {name}, but {most}"] += 1
                number[key] = most
        called = RENAMED[name] if name in RENAMED and RENAMED[name] not in self.found.units else name
        return Unit(
            called,
            number["attack"],
            number["defense"],
            self.found.costs.get(name, 0),
            number["movement"],
            "sea" if "isSea" in flags else "air" if "isAir" in flags else "land",
            max(number["hitPoints"], 2 if "isTwoHit" in flags else 1),
            supports="artillery" in flags,
            supported="artillerySupportable" in flags,
            blitz="canBlitz" in flags,
            bombards="canBombard" in flags,
            surprise="isSub" in flags,
            detects="isDestroyer" in flags,
            anti_air=bool(flags & {"isAA", "isAAforCombatOnly"}),
            also=next((unit.also for unit in REVISED if unit.name == called), ()),
        )

    def forces(self, units: dict[str, Unit | None]) -> dict[tuple[str, str], dict[str, int]]:
        """Land and air units by territory and player; factories are kept apart, ships are noted as missing."""
        forces: dict[tuple[str, str], dict[str, int]] = {}
        for each in self.found.placements:
            unit, water = units[each.unit], self.found.territories[each.territory]
            if each.count > MOST:
                where = Node(self.root.source, "unitPlacement", {}, each.line)
                where.wrong(f"{each.count:,} {each.unit!r} in {each.territory!r}, and {MOST} are played at most")
            if unit is None:
                self.factories.add(each.territory)
            elif each.owner not in self.players:
                self.missing[f"units of {each.owner}"] += each.count
            elif unit.domain == "sea" or (water and unit.domain == "air"):
                self.missing[f"{unit.name}{AT_SEA}"] += each.count
            elif water:
                where = Node(self.root.source, "unitPlacement", {}, each.line)
                where.wrong(f"{each.unit!r} is a land unit and stands in the sea, {each.territory!r}")
            else:
                army = forces.setdefault((each.territory, each.owner), {})
                army[unit.name] = army.get(unit.name, 0) + each.count
        return forces

    def areas(self) -> tuple[Area, ...]:
        """The territories as areas."""
        names = list(self.found.territories)
        neighbours: dict[str, set[int]] = {name: set() for name in names}
        for one, other in self.found.connections:
            neighbours[one].add(names.index(other))
            neighbours[other].add(names.index(one))
        areas = []
        for name, water in self.found.territories.items():
            bag = self.bag("territory", name, AREA_OPTIONS)
            owner = self.found.owners.get(name)
            closed = "true" in (bag.get("isImpassable"), bag.get("isImpassible"))
            held = None if owner not in self.players or water or closed else self.players.index(owner)
            value = 0 if water else self.number("territory", name, "production", 0)
            city, near = bag.get("victoryCity", "0") not in ("0", "false"), tuple(sorted(neighbours[name]))
            areas.append(Area(name, held, value, name in self.factories, city, water, closed, near))
        return tuple(areas)


def army_of(counts: dict[str, int], kinds: list[Unit]) -> Army:
    """Counts by name as an army."""
    army = tuple(counts.get(unit.name, 0) for unit in kinds)
    return army if any(army) else NOBODY
