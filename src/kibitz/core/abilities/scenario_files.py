"""The ability `SCENARIO_FILES`: files of scenarios of a game, and whether they can be played."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec


class ScenarioVerdict(msgspec.Struct, frozen=True):
    """Whether a file can be played, and what is not played of it, or why it cannot."""

    verdict: Literal["plays", "plays in part", "does not play"]
    why: str = ""
    missing: tuple[str, ...] = ()
    """Everything in the file that is not played."""
    rounds: int = 0
    """How many random rounds were played."""


class ScenarioFiles(msgspec.Struct, frozen=True):
    """What the files end with, and a function that judges one: path, lenient, and random rounds to play."""

    endings: tuple[str, ...]
    judge: Callable[[Path, bool, int], ScenarioVerdict]
