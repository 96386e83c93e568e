"""The parameters of the choice model, and the file that stores them."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadProgram
from kibitz.core.files import changed_at, read_versioned, write_file
from kibitz.games.risk.models.arrays import Floats
from kibitz.games.risk.models.evidence import EVIDENCE
from kibitz.games.risk.models.order_features import FEATURES, FREE
from kibitz.games.risk.models.orders import KINDS, Habits
from kibitz.games.risk.models.progress import STANDING

FORMAT, VERSION = "kibitz risk choice", 1
CARD_FEATURES = STANDING + EVIDENCE
DATA = Path(__file__).parent.parent / "data"


class ChoiceParameters(msgspec.Struct, frozen=True):
    """What is learned: how orders are chosen, with a mission and without, and how evidence scores cards."""

    orders: list[list[float]]
    """For every kind of order, the weights of its features."""
    free: list[list[float]]
    """The weights of features that are about no mission, for a player who follows none."""
    cards: list[float]
    """The weights of progress and evidence, and then of the same times the age of the game."""
    habits: Habits = Habits()
    made: dict[str, Any] = {}

    @classmethod
    def blank(cls) -> "ChoiceParameters":
        """The parameters before training."""
        kinds = range(len(KINDS))
        orders, free = [[0.0] * len(FEATURES) for _ in kinds], [[0.0] * (len(FEATURES) - FREE) for _ in kinds]
        return cls(orders, free, [0.0] * (2 * len(CARD_FEATURES)))

    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """The weights of orders, of orders without a mission, and of cards."""
        return np.array(self.orders), np.array(self.free), np.array(self.cards)


class _ParameterFile(msgspec.Struct, frozen=True):
    """The same as JSON holds it: weights by their names, so that a file says what it is about."""

    format: str
    version: int
    orders: list[dict[str, float]]
    free: list[dict[str, float]]
    cards: dict[str, tuple[float, float]]
    habits: Habits
    made: dict[str, Any] = {}


def write_parameters(found: ChoiceParameters, path: Path | str) -> None:
    """Write what was learned."""
    half = len(CARD_FEATURES)
    kept = _ParameterFile(
        FORMAT,
        VERSION,
        [dict(zip(FEATURES, row, strict=True)) for row in found.orders],
        [dict(zip(FEATURES[FREE:], row, strict=True)) for row in found.free],
        dict(zip(CARD_FEATURES, zip(found.cards[:half], found.cards[half:], strict=True), strict=True)),
        found.habits,
        found.made,
    )
    write_file(path, msgspec.json.format(msgspec.json.encode(kept), indent=1).decode() + "\n")


def read_parameters(path: Path | str) -> ChoiceParameters:
    """What a file holds, checked; a file that did not change is read once."""
    return _read(str(path), changed_at(path, BadProgram, "train some first"))


@lru_cache(maxsize=8)
def _read(path: str, changed: int) -> ChoiceParameters:
    kept = read_versioned(path, _ParameterFile, (FORMAT, VERSION), BadProgram, "parameters of risk.choice")
    known = [[set(row) for row in kept.orders], [set(row) for row in kept.free], set(kept.cards)]
    if known != [[set(FEATURES)] * len(KINDS), [set(FEATURES[FREE:])] * len(KINDS), set(CARD_FEATURES)]:
        raise BadProgram(path, "its features are not those of this version; train it again")
    pairs = [kept.cards[name] for name in CARD_FEATURES]
    return ChoiceParameters(
        [[row[name] for name in FEATURES] for row in kept.orders],
        [[row[name] for name in FEATURES[FREE:]] for row in kept.free],
        [early for early, _ in pairs] + [late for _, late in pairs],
        kept.habits,
        kept.made,
    )
