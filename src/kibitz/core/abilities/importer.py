"""Matches that other programs kept: the ability `IMPORT` is an `Importer`, and `kibitz import` runs it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import msgspec

from kibitz.core.records import Record
from kibitz.core.registry.specs import Configurable


class SkippedLine(msgspec.Struct, frozen=True):
    """A line of a file that had no effect, and was counted instead."""

    line: int
    text: str


class ImportedMatch(msgspec.Struct, frozen=True, dict=True):
    """A match found in a file; it is played again only when somebody asks for its record."""

    read: Callable[[], tuple[Record, tuple[SkippedLine, ...]]]
    """Its record, and the lines that had no effect; raises BadRecord with the line where it cannot be right."""
    names: tuple[str, ...]
    """The players as the file names them."""
    path: Path
    line: int
    """Where it begins."""
    identity: str
    """The same for two copies of one match."""

    @cached_property
    def read_result(self) -> tuple[Record, tuple[SkippedLine, ...]]:
        """What `read` answers."""
        return self.read()

    @property
    def record(self) -> Record:
        """The match as a record of ours."""
        return self.read_result[0]

    @property
    def skipped_lines(self) -> tuple[SkippedLine, ...]:
        """Lines without effect."""
        return self.read_result[1]


class Importer(Configurable, ABC):
    """Reads and writes the files of another program; its parameters are what the files do not say."""

    form: ClassVar[str]
    """What the files are called: the name of the program."""

    @abstractmethod
    def matches(self, path: Path) -> Iterator[ImportedMatch]:
        """The matches of a file in their order; raises BadRecord with the line where it cannot be right."""

    @abstractmethod
    def text(self, record: Record) -> str:
        """A record as such a file; raises BadSpec where the other program does not know its rules."""
