"""The ability `IMPORT`: an `Importer` reads matches that another program recorded; `kibitz import` runs it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import msgspec

from kibitz.core.records import Record
from kibitz.core.registry.specs import Configurable


class SkippedLine(msgspec.Struct, frozen=True):
    """A line of a file that had no effect and was skipped."""

    line: int
    text: str


class ImportedMatch(msgspec.Struct, frozen=True, dict=True):
    """A match found in a file; it is replayed only when its record is asked for."""

    read: Callable[[], tuple[Record, tuple[SkippedLine, ...]]]
    """Returns its record and the lines that had no effect; raises BadRecord with the line of an error."""
    names: tuple[str, ...]
    """The players as the file names them."""
    path: Path
    line: int
    """The line where it begins."""
    identity: str
    """A key that is equal for two copies of one match."""

    @cached_property
    def read_result(self) -> tuple[Record, tuple[SkippedLine, ...]]:
        """The result of `read`, cached."""
        return self.read()

    @property
    def record(self) -> Record:
        """The match as a kibitz record."""
        return self.read_result[0]

    @property
    def skipped_lines(self) -> tuple[SkippedLine, ...]:
        """Lines without effect."""
        return self.read_result[1]


class Importer(Configurable, ABC):
    """Reads the files of another program; its parameters hold what the files leave out."""

    form: ClassVar[str]
    """The name of the format: that of the program."""

    @abstractmethod
    def matches(self, path: Path) -> Iterator[ImportedMatch]:
        """The matches of a file in order; raises BadRecord with the line of an error."""
