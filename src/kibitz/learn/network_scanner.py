"""Reads network files word by word, so that every error can name its line."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from kibitz.core.errors import BadNetwork, short_repr
from kibitz.learn.networks import Network, Node, Table


class Word(NamedTuple):
    """A word or mark of a file, without quotes, and its line."""

    text: str
    line: int
    quoted: bool = False


class Draft(NamedTuple):
    """A node as a file describes it, not checked yet."""

    name: str
    line: int
    states: tuple[str, ...]
    parents: tuple[str, ...] = ()
    table: Table | None = None


class Scanner:
    """The words of a file, to be taken one by one."""

    def __init__(self, text: str, source: object, pattern: re.Pattern[str]) -> None:
        self.source = source
        self.words = list(self._scan_words(text, pattern))
        self.place = 0
        self.last_line = text.count("\n") + 1

    def _scan_words(self, text: str, pattern: re.Pattern[str]) -> Iterable[Word]:
        position, line = 0, 1
        while position < len(text):
            match = pattern.match(text, position)
            if match is None:
                raise BadNetwork(self.source, f"line {line}: cannot read {short_repr(text[position : position + 12])}")
            if match.lastgroup == "quoted":
                yield Word(match["quoted"][1:-1], line, quoted=True)
            elif match.lastgroup == "word":
                yield Word(match["word"], line)
            line += text.count("\n", position, match.end())
            position = match.end()

    def error(self, why: str) -> BadNetwork:
        """The error for an unexpected next word."""
        if self.place >= len(self.words):
            return BadNetwork(self.source, f"line {self.last_line}: {why}, but the file ends; it may be cut off")
        word = self.words[self.place]
        return BadNetwork(self.source, f"line {word.line}: {why}, found {short_repr(word.text)}")

    def is_at_end(self) -> bool:
        """Whether all words are taken."""
        return self.place >= len(self.words)

    @property
    def line(self) -> int:
        """The line of the next word."""
        return self.last_line if self.is_at_end() else self.words[self.place].line

    def ahead(self, mark: str) -> bool:
        """Whether *mark* comes next."""
        return not self.is_at_end() and self.words[self.place] == Word(mark, self.words[self.place].line)

    def take(self, mark: str) -> bool:
        """Take *mark* if it comes next."""
        found = self.ahead(mark)
        self.place += found
        return found

    def expect(self, mark: str) -> None:
        """Take *mark*, which must come next."""
        if not self.take(mark):
            raise self.error(f"expected {mark!r}")

    def word(self, what: str, marks: str = "(){}[]|=;,") -> str:
        """Take the next word, which may be quoted but may not be a mark."""
        if self.is_at_end() or (not self.words[self.place].quoted and self.words[self.place].text in marks):
            raise self.error(f"expected {what}")
        self.place += 1
        return self.words[self.place - 1].text

    def number(self) -> float:
        """Take the next word, which must be a number."""
        try:
            value = float(self.word("a number"))
        except ValueError:
            self.place -= 1
            raise self.error("expected a number") from None
        return value

    def skip_past(self, mark: str) -> None:
        """Skip to after the next *mark*."""
        while not self.take(mark):
            if self.is_at_end():
                raise self.error(f"expected {mark!r}")
            self.place += 1

    def skip_block(self) -> None:
        """Skip to after a block in braces."""
        self.expect("{")
        depth = 1
        while depth:
            if self.is_at_end():
                raise self.error("expected '}'")
            depth += self.ahead("{") - self.ahead("}")
            self.place += 1


def assemble_network(drafts: Sequence[Draft], name: str, source: object) -> Network:
    """The network of the drafts; errors name the line of the draft."""
    lines = {draft.name: draft.line for draft in drafts}
    for draft in drafts:
        if draft.table is None:
            raise BadNetwork(source, f"line {draft.line}: node {draft.name!r} has no table of probabilities")
    nodes = [Node(d.name, d.states, d.parents, d.table) for d in drafts if d.table is not None]
    try:
        Network(nodes, name)
    except BadNetwork as error:
        about = re.search(r"node '([^']*)'", error.message)
        line = f"line {lines[about[1]]}: " if about and about[1] in lines else ""
        raise BadNetwork(source, line + error.message.removeprefix(f"{name}: ")) from None
    return Network([exactly_one(node) for node in nodes], name)


def exactly_one(node: Node) -> Node:
    """A node read from a file; rows that were rounded in the file are rescaled to add up to 1."""
    sums = node.table.sum(axis=-1, keepdims=True)
    return node._replace(table=np.where(np.abs(sums - 1.0) > 1e-12, node.table / sums, node.table))


def checked_names(network: Network, allowed: Callable[[str], bool], kind: str) -> None:
    """Require names of nodes that a format can hold."""
    for name in network.nodes:
        if not allowed(name):
            raise BadNetwork(network.name, f"{kind} files cannot hold a node called {short_repr(name)}; rename it")
