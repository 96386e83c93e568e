"""Reads the conditions of events from map files of TripleA's."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

from kibitz.games.axis.full.events.book import ALL, AreaTest, Condition, RelationTest
from kibitz.games.axis.full.events.conditions import GROUPS
from kibitz.games.axis.full.map_sides import archetypes_of
from kibitz.games.axis.full.map_switches import is_on
from kibitz.games.axis.triplea import Map, attachments
from kibitz.games.axis.xml_nodes import Node

TESTS = {
    "directOwnershipTerritories": "own",
    "alliedOwnershipTerritories": "allied",
    "directPresenceTerritories": "direct",
    "alliedPresenceTerritories": "ally",
    "enemyPresenceTerritories": "enemy",
    "directExclusionTerritories": "no direct",
    "alliedExclusionTerritories": "no ally",
    "enemyExclusionTerritories": "no enemy",
    "enemySurfaceExclusionTerritories": "no surface",
}
"""The options that are conditions on areas, and what they ask."""
UNKNOWABLE = {"isAI": "true", "battle": "", "destroyedTUV": ""}
"""The options about what is not kept here, and the value with which they are met by nobody ("" is any)."""
OTHERS = {
    *("players", "conditions", "conditionType", "invert", "chance", "turns", "rounds", "switch", "gameProperty"),
    *("uses", "unitPresence", "atWarPlayers", "techs", "relationship", "objectiveValue", "trigger", "countEach"),
}
"""Further options of conditions that are read."""
ANY = {"anyAllied": "allied", "anyWar": "war", "anyNeutral": "neutral"}
TECHNOLOGIES = ("jetPower", "superSub", "longRangeAir", "rocket", "destroyerBombard", "heavyBomber")
"""What a file calls the technologies, in our order."""
LAST_ROUND, LARGEST = 10_000, 1_000_000


def attached_to(node: Node) -> str:
    """The name of what an attachment belongs to."""
    return node.attributes.get("attachTo", node.attributes.get("attatchTo", ""))


def option_texts(node: Node, name: str) -> list[str]:
    """The values of all options of a name, each with its count before it, as in `2:infantry`."""
    found = [each for each in node.all("option") if each.attributes.get("name") == name]
    pairs = ((each.attributes.get("count", "").strip(), each.attributes.get("value", "").strip()) for each in found)
    return [f"{count}:{value}" if count else value for count, value in pairs]


def option_text(node: Node, name: str) -> str:
    """The value of the last option of a name, or nothing."""
    return (option_texts(node, name) or [""])[-1]


def integer(text: str, otherwise: int = 0) -> int:
    """A whole number, or another where the text is none."""
    digits = text.strip().removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
        return otherwise
    return max(-LARGEST, min(LARGEST, int(text)))


def is_class(node: Node, name: str, *starts: str) -> bool:
    """Whether an attachment is of a kind: by its class, or by how its own name begins, where it tells no class."""
    told = node.attributes.get("javaClass", "").replace("Attatch", "Attach").rsplit(".", 1)[-1]
    return told == name if told.endswith("Attachment") else node.get("name").startswith(starts)


class Names:
    """What the names in a file mean."""

    def __init__(self, root: Node, found: Map) -> None:
        self.root, self.found = root, found
        self.players = {name: number for number, name in enumerate(found.players)}
        self.areas = {name: number for number, name in enumerate(found.territories)}
        self.kinds = {name: number for number, name in enumerate(found.units)}
        archetypes = archetypes_of(root)
        self.types = {name: number for number, name in enumerate(archetypes)}
        self.stances = tuple(archetypes.values())

    def numbers(self, node: Node, what: dict[str, int], names: list[str], word: str) -> tuple[int, ...]:
        """The numbers of things that are named."""
        for name in names:
            if name not in what:
                node.wrong(f"there is no {word} {name[:40]!r}")
        return tuple(what[name] for name in names)

    def relation_types(self, node: Node, name: str) -> tuple[int, ...]:
        """The relations that a word means: one by its name, or all of an archetype."""
        if name in ANY:
            return tuple(number for number, stance in enumerate(self.stances) if stance == ANY[name])
        return () if name == "any" else self.numbers(node, self.types, [name], "relation")

    def relations(self) -> tuple[tuple[int, int, int], ...]:
        """Of every two players the relation they begin with: by their alliances, or as the file says."""
        groups: dict[str, set[str]] = {player: set() for player in self.players}
        for node in self.root.all("playerList", "alliance"):
            groups.setdefault(node.attributes.get("player", ""), set()).add(node.attributes.get("alliance", ""))
        names = list(self.players)
        found = {
            (a, b): int(not groups[names[a]] & groups[names[b]]) for a, b in combinations(range(len(names)), 2)
        }  # the first two relations are those of allies and of enemies
        for node in self.root.all("initialize", "relationshipInitialize", "relationship"):
            pair = [self.players.get(node.attributes.get(name, ""), -1) for name in ("player1", "player2")]
            if min(pair) >= 0 and node.attributes.get("type", "") in self.types:
                found[min(pair), max(pair)] = self.types[node.attributes["type"]]
        return tuple((*pair, kind) for pair, kind in sorted(found.items()))


def parts_of(node: Node, numbers: Callable[[Node, str], int]) -> tuple[tuple[int, ...], int, int]:
    """The conditions that an attachment names, and how many of them must be met: at least, and at most."""
    texts = [*option_texts(node, "conditions"), *option_texts(node, "trigger")]
    parts = tuple(numbers(node, name) for text in texts for name in text.split(":") if name)
    kind = option_text(node, "conditionType") or "AND"
    if kind.upper() in ("AND", "OR", "XOR"):
        least, most = {"AND": (len(parts), len(parts)), "OR": (1, len(parts)), "XOR": (1, 1)}[kind.upper()]
        return parts, least, most
    low, _, high = kind.partition("-")
    return parts, integer(low), integer(high or low)


def chance_of(node: Node) -> tuple[int, int]:
    """How many of how many results of a die let a condition or a trigger pass."""
    good, _, sides = option_text(node, "chance").partition(":")
    return max(0, integer(good, 1)), max(1, integer(sides, 1))


class ConditionReader:
    """Reads all conditions of a file, those that others name first asked for by name."""

    def __init__(self, names: Names, missing: Counter[str]) -> None:
        self.names, self.missing = names, missing
        self.nodes = [
            node
            for node in attachments(names.root)
            if is_class(node, "RulesAttachment", "condition", "objective", "rules") and attached_to(node)
        ]
        self.own = {(node.get("name"), attached_to(node)): n for n, node in enumerate(self.nodes)}
        told = [integer(node.attributes.get("round", ""), 1) for node in names.root.all("gamePlay", "offset")]
        self.rounds_before = max(0, told[-1] - 1) if told else 0
        """How many rounds the file counts as over when the game begins."""
        self.by_name: dict[str, int] = {}
        for number, node in enumerate(self.nodes):
            self.by_name.setdefault(node.get("name"), number)

    def number(self, node: Node, name: str) -> int:
        """The number of the condition that an attachment names: that of its own player, or else of any."""
        found = self.own.get((name, attached_to(node)), self.by_name.get(name))
        if found is None:
            node.wrong(f"there is no condition {name[:60]!r}")
        return found

    def read(self, node: Node) -> Condition:
        """One condition."""
        names, options = self.names, {each.attributes.get("name", "") for each in node.all("option")}
        who = [name for text in option_texts(node, "players") for name in text.split(":")] or [attached_to(node)]
        parts, least, most = parts_of(node, self.number)
        fields = {name: self.count_and_names(node, name) for name in ("atWarPlayers", "techs")}
        return Condition(
            node.get("name"),
            names.numbers(node, names.players, who, "player"),
            parts,
            least,
            most,
            option_text(node, "invert").lower() == "true",
            self.rounds(node),
            tuple(self.area_test(node, option, text) for option in TESTS for text in option_texts(node, option)),
            tuple(self.unit_test(node, text) for text in option_texts(node, "unitPresence")),
            names.numbers(node, names.players, fields["atWarPlayers"][1], "player"),
            fields["atWarPlayers"][0],
            tuple(TECHNOLOGIES.index(name) if name in TECHNOLOGIES else 62 for name in fields["techs"][1]),
            fields["techs"][0],
            tuple(self.relation_test(node, text) for text in option_texts(node, "relationship")),
            self.is_never_met(node, options),
            chance_of(node),
            option_text(node, "switch").lower() != "false",
        )

    def count_and_names(self, node: Node, name: str) -> tuple[int, list[str]]:
        """A list of names with a number before it; 0 where there is none."""
        words = [word for text in option_texts(node, name) for word in text.split(":") if word]
        numbered = bool(words) and words[0].lstrip("-").isdecimal()
        return (max(0, integer(words[0])), words[1:]) if numbered else (0, words)

    def rounds(self, node: Node) -> tuple[tuple[int, int], ...]:
        """The rounds in which a condition can be met."""
        found = []
        for text in (*option_texts(node, "turns"), *option_texts(node, "rounds")):
            for each in text.split(":"):
                low, dash, high = each.partition("-")
                last = LAST_ROUND if high == "+" else integer(high if dash else low, LAST_ROUND)
                found.append((integer(low, 1) - self.rounds_before, last - self.rounds_before))
        return tuple(found)

    def area_test(self, node: Node, option: str, text: str) -> AreaTest:
        """A condition on areas: their names or a word for a group, a number or `each` before them."""
        words = [word for word in text.split(":") if word]
        each = len(words) > 1 and words[0] == "each"
        numbered = len(words) > 1 and (each or integer(words[0], -1) >= 0)
        least = (1 if each else integer(words[0])) if numbered else ALL
        words = words[1:] if numbered else words
        if len(words) == 1 and words[0] in GROUPS:
            return AreaTest(TESTS[option], (), words[0], least, each)
        areas = self.names.numbers(node, self.names.areas, words, "territory")
        return AreaTest(TESTS[option], areas, "", least, each)

    def unit_test(self, node: Node, text: str) -> tuple[tuple[int, ...], int]:
        """So many units of some kinds, or of any."""
        first, *words = text.split(":")
        words = words if integer(first, -1) >= 0 else [first, *words]
        kinds = [word for word in words if word and word.lower() != "any"]
        return self.names.numbers(node, self.names.kinds, kinds, "unit"), max(0, integer(first, 1))

    def relation_test(self, node: Node, text: str) -> RelationTest:
        """A condition on the relation of two players."""
        words = text.split(":")
        if len(words) < 3:
            node.wrong(f"relationship {text[:60]!r} names no two players and a relation")
        one, other = self.names.numbers(node, self.names.players, words[:2], "player")
        rounds = integer(words[3]) if len(words) > 3 else 0
        return RelationTest(one, other, self.names.relation_types(node, words[2]), rounds)

    def is_never_met(self, node: Node, options: set[str]) -> bool:
        """Whether a condition asks for what is not kept here, or for a property that is off."""
        for name, value in UNKNOWABLE.items():
            if name in options and option_text(node, name).lower().startswith(value):
                self.missing[f"conditions about {name}: never met"] += 1
                return True
        properties = option_texts(node, "gameProperty")
        return any(not is_on(self.names.found, name) for name in properties)
