"""Scenarios by name or file: those that come with the game, TOML files, and TripleA maps."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from kibitz.core.errors import UnknownName
from kibitz.games.axis.board import Board

FOLDER = Path(__file__).parent / "data"
SCENARIOS: Mapping[str, Path] = {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}
"""The scenarios that come with the game, by name."""


def load(scenario: str) -> Board:
    """The board of a scenario: a name, or the path of a `.toml` or `.xml` file."""
    path = SCENARIOS.get(scenario, Path(scenario))
    if path.suffix not in (".toml", ".xml"):
        raise UnknownName("scenario", scenario, tuple(SCENARIOS), "(or a file: .toml, or a TripleA map, .xml)")
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    return _read(path, changed)


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Board:
    """The board of a file, read again when the file has *changed*."""
    if path.suffix == ".xml":
        from kibitz.games.axis.triplea import read_map

        return read_map(path)
    from kibitz.games.axis.scenario_file import read_scenario

    return read_scenario(path)
