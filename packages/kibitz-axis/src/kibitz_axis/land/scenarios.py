"""Scenarios by name or file: those that come with the game, and TOML files."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from kibitz.core.errors import UnknownName
from kibitz_axis.land.board import Board
from kibitz_axis.units import Unit

FOLDER = Path(__file__).parent / "data"
SCENARIOS: Mapping[str, Path] = {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}
"""The scenarios that come with the game, by name."""


def load(scenario: str) -> Board:
    """The board of a land scenario: a name, or the path of a `.toml` file."""
    path = scenario_path(scenario)
    return _read(path, time_of_change(path))


def scenario_units(scenario: str) -> tuple[Unit, ...]:
    """The units that may be written in a land scenario, whether any stand on its board or not."""
    path = scenario_path(scenario)
    return _read_units(path, time_of_change(path))


def scenario_path(scenario: str) -> Path:
    """The file of a scenario: of a name, or the path of a file."""
    path = SCENARIOS.get(scenario, Path(scenario))
    if path.suffix != ".toml":
        raise UnknownName("scenario", scenario, tuple(SCENARIOS), "(or a file: .toml, or a TripleA map, .xml)")
    return path


def time_of_change(path: Path) -> int:
    """When a file was last changed; 0 where there is none."""
    return path.stat().st_mtime_ns if path.is_file() else 0


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Board:
    """The board of a file, read again when the file has *changed*."""
    from kibitz_axis.land.scenario_file import read_scenario

    return read_scenario(path)


@lru_cache(maxsize=16)
def _read_units(path: Path, changed: int) -> tuple[Unit, ...]:
    """The units of a file as it was when it was last *changed*."""
    from kibitz_axis.land.scenario_file import read_units

    return read_units(path)
