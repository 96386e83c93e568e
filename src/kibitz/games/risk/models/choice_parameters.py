"""The parameters of the choice model, and the file that stores them."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadProgram
from kibitz.core.files import changed_at, read_versioned, write_file
from kibitz.games.risk.models.arrays import Floats
from kibitz.games.risk.models.certainty import CERTAINTY
from kibitz.games.risk.models.evidence import EVIDENCE, WAYS, Traits
from kibitz.games.risk.models.order_features import ABOUT_MISSION, FEATURES, FREE
from kibitz.games.risk.models.orders import KINDS, Habits
from kibitz.games.risk.models.progress import STANDING

FORMAT, VERSION = "kibitz risk choice", 6
CARD_FEATURES = STANDING + EVIDENCE
ASPECTS = 3
"""Every feature of cards counts plainly, times the age of the game, and times how strongly the card is followed."""
DATA = Path(__file__).parent.parent / "data"


class ChoiceParameters(msgspec.Struct, frozen=True):
    """What is learned: how a population chooses orders, how its players differ, and how evidence scores cards."""

    orders: list[list[float]]
    """For every kind of order, the weights of its features."""
    other_ways: list[list[list[float]]]
    """The weights of features about a mission for players who follow it in another way: by the way and the kind."""
    spreads: list[list[float]]
    """How much the weights of features that are about no mission differ between players: standard deviations."""
    cards: list[float]
    """The weights of progress and evidence, then of the same times each of the other aspects."""
    certainty: list[float]
    """The weights of the signs that say how much all of this counts."""
    habits: Habits = Habits()
    traits: Traits = Traits()
    made: dict[str, Any] = {}

    @classmethod
    def blank(cls) -> "ChoiceParameters":
        """The parameters before training."""
        kinds = range(len(KINDS))
        orders, spreads = [[0.0] * len(FEATURES) for _ in kinds], [[1.0] * (len(FEATURES) - FREE) for _ in kinds]
        other_ways = [[[0.0] * FREE for _ in kinds] for _ in range(WAYS - 1)]
        return cls(orders, other_ways, spreads, [0.0] * (ASPECTS * len(CARD_FEATURES)), [0.0] * len(CERTAINTY))

    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """The weights of orders, their spreads, and the weights of cards."""
        return np.array(self.orders), np.array(self.spreads), np.array(self.cards)


class _ParameterFile(msgspec.Struct, frozen=True):
    """The same as JSON holds it: weights by their names, so that a file says what it is about."""

    format: str
    version: int
    orders: list[dict[str, float]]
    other_ways: list[list[dict[str, float]]]
    spreads: list[dict[str, float]]
    cards: dict[str, tuple[float, ...]]
    certainty: dict[str, float]
    habits: Habits
    traits: Traits
    made: dict[str, Any] = {}


def write_parameters(found: ChoiceParameters, path: Path | str) -> None:
    """Write what was learned."""
    aspects = np.array(found.cards).reshape(ASPECTS, -1).T.tolist()
    kept = _ParameterFile(
        FORMAT,
        VERSION,
        [dict(zip(FEATURES, row, strict=True)) for row in found.orders],
        [[dict(zip(ABOUT_MISSION, row, strict=True)) for row in way] for way in found.other_ways],
        [dict(zip(FEATURES[FREE:], row, strict=True)) for row in found.spreads],
        dict(zip(CARD_FEATURES, map(tuple, aspects), strict=True)),
        dict(zip(CERTAINTY, found.certainty, strict=True)),
        found.habits,
        found.traits,
        found.made,
    )
    write_file(path, msgspec.json.format(msgspec.json.encode(kept), indent=1).decode() + "\n")


def read_parameters(path: Path | str) -> ChoiceParameters:
    """What a file holds, checked; a file that did not change is read once."""
    return _read(str(path), changed_at(path, BadProgram, "train some first"))


@lru_cache(maxsize=8)
def _read(path: str, changed: int) -> ChoiceParameters:
    kept = read_versioned(path, _ParameterFile, (FORMAT, VERSION), BadProgram, "parameters of risk.choice")
    known = [[[set(row) for row in rows] for rows in (kept.orders, kept.spreads, *kept.other_ways)], set(kept.cards)]
    names = (FEATURES, FEATURES[FREE:], *[ABOUT_MISSION] * (WAYS - 1))
    if (
        known != [[[set(each)] * len(KINDS) for each in names], set(CARD_FEATURES)]
        or {len(row) for row in kept.cards.values()} != {ASPECTS}
        or set(kept.certainty) != set(CERTAINTY)
        or not kept.traits.is_valid()
    ):
        raise BadProgram(path, "its features are not those of this version; train it again")
    return ChoiceParameters(
        [[row[name] for name in FEATURES] for row in kept.orders],
        [[[row[name] for name in ABOUT_MISSION] for row in way] for way in kept.other_ways],
        [[row[name] for name in FEATURES[FREE:]] for row in kept.spreads],
        [kept.cards[name][aspect] for aspect in range(ASPECTS) for name in CARD_FEATURES],
        [kept.certainty[name] for name in CERTAINTY],
        kept.habits,
        kept.traits,
        kept.made,
    )
