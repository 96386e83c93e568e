"""Tournament formats, which decide who meets whom. A new format is a file here and a line in `FORMATS`."""

from kibitz.arena.formats.fields import GivenFields
from kibitz.arena.formats.format import Format
from kibitz.arena.formats.gauntlet import Gauntlet
from kibitz.arena.formats.ladder import Ladder
from kibitz.arena.formats.round_robin import RoundRobin

FORMATS: dict[str, Format] = {each.name: each for each in (RoundRobin(), Gauntlet(), Ladder(), GivenFields())}

__all__ = ["FORMATS", "Format"]
