"""Templates of TripleA's map files: lists of names, and what is repeated for every name: attachments, steps."""

import re
from collections.abc import Iterator

from kibitz.core.errors import short_repr
from kibitz.games.axis.xml_nodes import Node

MOST_COPIES = 100_000
"""The most attachments that templates may make of a file."""
USE = re.compile(r"\$([^$\s]+)\$")
HOLE = re.compile(r"@([^@\s]+)@")


def expand_templates(root: Node) -> Node:
    """The file with its templates written out; everything else is left as it is."""
    variables = _variables(root)
    made = 0
    for each in root.children:
        if each.tag not in ("attachmentList", "attatchmentList"):
            continue
        written: list[Node] = []
        for node in each.children:
            for values in _repetitions(node, variables):
                copied = _with_values(node, values, variables)
                made += 1
                if made > MOST_COPIES:
                    node.wrong(f"templates make more than {MOST_COPIES:,} attachments")
                written.append(copied)
        each.children = written
    for sequence in root.all("gamePlay", "sequence"):
        sequence.children = [step for node in sequence.children for step in _repeated_steps(node, variables)]
    return root


def _repeated_steps(node: Node, variables: dict[str, tuple[str, ...]]) -> Iterator[Node]:
    """A step of a round, or those of a `forEach` for every name of its list."""
    if node.tag.lower() != "foreach":
        yield node
        return
    for values in _repetitions(node, variables, "variable"):
        for step in node.children:
            yield _with_values(step, values, variables)


def _variables(root: Node) -> dict[str, tuple[str, ...]]:
    """The lists of names; an element that names another list stands for all of its elements."""
    nodes = {node.get("name"): node for node in root.all("variableList", "variable")}
    found: dict[str, tuple[str, ...]] = {}

    def elements(name: str, within: tuple[str, ...]) -> tuple[str, ...]:
        if name in within:
            nodes[name].wrong(f"the list {short_repr(name)} contains itself")
        if name not in found:
            told: list[str] = []
            for element in nodes[name].all("element"):
                use = USE.fullmatch(element.get("name"))
                named = use[1] if use is not None else None
                told += elements(named, (*within, name)) if named in nodes else [element.get("name")]
                if len(told) > MOST_COPIES:
                    element.wrong(f"a list of more than {MOST_COPIES:,} names")
            found[name] = tuple(told)
        return found[name]

    for name in nodes:
        elements(name, ())
    return found


def _repetitions(
    node: Node, variables: dict[str, tuple[str, ...]], attribute: str = "foreach"
) -> Iterator[dict[str, str]]:
    """What stands for `@name@` in each copy: lists joined by `:` go together, `^` nests a second group."""
    text = node.attributes.get(attribute, "").strip()
    if not text:
        yield {}
        return
    groups = [list(_steps(node, group, variables)) for group in text.split("^")]
    if len(groups) > 2:
        node.wrong(f"foreach {short_repr(text)} nests more than once")
    for first in groups[0]:
        for second in groups[1] if len(groups) == 2 else [{}]:
            yield {**first, **second}


def _steps(node: Node, group: str, variables: dict[str, tuple[str, ...]]) -> Iterator[dict[str, str]]:
    names = [part.strip().strip("$") for part in group.split(":") if part.strip()]
    for name in names:
        if name not in variables:
            node.wrong(f"foreach names the list {short_repr(name)}, and there is none")
    if len({len(variables[name]) for name in names}) > 1:
        node.wrong(f"foreach {short_repr(group)} walks lists of different lengths together")
    for row in zip(*(variables[name] for name in names), strict=True):
        yield dict(zip(names, row, strict=True))


def _with_values(node: Node, values: dict[str, str], variables: dict[str, tuple[str, ...]]) -> Node:
    """A copy of an attachment with names in place of its holes; options whose list is empty are left out."""

    def fill(text: str) -> str:
        text = HOLE.sub(lambda hole: values.get(hole[1], hole[0]), text)
        return USE.sub(lambda use: ":".join(variables[use[1]]) if use[1] in variables else use[0], text)

    attributes = {name: fill(text) for name, text in node.attributes.items() if name != "foreach"}
    copied = Node(node.source, node.tag, attributes, node.line)
    for child in node.children:
        used = [name for text in child.attributes.values() for name in USE.findall(text) if name in variables]
        if any(not variables[name] for name in used):
            continue
        below = Node(child.source, child.tag, {name: fill(t) for name, t in child.attributes.items()}, child.line)
        below.children = child.children
        copied.children.append(below)
    return copied
