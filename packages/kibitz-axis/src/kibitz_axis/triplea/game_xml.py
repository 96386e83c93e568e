"""Reads TripleA's game XML: everything in it by its own names, which are checked against each other.

Elements know their lines. No document type is fetched, and a file's own entities are refused.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import msgspec

from kibitz.core.errors import BadDefinition, advice, short_repr
from kibitz.core.files import read_text

VICTORIES = {
    "Projection of Power": "Projection of Power VCs",
    "Honorable Surrender": "Honorable Victory VCs",
    "Total Victory": "Total Victory VCs",
}
"""The conditions under which cities win, and what the property is called that has each side's number of them."""
RENAMED = {"armour": "tank", "aaGun": "aa gun"}
NEUTRAL = "Neutral"
"""The owner of what no player owns; files may name it."""


LARGEST, DEEPEST = 32 << 20, 100
MOST_COUNTED = 1_000_000


class Node:
    """An element: its attributes, its children, and the line it begins on."""

    def __init__(self, source: str, tag: str, attributes: dict[str, str], line: int) -> None:
        self.source, self.tag, self.attributes, self.line = source, tag, attributes, line
        self.children: list[Node] = []

    def all(self, *tags: str) -> "list[Node]":
        """The elements at the end of a path of tags below this one."""
        found = [self]
        for tag in tags:
            found = [child for node in found for child in node.children if child.tag == tag]
        return found

    def get(self, name: str) -> str:
        """An attribute that must be there."""
        if name not in self.attributes:
            self.wrong(f"<{self.tag}> has no attribute {name!r}")
        return self.attributes[name]

    def number(self, name: str, most: int = MOST_COUNTED) -> int:
        """An attribute that is a whole number."""
        text = self.get(name).strip()
        if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) <= most):
            self.wrong(f"{name} of <{self.tag}> is {short_repr(text, 20)}, not a whole number from 0 to {most:,}")
        return int(text)

    def flag(self, name: str) -> bool:
        """An attribute that is true or false; false where it is not there."""
        text = self.attributes.get(name, "false").strip().lower()
        if text not in ("true", "false"):
            self.wrong(f"{name} of <{self.tag}> is {short_repr(text, 20)}, not true or false")
        return text == "true"

    def wrong(self, why: str) -> NoReturn:
        """Raise the error that names this line."""
        raise BadDefinition(f"{self.source}, line {self.line}", why)


class Placement(msgspec.Struct, frozen=True):
    """Units of a kind that stand somewhere at the start."""

    unit: str
    territory: str
    owner: str
    count: int


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


