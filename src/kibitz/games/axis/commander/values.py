"""What a position is worth: weights of its features, set by hand or learned from games (see `learning`)."""

from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from kibitz.core.errors import BadSource, reason
from kibitz.games.axis.commander.kernels.dangers import EVERY, MASS, MASS_ALONE, NONE
from kibitz.games.axis.commander.kernels.fights import Counts
from kibitz.games.axis.commander.kernels.positions import DANGERS, NAMES, VICTORY

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
    "threats to the next mover": 0.2,
    "safety of the next mover": 0.2,
}
"""Weights set by hand: IPC at their price, three turns of income, and a guess for what is not counted in IPC."""
SHARES = ((1.0,), (0.7, 0.3), (0.6, 0.2, 0.2))
"""How much each position counts that is looked at, one, two or three turns ahead. In games of the players, what both
sides own some rounds later is predicted best if the expected position after the answers counts for 3 of 10: it is less
sure than the one after the own turn."""
LEARNED = Path(__file__).parent / "weights.json"


class LearnedTerm(msgspec.Struct, frozen=True):
    """How much of a term is worth counting, and what each level of it adds to the chance to win, in logits."""

    level: int
    gains: list[float]
    errors: list[float]
    """The standard errors of the gains."""


class LearnedWeights(msgspec.Struct, frozen=True):
    """Weights with how they were learned."""

    weights: dict[str, float]
    games: int = 0
    terms: dict[str, LearnedTerm] = {}


def weights_of(value: str, depth: int) -> Counts:
    """The weights by name, a row for each position that is looked at.

    They are `learned`, set by `hand`, or in a file that `kibitz train axis-value` has written.
    """
    if value == "hand":
        return shared_rows(HAND, depth)
    return shared_rows(read_weights(LEARNED if value == "learned" else Path(value)).weights, depth)


def shared_rows(weights: dict[str, float], depth: int) -> Counts:
    """The same weights for each position that is looked at, by its share; a victory counts once."""
    rows = np.outer(SHARES[depth - 1], [weights.get(name, 0.0) for name in NAMES])
    rows[0, VICTORY] = weights.get(NAMES[VICTORY], 0.0)
    return rows


def counted_dangers(rows: Counts) -> int:
    """Which dangers of a position count by such weights, so that others need not be worked out."""
    if rows[:, DANGERS : DANGERS + MASS].any():
        return EVERY
    return MASS_ALONE if rows[:, DANGERS + MASS].any() else NONE


@lru_cache(maxsize=8)
def read_weights(path: Path) -> LearnedWeights:
    """The weights in a file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=LearnedWeights)
    except (OSError, msgspec.MsgspecError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise BadSource(path, f"no weights of the commander (hand, learned or a file): {why}") from error
