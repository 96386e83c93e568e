"""Elements of TripleA's game XML by name, and names that must mean one of them."""

from kibitz.core.errors import advice, short_repr
from kibitz.games.axis.xml_nodes import Node

MEANT = {"t1": "territory", "t2": "territory", "unitType": "unit", "owner": "player"}
"""What an attribute names where its own name says something else."""


def required_elements(root: Node, *tags: str, lenient: bool = False) -> dict[str, Node]:
    """Elements by name; there must be at least one, and no two of a name unless the reader is *lenient*."""
    nodes = root.all(*tags)
    found = {node.get("name"): node for node in nodes} if lenient else unique(nodes, "name")
    if not found:
        root.wrong(f"there is no {''.join(f'<{tag}>' for tag in tags)} in it; is it a TripleA map?")
    return found


def unique(nodes: list[Node], name: str) -> dict[str, Node]:
    """Elements by a name that no two of them may share."""
    found: dict[str, Node] = {}
    for node in nodes:
        if found.setdefault(node.get(name), node) is not node:
            node.wrong(f"<{node.tag}> {node.get(name)!r} stands twice")
    return found


def known_name(node: Node, attribute: str, names: dict[str, Node], what: str = "") -> str:
    """An attribute that must name something that exists; *what* that is, unless the attribute says it."""
    name = node.get(attribute)
    if name not in names:
        node.wrong(
            f"there is no {what or MEANT.get(attribute, attribute)} {short_repr(name, 40)}; {advice(name, names)}"
        )
    return name
