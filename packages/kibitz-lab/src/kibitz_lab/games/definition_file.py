"""TOML files that people write, such as scenarios or boards; errors name the file and line."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self, TypeVar

from kibitz.core.errors import BadDefinition, advice
from kibitz.core.files import read_text
from kibitz.core.specs import Misfit, convert_value

LARGEST = 1 << 20
"""Largest definition file, in bytes."""
KEY = r'(?:"[^"]*"|\'[^\']*\'|[\w-]+)'
KEYS = re.compile(rf"{KEY}(?:\s*\.\s*{KEY})*")
HEADER = re.compile(rf"\s*\[\[?\s*({KEYS.pattern})\s*\]\]?")
ENTRY = re.compile(rf"\s*({KEYS.pattern})\s*=")
Made = TypeVar("Made")


class DefinitionFile:
    """One file with its text, which gives the lines of errors."""

    def __init__(self, path: Path | str, text: str) -> None:
        self.path, self.text = path, text
        self.lines = key_lines(text)

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """The file at *path*."""
        return cls(path, definition_text(path))

    def tables(self) -> dict[str, Any]:
        """The tables of the file."""
        return toml_tables(self.path, self.text)

    def wrong(self, why: str, *keys: str) -> BadDefinition:
        """An error at a key, with the line of the key or of its table."""
        while keys and keys not in self.lines:
            keys = keys[:-1]
        where = f"{self.path}, line {self.lines[keys]}" if keys else str(self.path)
        return BadDefinition(where, why)

    def convert_table(self, table: object, kind: type[Made], *keys: str) -> Made:
        """A table converted to *kind*."""

        def blame(found: Misfit) -> BadDefinition:
            return self.wrong(str(found), *map(str, found.keys))

        return convert_value(table, kind, blame, *keys)

    def place(self, name: str, known: Iterable[str], what: str, *keys: str) -> int:
        """The index of *name* in *known*."""
        names = list(known)
        if name in names:
            return names.index(name)
        raise self.wrong(f"{'.'.join(keys)}: there is no {what} {name!r}; {advice(name, names)}", *keys)


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of every key and table of a TOML file, the first one if a key occurs twice.

    >>> key_lines('turns = 2\\n[areas]\\n"New Guinea".value = 1')[("areas", "New Guinea", "value")]
    3
    """
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.match(line):
            table = keys = parts(header[1])
        elif entry := ENTRY.match(line):
            keys = (*table, *parts(entry[1]))
        else:
            continue
        for length in range(1, len(keys) + 1):
            found.setdefault(keys[:length], number)
    return found


def parts(keys: str) -> tuple[str, ...]:
    """The parts of a dotted key."""
    return tuple(part.strip().strip("\"'") for part in re.findall(KEY, keys))


def definition_text(path: Path | str) -> str:
    """The text of a definition file; raises BadDefinition if it cannot be read."""
    return read_text(path, BadDefinition, largest=LARGEST, latin=False)


def toml_tables(path: Path | str, text: str) -> dict[str, Any]:
    """The tables of a TOML file with this text; raises BadDefinition if it is not valid TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadDefinition(path, f"not valid TOML: {error}") from None
    except RecursionError:
        raise BadDefinition(path, "not valid TOML: nested too deeply") from None
