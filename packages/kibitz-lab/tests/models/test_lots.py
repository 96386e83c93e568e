from itertools import pairwise
from statistics import fmean

import numpy as np
import pytest

from kibitz.core.actions import ProductActions
from kibitz.core.registry import make_game, make_model
from kibitz.core.seeds import stream
from kibitz_lab.models.lots import MOST, drawn_shares, likelihoods, lot


@np.errstate(over="ignore")  # without a compiler NumPy tells of words that wrap around
def test_the_kernel_draws_the_same_lots() -> None:
    rng = stream(1, "lots")
    for _ in range(200):
        scores = np.round(rng.normal(scale=20.0, size=6), 3)
        seed = int(rng.integers(1 << 63))
        drawn = np.zeros(1)
        likelihoods(scores[np.newaxis].copy(), 1, 1, 3, np.array([seed, 6]), np.zeros(1), np.zeros((9, 1)), drawn)
        assert drawn[0] == lot(scores.tolist(), seed)
        assert 0.0 < drawn[0] < 1.0


def test_lots_are_spread_evenly_and_depend_on_every_feature_and_on_the_seed() -> None:
    lots = [lot([float(a), float(b), 0.25 * c], 5) for a in range(-8, 8) for b in range(8) for c in range(8)]
    assert len(set(lots)) == len(lots)
    assert np.histogram(lots, bins=8, range=(0.0, 1.0))[0].tolist() == pytest.approx([128] * 8, abs=45)
    assert abs(fmean(a * b for a, b in pairwise(lots)) - 0.25) < 0.03
    assert lot([1.0], 1) != lot([1.0], 2)


def test_likelihoods_of_a_game_without_features_are_what_is_predicted() -> None:
    game = make_game("cops")
    model = make_model("lots")
    model.begin(game, None, stream(1, "x"))
    state = game.new_initial_state()
    player = state.current_player()
    drawn = model.likelihoods(state, player)  # type: ignore[attr-defined]
    legal = list(state.legal_actions(player))
    predicted = model.predict(state, player)
    assert len(set(drawn)) == len(legal) > 1
    assert [predicted.probability(action) for action in legal] == pytest.approx([each / sum(drawn) for each in drawn])


def test_of_very_many_actions_some_get_lots_and_the_rest_share_alike() -> None:
    legal = ProductActions({f"unit{n}": range(10) for n in range(12)}, [10] * 12)
    found = drawn_shares(legal, "here", 0, 5)
    assert len(legal) == 10**12
    assert len(found.named) == MOST
    assert all(action in legal for action in found.named)
    assert sum(found.named.values()) + found.rest == pytest.approx(1.0)
    assert sum(found.named.values()) < 1e-8