def map_of(root: Node) -> Map:
    """Everything in a game file, names checked against each other."""
    if root.tag != "game":
        root.wrong(f"the root is <{root.tag}>, not <game>; is it a TripleA map?")
    territories = required_elements(root, "map", "territory")
    players = required_elements(root, "playerList", "player")
    units = required_elements(root, "unitList", "unit")
    owners = {**players, NEUTRAL: root}
    main = main_resource(root)
    steps = tuple(
        (node.get("name"), known_name(node, "player", players) if node.attributes.get("player") else "")
        for node in root.all("gamePlay", "sequence", "step")
    )
    given = (node for node in root.all(*GIVEN) if node.attributes.get("resource", main) == main)
    alliances = root.all("playerList", "alliance")
    owned = root.all("initialize", "ownerInitialize", "territoryOwner")
    return Map(
        name=next((node.attributes.get("name", "") for node in root.all("info")), ""),
        territories={name: node.flag("water") for name, node in territories.items()},
        connections=tuple(connection(node, territories) for node in root.all("map", "connection")),
        players=tuple(dict.fromkeys([*(player for _, player in steps if player in players), *players])),
        alliances={known_name(node, "player", players): node.get("alliance") for node in alliances},
        units=tuple(units),
        costs=costs_of(root, main),
        options=options_of(root, {"unit": units, "territory": territories}),
        owners={  # of two lines for one territory the later counts
            known_name(node, "territory", territories): known_name(node, "owner", owners) for node in owned
        },
        placements=tuple(placement(node, territories, units, players) for node in root.all(*PLACED)),
        money={known_name(node, "player", players): node.number("quantity") for node in given},
        properties={
            node.get("name"): node.attributes.get("value", "") for node in root.all("propertyList", "property")
        },
        steps=steps,
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
    return Placement(unit, territory, owner, node.number("quantity"))


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


def options_of(root: Node, owners: dict[str, dict[str, Node]]) -> dict[tuple[str, str], dict[str, Node]]:
    """The options of every attachment; what it belongs to must be there where the kind of *owners* is known."""
    found: dict[tuple[str, str], dict[str, Node]] = {}
    for node in attachments(root):
        kind, to = attachment_kind(node), "attatchTo" if "attatchTo" in node.attributes else "attachTo"
        owner = known_name(node, to, owners[kind], kind) if kind in owners else node.get(to)
        found.setdefault((kind, owner), {}).update({option.get("name"): option for option in node.all("option")})
    return found


def attachments(root: Node, templates: bool = False) -> list[Node]:
    """All attachments in their order, with *templates* or without; older maps spell the word in another way."""
    lists = [node for node in root.children if node.tag in ("attachmentList", "attatchmentList")]
    found = [node for each in lists for node in each.children if node.tag in ("attachment", "attatchment")]
    return [node for node in found if templates or "foreach" not in node.attributes]


def attachment_kind(node: Node) -> str:
    """What an attachment is for: `unit`, `territory`, or the name it has itself."""
    name = node.get("name")
    return {"unitAttachment": "unit", "territoryAttachment": "territory"}.get(name.replace("Attatch", "Attach"), name)


# Names.


MEANT = {"t1": "territory", "t2": "territory", "unitType": "unit", "owner": "player"}
"""What an attribute names where its own name says something else."""


def required_elements(root: Node, *tags: str) -> dict[str, Node]:
    """Elements by name; there must be at least one, and no two of a name."""
    found: dict[str, Node] = {}
    for node in root.all(*tags):
        if found.setdefault(node.get("name"), node) is not node:
            node.wrong(f"<{node.tag}> {node.get('name')!r} stands twice")
    if not found:
        root.wrong(f"there is no {''.join(f'<{tag}>' for tag in tags)} in it; is it a TripleA map?")
    return found


def known_name(node: Node, attribute: str, names: Iterable[str], what: str = "") -> str:
    """An attribute that must name something that exists; *what* that is, unless the attribute says it."""
    name = node.get(attribute)
    if name not in names:
        node.wrong(
            f"there is no {what or MEANT.get(attribute, attribute)} {short_repr(name, 40)}; {advice(name, names)}"
        )
    return name


# The file.


def read_nodes(path: Path | str) -> Node:
    """The root of an XML file."""
    text = read_text(path, BadDefinition, largest=LARGEST)
    source, stack, roots = str(path), list[Node](), list[Node]()
    parser = expat.ParserCreate("utf-8")  # the text is decoded already, whatever the file declares

    def begin(tag: str, attributes: dict[str, str]) -> None:
        node = Node(source, tag, attributes, parser.CurrentLineNumber)
        (stack[-1].children if stack else roots).append(node)
        stack.append(node)
        if len(stack) > DEEPEST:
            node.wrong(f"nested deeper than {DEEPEST}")

    def entity(name: str, *_: object) -> NoReturn:
        where = f"{source}, line {parser.CurrentLineNumber}"
        raise BadDefinition(where, f"declares an entity {name!r}, which is refused")

    def end(tag: str) -> None:
        stack.pop()

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        why = expat.errors.messages[error.code]
        raise BadDefinition(f"{source}, line {error.lineno}", f"no valid XML: {why}") from None
    return roots[0]
