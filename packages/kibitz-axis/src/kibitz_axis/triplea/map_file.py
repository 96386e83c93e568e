"""Reads TripleA's map files for the whole game: powers, areas, kinds of units, prices, canals and switches.

What a file has and the rules do not is listed (`World.notes`): triggers, objectives and politics among them.
"""

import warnings
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from kibitz.core.errors import short_list
from kibitz_axis.full.board import World
from kibitz_axis.full.rules_options import NEVER
from kibitz_axis.full.units import REVISED_SET, Kind, UnitSet
from kibitz_axis.land.board import Area, Power
from kibitz_axis.triplea.game_xml import (
    NEUTRAL,
    RENAMED,
    VICTORIES,
    Map,
    Node,
    attachments,
    main_resource,
    map_of,
    read_nodes,
)

MOST_AREAS, MOST_KINDS, MOST_POWERS, MOST_UNITS = 2_000, 250, 30, 1_000
CLOSED_NEUTRALS = ("Neutrals Are Impassable", "neutralsImpassable")
KNOWN = {"Tech Development", "Low Luck", *VICTORIES, *CLOSED_NEUTRALS, "WW2V2", "mapName", "notes"}
PLAYED = ("territory", "unit", "canal")
"""The beginnings of the names of attachments that are read."""
AREA_OPTIONS = {"production", "victoryCity", "isImpassable", "isImpassible", "capital"}


def read_map_world(path: Path | str) -> World:
    """The board of a map file; warns of what is not played."""
    root = read_nodes(path)
    world = WorldFile(map_of(root), root).world()
    if world.notes:
        warnings.warn(f"{path}: not played: {short_list(world.notes, 6)} (World.notes lists all)", stacklevel=2)
    return world


