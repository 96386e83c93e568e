"""The ability IMPORT: logs of Domination as records."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

from kibitz.core.abilities.importer import ImportedMatch, Importer, SkippedLine
from kibitz.core.records import Record
from kibitz.games.risk.domination.follower import Missions, follow
from kibitz.games.risk.domination.log import LoggedGame, read_log


class Domination(Importer):
    """Logs of Domination. *missions*: the deck; auto takes one of continents only where the log allows it.

    *maps* is the folder of the maps that logs name; maps beside the log are found without it.
    """

    form: ClassVar[str] = "domination"

    def __init__(self, missions: Missions = "auto", maps: str | None = None) -> None:
        self.missions, self.maps = missions, maps

    def matches(self, path: Path) -> Iterator[ImportedMatch]:
        folder = Path(self.maps) if self.maps is not None else None
        for logged in read_log(path):
            names = tuple(seat.name for seat in logged.seats)
            identity = " ".join((*names, *logged.identity))
            yield ImportedMatch(partial(self.read, logged, folder), names, path, logged.line, identity)

    def read(self, logged: LoggedGame, folder: Path | None) -> tuple[Record, tuple[SkippedLine, ...]]:
        """The record of a logged game, and the commands that were rejected."""
        followed = follow(logged, self.missions, folder)
        return followed.record(), followed.rejected
