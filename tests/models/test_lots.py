from itertools import pairwise
from statistics import fmean

import numpy as np
import pytest

from kibitz.agents.search.asymmetric import Asymmetric
from kibitz.agents.search.settings import Settings
from kibitz.core.errors import Unsupported
from kibitz.core.match.play import playing
from kibitz.core.registry import make_game, make_model
from kibitz.core.seeds import stream
from kibitz.models.lots import likelihoods, lot


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


def test_compiled_and_python_trees_with_lots_are_twins() -> None:
    moments = list(playing("pawns", ["s4(depth=2)", "s2(depth=2)"], seed=3, max_plies=10))
    state = moments[-1].state
    agent = Asymmetric(model=make_model("lots"), rule="max_ratio(max_pr=0.5)", depth=2)
    agent.begin(make_game("pawns"), state.current_player(), stream(1, "x"))
    for moment in moments[1:]:
        assert moment.event is not None
        agent.observe(moment.event.transition(agent.player))
    searcher = agent.searcher
    fast = searcher.search(state, Settings(depth=3), agent.vector)
    slow = searcher.made(Settings(depth=3), agent.vector).root(state)  # type: ignore[attr-defined]
    assert (fast.action, fast.value, fast.nodes, fast.line) == (slow.action, slow.value, slow.nodes, slow.line)
    assert fast.named == slow.named > 0  # type: ignore[attr-defined]
    assert not agent.opponent.fault


def test_a_game_without_features_is_refused() -> None:
    with pytest.raises(Unsupported, match="features"):
        make_model("lots").begin(make_game("kuhn"), None, stream(1, "x"))