class WorldFile:
    """Turns what a file says into a board, and counts what is not played."""

    def __init__(self, found: Map, root: Node) -> None:
        self.found, self.root = found, root
        self.missing = Counter[str]()
        self.players, self.areas = list(found.players), list(found.territories)
        self.units: UnitSet = kinds_of_map(found, self.missing)

    def world(self) -> World:
        """The board."""
        self.check_sizes()
        sides = sides_of(self.found, self.missing)
        names = list(dict.fromkeys(sides.values()))
        powers = tuple(Power(player, names.index(sides[player])) for player in self.players)
        forces, factories = self.forces()
        areas = self.area_list(factories)
        world = World(
            areas,
            powers,
            tuple(names),
            tuple(min(100_000, self.found.money.get(player, 0)) for player in self.players),
            self.capitals(),
            self.canals(),
            forces,
            self.units,
            self.offers(),
            self.order(),
            defaults=switches_of(self.found, names),
            name=self.found.name or Path(self.root.source).stem,
        )
        self.note_the_rest()
        return replace(world, notes=tuple(sorted(self.missing)))

    def check_sizes(self) -> None:
        """Refuse what is larger than any map."""
        for what, names, most in (
            ("territories", self.areas, MOST_AREAS),
            ("units", self.units.kinds, MOST_KINDS),
            ("players", self.players, MOST_POWERS),
        ):
            if len(names) > most:
                self.root.wrong(f"{len(names):,} {what}, and {most:,} are played at most")
        nodes = {node.attributes.get("name"): node for node in self.root.all("map", "territory")}
        for name in self.areas:
            if ">" in name or not name.strip() or len(name) > 80 or any(ord(letter) < 32 for letter in name):
                nodes[name].wrong(f"{name[:90]!r} is no name for a territory: 1 to 80 characters, and no '>'")

    # Powers.

    def order(self) -> tuple[int, ...]:
        """The players that have turns, as they move first."""
        movers = [player for name, player in self.found.steps if player and name.lower().endswith("move")]
        ordered = movers or [player for _, player in self.found.steps if player] or self.players
        return tuple(self.players.index(player) for player in dict.fromkeys(ordered))

    def capitals(self) -> tuple[int, ...]:
        """Of every player the area it is ruled from; -1 where it has none."""
        found = [-1] * len(self.players)
        for place, name in enumerate(self.areas):
            whose = self.option("territory", name, "capital")
            if whose in self.players and found[self.players.index(whose)] < 0:
                found[self.players.index(whose)] = place
        return tuple(found)

    # Areas.

    def option(self, kind: str, owner: str, option: str) -> str:
        """An option of an attachment, or nothing."""
        node = self.found.options.get((kind, owner), {}).get(option)
        return "" if node is None else node.attributes.get("value", "").strip()

    def area_list(self, factories: set[str]) -> tuple[Area, ...]:
        """The territories as areas."""
        numbers = {name: place for place, name in enumerate(self.areas)}
        near: list[set[int]] = [set() for _ in self.areas]
        for one, other in self.found.connections:
            near[numbers[one]].add(numbers[other])
            near[numbers[other]].add(numbers[one])
        neutral_closed = any(is_on(self.found, name) for name in CLOSED_NEUTRALS)
        found = []
        for place, (name, water) in enumerate(self.found.territories.items()):
            owner = self.found.owners.get(name)
            held = self.players.index(owner) if owner in self.players else None
            value = whole_number(self.option("territory", name, "production"))
            flags = (self.option("territory", name, word) for word in ("isImpassable", "isImpassible"))
            closed = "true" in {flag.lower() for flag in flags} or (neutral_closed and held is None and not water)
            city = self.option("territory", name, "victoryCity").lower() not in ("", "0", "false")
            made = name in factories and not water
            found.append(Area(name, held, value, made, city, water, closed, tuple(sorted(near[place]))))
        return tuple(found)

    def canals(self) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
        """The pairs of zones that share a canal, and the land that must be friendly to pass."""
        zones: dict[str, list[int]] = {}
        land: dict[str, tuple[int, ...]] = {}
        numbers = {name: place for place, name in enumerate(self.areas)}
        for node in attachments(self.root):
            if not node.get("name").startswith("canal"):
                continue
            where = node.attributes.get("attachTo", node.attributes.get("attatchTo", ""))
            options = {each.get("name"): each.attributes.get("value", "") for each in node.all("option")}
            canal = options.get("canalName", node.get("name"))
            if where in numbers:
                zones.setdefault(canal, []).append(numbers[where])
            names = options.get("landTerritories", "").split(":")
            land[canal] = land.get(canal) or tuple(numbers[name] for name in names if name in numbers)
        return tuple(
            (*pair, land[canal]) for canal, ends in zones.items() for pair in combinations(sorted(set(ends)), 2)
        )

    # Units.

    def offers(self) -> tuple[tuple[int, ...], ...]:
        """Of every player the price of each kind of unit that its frontier offers; 0 is what it cannot buy."""
        lists, whose = self.frontiers(), self.lists_of_players()
        none = (0,) * len(self.units.kinds)
        return tuple(lists.get(whose.get(player, ""), none) for player in self.players) if whose else ()

    def frontiers(self) -> dict[str, tuple[int, ...]]:
        """Of every production frontier the price of each kind of unit that it offers."""
        rules, found = self.rule_prices(), dict[str, tuple[int, ...]]()
        for node in self.root.all("production", "productionFrontier"):
            prices = [0] * len(self.units.kinds)
            for rule in node.all("frontierRules"):
                for kind, price in rules.get(rule.get("name"), ()):
                    prices[kind] = prices[kind] or price
            found[node.get("name")] = tuple(prices)
        return found

    def lists_of_players(self) -> dict[str, str]:
        """The production frontier of every player."""
        nodes = self.root.all("production", "playerProduction")
        return {node.attributes.get("player", ""): node.attributes.get("frontier", "") for node in nodes}

    def rule_prices(self) -> dict[str, list[tuple[int, int]]]:
        """Of every production rule the kinds it makes, each with its price."""
        resource, names = main_resource(self.root), self.found.units
        found: dict[str, list[tuple[int, int]]] = {}
        for rule in self.root.all("production", "productionRule"):
            costs = [each for each in rule.all("cost") if each.attributes.get("resource", resource) == resource]
            others = len(rule.all("cost")) - len(costs)
            if others:
                self.missing["prices in other resources"] += 1
            for result in rule.all("result"):
                made, number = (
                    result.get("resourceOrUnit"),
                    max(1, whole_number(result.attributes.get("quantity", "1"))),
                )
                if made in names and costs:
                    price = -(-whole_number(costs[0].get("quantity")) // number)
                    found.setdefault(rule.get("name"), []).append((names.index(made), price))
        return found

    def forces(self) -> tuple[tuple[tuple[int, int, int, int], ...], set[str]]:
        """Units on the board, and the areas with factories."""
        counts: dict[tuple[int, int, int], int] = {}
        factories: set[str] = set()
        for each in self.found.placements:
            kind, place = self.found.units.index(each.unit), self.areas.index(each.territory)
            power = self.players.index(each.owner) if each.owner in self.players else -1
            if kind in self.units.factories:
                factories.add(each.territory)
            elif kind in self.units.land and self.found.territories[each.territory]:
                self.missing["land units at sea"] += each.count
            elif not (kind in self.units.ships and not self.found.territories[each.territory]):
                counts[place, power, kind] = counts.get((place, power, kind), 0) + each.count
            else:
                self.missing["ships on land"] += each.count
        for (place, _power, kind), count in counts.items():
            if count > MOST_UNITS:
                where = f"{self.areas[place]!r}: {count:,} {self.units.names[kind]}"
                self.root.wrong(f"{where}, and {MOST_UNITS:,} of a kind are played at most")
        return tuple(sorted((*key, count) for key, count in counts.items() if count)), factories

    # What is left.

    def note_the_rest(self) -> None:
        """Note what else the file has that is not played."""
        found = self.found
        for node in attachments(self.root, templates=True):
            name = node.get("name")
            if "foreach" in node.attributes:
                self.missing["templates"] += 1
            elif not name.startswith(PLAYED):
                self.missing["attachments: " + name.rstrip("0123456789_").split("Att")[0]] += 1
        self.missing.update(
            "dice of other sides than six" for node in self.root.all("diceSides") if node.get("value") != "6"
        )
        sequences = self.root.all("gamePlay", "sequence")
        self.missing.update("templates" for each in sequences for node in each.children if node.tag != "step")
        for (kind, _), options in found.options.items():
            if kind == "territory":
                self.missing.update(f"territory option {name}" for name in options if name not in AREA_OPTIONS)
        counted = {f"{side} {name}" for side in found.alliances.values() for name in VICTORIES.values()}
        self.missing.update(
            f"property {name}"
            for name, value in found.properties.items()
            if name not in KNOWN and name not in counted and value.strip().lower() not in ("false", "", "0")
        )
        if any(owner == NEUTRAL for owner in found.owners.values()):
            self.missing["what entering a neutral area costs"] += 1


def sides_of(found: Map, missing: Counter[str]) -> dict[str, str]:
    """The side of every player: its alliance, or itself; where one alliance holds everyone, all play alone."""
    sides = {player: found.alliances.get(player, player) for player in found.players}
    if len(set(sides.values())) == 1 < len(sides):
        missing["one alliance of all: everyone plays alone"] += 1
        return {player: player for player in sides}
    return sides


# Switches.


def is_on(found: Map, name: str) -> bool:
    """Whether a property is true."""
    return found.properties.get(name, "").strip().lower() == "true"


def switches_of(found: Map, sides: list[str]) -> dict[str, Any]:
    """The switches that the properties of the file set; where sides need other numbers of cities, the larger counts."""
    tries = is_on(found, "Tech Development") and any("tech" in name.lower() for name, _ in found.steps)
    wanted = [
        max(whole_number(found.properties.get(f"{side} {cities}", "")) for side in sides)
        for name, cities in VICTORIES.items()
        if is_on(found, name)
    ]
    cities = min((number for number in wanted if number), default=NEVER)
    return {"research": tries, "low_luck": is_on(found, "Low Luck"), "cities": min(NEVER, cities)}


def whole_number(text: str) -> int:
    """A whole number from 0 to a million, 0 where the text is none."""
    return min(1_000_000, int(text)) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


NUMBERS = {
    "attack": "attack",
    "defense": "defence",
    "movement": "move",
    "hitPoints": "hits",
    "transportCapacity": "room",
    "transportCost": "load",
    "carrierCapacity": "deck",
    "carrierCost": "berth",
}
"""The options that are numbers, and what each is called here."""
MOST = {"attack": 6, "defence": 6, "move": 20, "hits": 8, "room": 99, "load": 99, "deck": 99, "berth": 99}
FLAGS = {
    "canBlitz": "blitz",
    "artillery": "supports",
    "artillerySupportable": "supported",
    "isSub": "submarine",
    "canEvade": "submarine",
    "isFirstStrike": "submarine",
    "isDestroyer": "destroyer",
    "canBombard": "bombards",
    "isStrategicBomber": "raids",
}
"""The options that are true or false, and what each is called here."""
DOMAINS = {
    **dict.fromkeys(("room", "deck", "submarine", "destroyer", "bombards"), "sea"),
    "load": "land",
    **dict.fromkeys(("berth", "raids"), "air"),
}
"""The only domain in which a number or a flag means something."""
GUNS = ("isAA", "isAAforCombatOnly")
BUILDINGS = ("isFactory", "canProduceUnits")
OTHERS = {"isAir", "isSea", "isTwoHit", "isInfantry", "isInfrastructure", *GUNS, *BUILDINGS}
"""Further options that are read, or change nothing here."""


def kinds_of_map(found: Map, missing: Counter[str]) -> UnitSet:
    """The kinds of units of a file, in its order; options that are not played are noted."""
    return UnitSet(tuple(read_kind(found, name, missing) for name in found.units))


def read_kind(found: Map, name: str, missing: Counter[str]) -> Kind:
    """A kind of unit from the options of its attachment, without those that mean nothing in its domain.

    Numbers above what is played are cut. Guns and factories are told from other land units by having no strength.
    """
    options = {
        option: node.attributes.get("value", "").strip()
        for option, node in found.options.get(("unit", name), {}).items()
    }
    if not options:
        missing[f"unit {name}, which has no attachment"] += 1
    missing.update(f"unit option {option}" for option in options if option not in {*NUMBERS, *FLAGS, *OTHERS})
    fields: dict[str, int] = {}
    for option, field in NUMBERS.items():
        number = whole_number(options.get(option, ""))
        if number > MOST[field]:
            missing[f"{option} {number} of {name}, but {MOST[field]}"] += 1
        fields[field] = min(MOST[field], number)
    on = {option for option, value in options.items() if value.lower() == "true"}
    flags = {field: True for option, field in FLAGS.items() if option in on}
    domain = "sea" if "isSea" in on else "air" if "isAir" in on else "land"
    factory = bool(on & set(BUILDINGS)) and domain == "land" and not fields["attack"]
    silent = not fields["attack"] and not fields["defence"]
    gun = bool(on & set(GUNS)) and domain == "land" and silent and not factory
    fields["hits"] = max(1, fields["hits"], 2 if "isTwoHit" in on else 1)
    for field, only in DOMAINS.items():
        if domain != only:
            fields.pop(field, None)
            flags.pop(field, None)
    called = RENAMED[name] if name in RENAMED and RENAMED[name] not in found.units else name
    also = next((kind.also for kind in REVISED_SET.kinds if kind.name == called), ())
    price = found.costs.get(name, 0)
    return Kind(called, price, domain=domain, gun=gun, factory=factory, also=also, **fields, **flags)  # type: ignore[arg-type]
