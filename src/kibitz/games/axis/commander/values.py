"""What a position is worth: weights of its features, set by hand or learned from games (see `learning`)."""

from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from kibitz.core.errors import BadSource, reason
from kibitz.games.axis.commander.kernels.fights import Counts
from kibitz.games.axis.commander.kernels.positions import FEATURES, NAMES

HAND = {
    "income": 3.0,
    "cities": 0.6,
    "capitals": 0.6,
    "money": 1.0,
    "infantry and artillery": 1.0,
    "tanks": 1.0,
    "aircraft": 1.0,
    "warships": 1.0,
    "transports": 1.0,
    "front": 0.3,
    "threats": 0.2,
    "safety": 0.2,
    "factories": 0.3,
    "victory": 4.0,
}
"""Weights set by hand: IPC at their price, three turns of income, and a guess for what is not counted in IPC."""
LEARNED = Path(__file__).parent / "weights.json"
Value = Literal["learned", "hand"]


class LearnedWeights(msgspec.Struct, frozen=True):
    """Weights with how they were learned."""

    weights: dict[str, float]
    games: int = 0
    positions: int = 0
    loss: float = 0.0
    """The mean loss on games that were held out, in nats; then that of the weights set by hand, and of no weights."""
    by_hand: float = 0.0
    plain: float = 0.0


def weights_of(value: str) -> Counts:
    """The weights by name: `learned`, `hand`, or a file that `kibitz train axis-value` has written."""
    if value == "hand":
        return np.array([HAND[name] for name in NAMES])
    return read_weights(LEARNED if value == "learned" else Path(value)).copy()


@lru_cache(maxsize=8)
def read_weights(path: Path) -> Counts:
    """The weights in a file."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=LearnedWeights).weights
    except (OSError, msgspec.MsgspecError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise BadSource(path, f"no weights of the commander (hand, learned or a file): {why}") from error
    weights = np.array([found.get(name, 0.0) for name in NAMES])
    assert len(weights) == FEATURES
    return weights
