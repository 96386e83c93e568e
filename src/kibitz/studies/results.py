"""The results of a study's parts so far, for later parts and for the report."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kibitz.core.errors import UnknownName
from kibitz.core.records import Record, record_from_bytes
from kibitz.store import MatchResult
from kibitz.studies.study import Row, Settings

if TYPE_CHECKING:
    from kibitz.studies.runs import PartRun


class Results:
    """The rows of work and the matches of tournaments, by the name of the part, with the settings and the seed."""

    def __init__(self, settings: Settings, seed: int, runs: "Mapping[str, PartRun]") -> None:
        self.settings, self.seed, self.runs = settings, seed, runs

    def rows(self, part: str) -> list[Row]:
        """The rows of a part that is work, in the order of its cases."""
        return [each.row for each in self._run(part).rows]

    def matches(self, part: str) -> list[MatchResult]:
        """The matches of a part that is a tournament, in the planned order."""
        return sorted(self._run(part).matches, key=lambda result: result.index)

    def records(self, part: str) -> Iterator[tuple[int, Record]]:
        """The whole records of a part that is a tournament, each with its index."""
        run = self._run(part)
        for index, data in run.store.records(run.run.run):
            yield index, record_from_bytes(data, f"match {index} of part {part}")

    def complete(self, *parts: str) -> bool:
        """Whether these parts are done."""
        return all(name in self.runs and self.runs[name].complete for name in parts)

    def _run(self, part: str) -> "PartRun":
        if part not in self.runs:
            raise UnknownName("finished part", part, tuple(self.runs), "(a part can use only earlier parts)")
        return self.runs[part]
