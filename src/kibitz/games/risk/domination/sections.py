"""Reads lines of `.map` and `.cards` files: comments, sections, and numbers within bounds."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from kibitz.core.errors import BadDefinition
from kibitz.core.files import LARGEST_DEFINITION, read_text
from kibitz.core.wording import count_words


class Line(msgspec.Struct, frozen=True):
    """A line that is not empty, and its place."""

    path: Path
    number: int
    section: str
    """Empty before the first section."""
    text: str

    @property
    def words(self) -> list[str]:
        return self.text.split()

    def wrong(self, why: str) -> BadDefinition:
        """The error that names this line."""
        return BadDefinition(self.path, why, self.number)

    def whole(self, word: str, what: str, least: int, most: int | None = None) -> int:
        """A number within its bounds."""
        if not (word.isascii() and word.removeprefix("-").isdigit()) or len(word) > 9:
            raise self.wrong(f"{what} is a whole number, not {word[:40]!r}")
        if int(word) < least or (most is not None and int(word) > most):
            bounds = f"from {least} to {most}" if most is not None else f"{least} or more"
            raise self.wrong(f"{what} is {bounds}, not {word}")
        return int(word)

    def expect_words(self, count: int, form: str) -> list[str]:
        """The words of a line that must have *count* of them."""
        if len(self.words) != count:
            raise self.wrong(f"{count_words(len(self.words), 'word', 'words')} where {form!r} belongs")
        return self.words


def lines_of(path: Path, sections: tuple[str, ...]) -> Iterator[Line]:
    """The lines that are neither comments nor empty; raises where a section is none of *sections*."""
    section = ""
    text = read_text(path, BadDefinition, largest=LARGEST_DEFINITION)
    for number, raw in enumerate(text.splitlines(), 1):
        stripped = raw.strip()
        if not stripped or stripped.startswith(";"):
            continue
        line = Line(path, number, section, stripped)
        if stripped.startswith("["):
            section = stripped.removeprefix("[").removesuffix("]")
            if section not in sections:
                raise line.wrong(f"no section is called {stripped!r}; there are {', '.join(sections)}")
            continue
        yield line
