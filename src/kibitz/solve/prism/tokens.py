"""The words of a PRISM model or property, each with its line and column."""

import re
from typing import NamedTuple

from kibitz.core.errors import BadGame, short_repr

PATTERN = re.compile(
    r"""(?P<space>[ \t\r\n]+|//[^\n]*|\#[a-z]+\#[^\n]*)
    |(?P<number>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+(?!\.\d))
    |(?P<name>[A-Za-z_]\w*)
    |(?P<text>"[^"\n]*")
    |(?P<sign><=>|<<|>>|->|=>|\.\.|!=|<=|>=|=\?|[-+*/=<>()\[\]{},;:?!&|'^])
    """,
    re.VERBOSE,
)
END = "end of file"


class Token(NamedTuple):
    """A word of a file: a number, a name, a quoted text, a sign, or the end."""

    kind: str
    text: str
    line: int
    column: int

    @property
    def words(self) -> str:
        """What a message calls it."""
        return "the end of the file" if self.kind == END else short_repr(self.text)


def tokens_of(text: str, source: str) -> list[Token]:
    """All words of a text, with the end as the last."""
    found: list[Token] = []
    line, start, place = 1, 0, 0
    while place < len(text):
        match = PATTERN.match(text, place)
        if match is None:
            raise error_at(
                source, Token("sign", text[place], line, place - start + 1), f"{text[place]!r} has no meaning here"
            )
        kind, word = str(match.lastgroup), match.group()
        if kind != "space":
            found.append(Token(kind, word, line, place - start + 1))
        if "\n" in word:
            line += word.count("\n")
            start = place + word.rindex("\n") + 1
        place = match.end()
    found.append(Token(END, "", line, place - start + 1))
    return found


def error_at(source: str, token: Token, why: str) -> BadGame:
    """The error for a word of a file."""
    return BadGame(f"{source}:{token.line}:{token.column}", why)


class Words:
    """The words of a file, read one after another."""

    def __init__(self, text: str, source: str) -> None:
        self.source, self.tokens, self.place = source, tokens_of(text, source), 0

    @property
    def next(self) -> Token:
        """The next word."""
        return self.tokens[self.place]

    def ahead(self, steps: int) -> Token:
        """The word some steps after the next."""
        return self.tokens[min(self.place + steps, len(self.tokens) - 1)]

    def take(self) -> Token:
        """The next word, which is read."""
        token = self.next
        self.place = min(self.place + 1, len(self.tokens) - 1)
        return token

    def sees(self, *texts: str) -> bool:
        """Whether the next word is one of these signs or names."""
        return self.next.text in texts and self.next.kind in ("sign", "name")

    def skip(self, *texts: str) -> bool:
        """Read the next word if it is one of these."""
        if not self.sees(*texts):
            return False
        self.take()
        return True

    def expect(self, text: str, after: str = "") -> Token:
        """Read the next word, which must be this one."""
        if not self.sees(text):
            raise self.error(f"expected {text!r}{f' {after}' if after else ''}, not {self.next.words}")
        return self.take()

    def expect_name(self, what: str) -> Token:
        """Read the next word, which must be a name."""
        if self.next.kind != "name":
            raise self.error(f"expected {what}, not {self.next.words}")
        return self.take()

    def expect_text(self, what: str) -> str:
        """Read the next word, which must be in quotation marks."""
        if self.next.kind != "text":
            raise self.error(f"expected {what} in quotation marks, not {self.next.words}")
        return self.take().text[1:-1]

    def error(self, why: str, token: Token | None = None) -> BadGame:
        """The error for the next word, or for another."""
        return error_at(self.source, token or self.next, why)
