"""The six features of a Pawns position (Pedersen 2008, ch. 7), each black's number less white's."""

from collections.abc import Sequence

import numpy as np

from kibitz import core
from kibitz.core.kit.compiled import words_of
from kibitz.core.kit.numbers import Evaluation, Features
from kibitz_lab.games.pawns import kernels

NAMES = ("BMax", "BSum", "DSum", "OBMin", "OBSum", "PD")
HABITS = (
    ("sends one pawn ahead", "keeps the foremost pawn back"),
    ("brings all pawns forward", "leaves pawns at home"),
    ("spreads their pawns", "keeps their pawns together"),
    ("keeps away from the other base", "heads for the other base"),
    ("holds their pawns back", "brings all pawns near the other base"),
    ("wins pawns", "gives pawns away"),
)
"""What a player does who likes each feature high, or low."""


def features(state: core.State) -> tuple[float, ...]:
    """The scores in the order of NAMES."""
    found = np.empty(len(NAMES))
    kernels.scores(words_of(state), found)
    return tuple(found.tolist())


def evaluate(state: core.State, weights: Sequence[float]) -> float:
    """Weights · features, for black; a seventh weight says how DSum measures: by Euclid, as kings or as rooks move."""
    return float(kernels.evaluate(words_of(state), np.asarray(weights, np.float64)))


FEATURES = Features(NAMES, features, HABITS)
EVALUATION = Evaluation((100.0, 1000.0, 0.0, -10000.0, 0.0, 10.0), evaluate, choices=((0.0, 1.0, 2.0),))
