"""Matches that other programs kept: the ability `IMPORT` is an `Importer`, and `kibitz import` runs it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

from kibitz.core.records import Record
from kibitz.core.specs import Specified


class Skipped(msgspec.Struct, frozen=True):
    """A line of a file that had no effect, and was counted instead."""

    line: int
    text: str


class Imported(msgspec.Struct, frozen=True):
    """A match found in a file."""

    record: Record
    names: tuple[str, ...]
    """The players as the file names them."""
    path: Path
    line: int
    """Where it begins."""
    identity: str
    """The same for two copies of one match."""
    skipped: tuple[Skipped, ...] = ()


class Importer(Specified, ABC):
    """Reads and writes the files of another program; its parameters are what the files do not say."""

    form: ClassVar[str]
    """What the files are called: the name of the program."""

    @abstractmethod
    def matches(self, path: Path) -> Iterator[Imported]:
        """The matches of a file in their order; raises BadRecord with the line where it cannot be right."""

    @abstractmethod
    def text(self, record: Record) -> str:
        """A record as such a file; raises BadSpec where the other program does not know its rules."""
