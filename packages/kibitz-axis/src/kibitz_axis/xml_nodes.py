"""Reads XML as nodes that know their lines. It fetches no document type, and refuses a file's own entities."""

from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from kibitz.core.errors import BadDefinition, short_repr
from kibitz.core.files import read_text

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
