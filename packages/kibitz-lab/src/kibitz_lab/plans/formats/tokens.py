"""The words and lines of kibitz's own text forms, to be taken one by one."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from kibitz.core.errors import BadPlan, short_repr

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+|\#.*) | "(?P<quoted>(?:\\.|[^"\\])*)" | (?P<mark>->|[,:<|()\[\]!=])
      | (?P<word>(?:(?!->)[^\s,:<>|()\[\]!="\#])+)""",
    re.VERBOSE,
)
ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
"""How special characters are written within quotes."""
UNESCAPES = {written: sign for sign, written in ESCAPES.items()}


class Word(NamedTuple):
    """A word, a quoted text or a mark."""

    text: str
    kind: str


class Line:
    """The words of a statement, to be taken one by one."""

    def __init__(self, source: object, number: int, words: list[Word]) -> None:
        self.source, self.number, self.words, self.place = source, number, words, 0

    def error(self, why: str) -> BadPlan:
        return BadPlan(self.source, why, self.number)

    def ahead(self, mark: str) -> bool:
        """Whether a mark comes next."""
        return self.place < len(self.words) and self.words[self.place] == Word(mark, "mark")

    def take(self, mark: str) -> bool:
        """Take a mark if it comes next."""
        found = self.ahead(mark)
        self.place += found
        return found

    def is_at_end(self) -> bool:
        return self.place >= len(self.words)

    def expected_error(self, what: str) -> BadPlan:
        """The error for an unexpected next word."""
        found = "the line ends" if self.is_at_end() else f"found {short_repr(self.words[self.place].text)}"
        return self.error(f"expected {what}, but {found}")

    def is_name(self) -> bool:
        return not self.is_at_end() and self.words[self.place].kind != "mark"

    def name(self, what: str) -> str:
        """Take a name, which may be quoted."""
        if not self.is_name() or not self.words[self.place].text:
            raise self.expected_error(what)
        self.place += 1
        return self.words[self.place - 1].text

    def value(self) -> str:
        """Take a value, which may be quoted and empty."""
        if not self.is_name():
            raise self.expected_error("a value")
        self.place += 1
        return self.words[self.place - 1].text

    def title(self) -> str:
        """Take a quoted text if one comes next."""
        if self.is_at_end() or self.words[self.place].kind != "quoted":
            return ""
        return self.name("a title")

    def number_in(self, opening: str, closing: str) -> float | None:
        """Take a number in brackets if one comes next."""
        if not self.take(opening):
            return None
        value = self.quantity("a number in brackets")
        if not self.take(closing):
            raise self.expected_error(repr(closing))
        return value

    def quantity(self, what: str) -> float:
        """Take a number."""
        text = self.name(what)
        try:
            return float(text)
        except ValueError:
            raise self.error(f"expected {what}, but found {short_repr(text)}") from None

    def names_in_brackets(self) -> list[str] | None:
        """Take names in brackets if they come next."""
        if not self.take("("):
            return None
        found: list[str] = []
        while not self.take(")"):
            if found and not self.take(","):
                raise self.expected_error("',' or ')'")
            found.append(self.name("a parameter"))
        return found

    def end(self) -> None:
        if not self.is_at_end():
            raise self.expected_error("nothing more")


def lines(text: str, source: object, first: int = 1) -> Iterator[Line]:
    """The statements of a text, whose first line has the number *first*; an indented line continues the one before."""
    pending: Line | None = None
    for number, raw in enumerate(text.split("\n"), first):
        words = list(_words(raw, source, number))
        if not words:
            continue
        if raw[0] in " \t" and pending is not None:
            pending.words += words
            continue
        if pending is not None:
            yield pending
        pending = Line(source, number, words)
    if pending is not None:
        yield pending


def _words(raw: str, source: object, number: int) -> Iterator[Word]:
    place = 0
    while place < len(raw):
        match = TOKEN.match(raw, place)
        if match is None:
            raise BadPlan(source, f"cannot read {short_repr(raw[place : place + 12])}", number)
        if match.lastgroup != "space":
            assert match.lastgroup is not None
            text = match[match.lastgroup]
            if match.lastgroup == "quoted":
                text = re.sub(r"\\.", lambda sign: UNESCAPES.get(sign[0], sign[0]), text)
            yield Word(text, match.lastgroup)
        place = match.end()
