"""Reads what triggers of map files of TripleA's do."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kibitz.games.axis.full.events.book import ALL, Effect
from kibitz.games.axis.full.events.map_conditions import TECHNOLOGIES, Names, integer, option_text, option_texts
from kibitz.games.axis.full.map_units import FLAGS, MOST, SIX
from kibitz.games.axis.full.map_units import NUMBERS as UNIT_NUMBERS
from kibitz.games.axis.full.units import UnitSet
from kibitz.games.axis.triplea import NEUTRAL, main_resource
from kibitz.games.axis.xml_nodes import Node

if TYPE_CHECKING:
    from kibitz.games.axis.full.events.map_conditions import ConditionReader

HARMLESS = {
    *("conditions", "conditionType", "trigger", "invert", "chance", "uses", "when", "notification", "players"),
    *(
        "chanceIncrementOnFailure",
        "chanceDecrementOnSuccess",
        "resourceCount",
        "unitType",
        "usedThisRound",
        "unitAttachmentName",
    ),
    *("territories", "territoryAttachmentName", "playerAttachmentName", "relationshipTypes", "territoryEffects"),
    *("relationshipTypeAttachmentName", "territoryEffectAttachmentName", "unitAttatchmentName", "usedThisRound"),
}
"""The options of triggers that do nothing by themselves: when they happen, what they tell, what others are about."""
UNPLAYED = {"support", "availableTech", "relationshipTypeProperty", "territoryEffectProperty"}
"""The options of triggers that change what is not played in any case."""
AREA_FIELDS = {"production": "value", "victoryCity": "city", "isImpassable": "closed", "unitProduction": "makes"}
"""The options of areas that events may change, and what they are called here."""
MOST_TIMES = 100
MOST_GIVEN = 1000


def amount(text: str) -> int:
    """A number of units."""
    return max(0, min(MOST_GIVEN, integer(text, 1)))


def count_and_names(text: str) -> tuple[str, list[str]]:
    """A number and the names after it."""
    first, *words = text.split(":")
    numbered = bool(words) and first.strip().lstrip("-").isdecimal()
    return (first, words) if numbered else ("1", [first, *words])


class EffectReader:
    """Reads the effects of triggers; raises BadDefinition for names that mean nothing."""

    def __init__(
        self,
        names: Names,
        units: UnitSet,
        frontiers: Mapping[str, tuple[int, ...]],
        conditions: "ConditionReader",
        triggers: list[Node],
        missing: Counter[str],
    ) -> None:
        self.names, self.units, self.missing, self.conditions = names, units, missing, conditions
        self.frontiers = {name: number for number, name in enumerate(frontiers)}
        self.money = main_resource(names.root)
        self.rules = {rule.get("name"): rule for rule in names.root.all("production", "productionRule")}
        self.triggers: dict[str, int] = {}
        for number, node in enumerate(triggers):
            self.triggers.setdefault(node.get("name"), number)

    def read(self, node: Node, power: int) -> tuple[Effect, ...]:
        """All effects of a trigger, in the order in which they happen."""
        who = [name for text in option_texts(node, "players") for name in text.split(":") if name]
        powers = self.names.numbers(node, self.names.players, who, "player") or (power,)
        told = {each.get("name") for each in node.all("option")}
        self.missing.update(f"triggers about {name}" for name in told & UNPLAYED)
        return tuple(effect for name, read in READERS.items() if name in told for effect in read(self, node, powers))

    # The board.

    def kinds(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Kinds of units that are able to do something else."""
        about = option_text(node, "unitAttachmentName") or option_text(node, "unitAttatchmentName")
        words = [word for text in option_texts(node, "unitType") for word in text.split(":") if word]
        kinds = self.names.numbers(node, self.names.kinds, words, "unit")
        found = []
        for text in option_texts(node, "unitProperty"):
            value, _, name = text.rpartition(":")
            value = value.removeprefix("-reset-").removeprefix("-clear-").lower()
            if "Support" in about or not (name in UNIT_NUMBERS or name in FLAGS):
                self.missing[f"triggers about the unit option {name}"] += 1
                continue
            for kind in kinds:
                found += self.kind(kind, name, value)
        return found

    def kind(self, kind: int, name: str, value: str) -> list[Effect]:
        """A kind of unit with another value of an option, where its domain lets it have that."""
        field, each = UNIT_NUMBERS.get(name) or FLAGS[name], self.units.kinds[kind]
        domains = {"room": "sea", "deck": "sea", "load": "land", "berth": "air", "raids": "air"}
        domains |= dict.fromkeys(("submarine", "destroyer", "bombards"), "sea")
        if each.factory or each.gun or domains.get(field, each.domain) != each.domain:
            return []
        number = int(value == "true") if name in FLAGS else max(0, min(MOST[field], integer(value)))
        if field in ("attack", "defence") and number and self.sides != SIX:
            number = max(1, (2 * SIX * number + self.sides) // (2 * self.sides))
        return [Effect("kind", kinds=(kind,), number=max(1, number) if field == "hits" else number, field=field)]

    @property
    def sides(self) -> int:
        """How many sides the dice of the file have."""
        told = [integer(node.attributes.get("value", "")) for node in self.names.root.all("diceSides")]
        return next((sides for sides in told if 1 < sides <= 1000), SIX)

    def areas(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Areas that are worth something else."""
        words = [word for text in option_texts(node, "territories") for word in text.split(":") if word]
        areas = self.names.numbers(node, self.names.areas, words, "territory")
        found = []
        for text in option_texts(node, "territoryProperty"):
            value, _, name = text.rpartition(":")
            if name not in AREA_FIELDS or "anal" in option_text(node, "territoryAttachmentName"):
                self.missing[f"triggers about the territory option {name}"] += 1
                continue
            number = int(value.lower() == "true") if value.lower() in ("true", "false") else max(0, integer(value))
            found += [Effect("area", area=area, number=number, field=AREA_FIELDS[name]) for area in areas]
        return found

    def rest(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Conditions that are switched, and triggers whose uses are set; other options of players are not played."""
        name = option_text(node, "playerAttachmentName").partition(":")[0]
        found = []
        for text in option_texts(node, "playerProperty"):
            value, _, option = text.rpartition(":")
            value = value.removeprefix("-reset-").removeprefix("-clear-").lower()
            if option == "switch" and name in self.conditions.by_name:
                number = self.conditions.by_name[name]
                found.append(Effect("switch", area=number, number=int(value == "true")))
            elif option == "uses" and name in self.triggers:
                found.append(Effect("uses", area=self.triggers[name], number=max(ALL, integer(value, ALL))))
            else:
                self.missing[f"triggers about the player option {option}"] += 1
        return found

    def offers(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Players that buy from another list."""
        (number,) = self.names.numbers(node, self.frontiers, [option_text(node, "frontier")], "production frontier")
        return [Effect("offers", powers, number=number)]

    def list_changes(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Lists that offer a kind of unit, or no longer do."""
        found = []
        for text in option_texts(node, "productionRule"):
            where, _, rule = text.rpartition(":")
            (frontier,) = self.names.numbers(node, self.frontiers, [where], "production frontier")
            gone, rule = rule.startswith("-"), rule.removeprefix("-")
            if rule not in self.rules:
                node.wrong(f"there is no production rule {rule[:40]!r}")
            costs = [c for c in self.rules[rule].all("cost") if c.attributes.get("resource", self.money) == self.money]
            made = [each.get("resourceOrUnit") for each in self.rules[rule].all("result")]
            price = max(1, integer(costs[0].get("quantity"), 1)) if costs else 0
            kinds = tuple(self.names.kinds[name] for name in made if name in self.names.kinds)
            found.append(Effect("rule", area=frontier, kinds=kinds, number=0 if gone else price))
        return found

    def relations(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Players that become allies or enemies."""
        found = []
        for text in option_texts(node, "relationshipChange"):
            words = text.split(":")
            if len(words) not in (3, 4):
                node.wrong(f"relationshipChange {text[:60]!r} names no two players and their relations")
            pair = self.names.numbers(node, self.names.players, words[:2], "player")
            old = self.names.relation_types(node, words[2]) if len(words) == 4 else ()
            (new,) = self.names.relation_types(node, words[-1]) or (ALL,)
            if pair[0] != pair[1] and new >= 0:
                found.append(Effect("relation", pair, kinds=old, number=new))
        return found

    # Units and money.

    def removals(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Units that disappear."""
        found = []
        for text in option_texts(node, "removeUnits"):
            number, (where, *words) = count_and_names(text)
            area = ALL if where == "all" else self.names.numbers(node, self.names.areas, [where], "territory")[0]
            every = tuple(range(len(self.units.kinds)))
            kinds = every if "all" in words else self.names.numbers(node, self.names.kinds, words, "unit")
            found.append(Effect("remove", powers, area, kinds, amount(number)))
        return found

    def placements(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Units that appear."""
        found = []
        for text in option_texts(node, "placement"):
            number, (where, *words) = count_and_names(text)
            (area,) = self.names.numbers(node, self.names.areas, [where], "territory")
            kinds = self.names.numbers(node, self.names.kinds, words, "unit")
            found.append(Effect("place", powers, area, kinds, amount(number)))
        return found

    def gifts(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Units that a player has to place without buying them."""
        found = []
        for text in option_texts(node, "purchase"):
            number, words = count_and_names(text)
            kinds = self.names.numbers(node, self.names.kinds, words, "unit")
            found.append(Effect("give", powers, kinds=kinds, number=amount(number)))
        return found

    def payments(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Money that players get or lose."""
        if option_text(node, "resource") != self.money:
            self.missing["triggers about other resources"] += 1
            return []
        return [Effect("money", powers, number=integer(option_text(node, "resourceCount")))]

    def technologies(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Technologies that players get."""
        words = [word for text in option_texts(node, "tech") for word in text.split(":") if word]
        self.missing.update(f"technology {word}" for word in words if word not in TECHNOLOGIES)
        return [Effect("technology", powers, number=TECHNOLOGIES.index(word)) for word in words if word in TECHNOLOGIES]

    def new_owners(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Areas that get another owner."""
        found = []
        for text in option_texts(node, "changeOwnership"):
            where, old, new, *_ = [*text.split(":"), "", ""]
            area = ALL if where == "all" else self.names.numbers(node, self.names.areas, [where], "territory")[0]
            nobody = {NEUTRAL: -2, "any": ALL, "": ALL, "PlayerNeutral": -2}
            pair = tuple(
                nobody[name] if name in nobody else self.names.numbers(node, self.names.players, [name], "player")[0]
                for name in (new, old)
            )
            found.append(Effect("own", pair, area))
        return found

    def victory(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Players that have won."""
        return [Effect("win", powers)]

    def activations(self, node: Node, powers: tuple[int, ...]) -> list[Effect]:
        """Other triggers that this one makes happen."""
        found = []
        for text in option_texts(node, "activateTrigger"):
            name, times, *flags = [*text.split(":"), "1"]
            (number,) = self.names.numbers(node, self.triggers, [name], "trigger")
            told = [flag.lower() == "true" for flag in [*flags[:4], "false", "false", "false", "false"][:4]]
            often = max(0, min(MOST_TIMES, integer(times, 1)))
            found.append(Effect("pull", area=number, number=often, flags=tuple(told)))
        return found


READERS: Mapping[str, Callable[[EffectReader, Node, tuple[int, ...]], list[Effect]]] = {
    "playerProperty": EffectReader.rest,
    "territoryProperty": EffectReader.areas,
    "unitProperty": EffectReader.kinds,
    "relationshipChange": EffectReader.relations,
    "tech": EffectReader.technologies,
    "frontier": EffectReader.offers,
    "productionRule": EffectReader.list_changes,
    "changeOwnership": EffectReader.new_owners,
    "removeUnits": EffectReader.removals,
    "purchase": EffectReader.gifts,
    "placement": EffectReader.placements,
    "resource": EffectReader.payments,
    "activateTrigger": EffectReader.activations,
    "victory": EffectReader.victory,
}
"""The options of triggers that do something, in the order in which they happen."""
