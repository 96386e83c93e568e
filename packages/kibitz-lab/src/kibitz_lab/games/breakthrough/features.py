"""The features of a Breakthrough position, each player 0's number less player 1's, and values made of them."""

from collections.abc import Sequence

import numpy as np

from kibitz import core
from kibitz.core.kit.compiled import words_of
from kibitz.core.kit.numbers import Evaluation, Features
from kibitz_lab.games.breakthrough import kernels

NAMES = ("material", "furthest", "to_go", "mean_advance", "advance", "keepers", "mobility", "guarded", "exposed")
HABITS = (
    ("likes to take", "rarely takes"),
    ("sends one piece ahead", "keeps the foremost piece back"),
    ("keeps away from the far row", "heads for the far row"),
    ("brings all pieces forward", "holds their pieces back"),
    ("brings all pieces forward", "holds their pieces back"),
    ("keeps their home row", "leaves their home row"),
    ("keeps their pieces free to move", "blocks their own pieces"),
    ("guards their pieces", "leaves pieces unguarded"),
    ("leaves pieces exposed", "keeps their pieces safe"),
)
"""What a player does who likes each feature high, or low."""


def features(state: core.State) -> tuple[float, ...]:
    """The scores in the order of NAMES."""
    found = np.empty(len(NAMES))
    kernels.scores(words_of(state), found)
    return tuple(found.tolist())


def evaluate(state: core.State, weights: Sequence[float]) -> float:
    """Weights · features, for player 0. Features of weight 0 are not computed."""
    return float(kernels.evaluate(words_of(state), np.asarray(weights, np.float64)))


def feature_weights(**weights: float) -> tuple[float, ...]:
    """A weight per feature, 0 where none is named: `feature_weights(material=100.0)`."""
    assert weights.keys() <= set(NAMES), f"no features: {sorted(weights.keys() - set(NAMES))}"
    return tuple(weights.get(name, 0.0) for name in NAMES)


FEATURES = Features(NAMES, features, HABITS)
EVALUATION = Evaluation(
    feature_weights(material=20.0, to_go=-30.0, advance=10.0, keepers=10.0, mobility=5.0),
    evaluate,
    scale=790.0,  # from 270 games between the strategies of `agents`, opened at random
)
