"""What makes large games and long play solvable: sweeps in blocks, parts, and answers in whole numbers."""

from fractions import Fraction

import numpy as np
import pytest
from exact_chains import worst_of_all_answers
from exact_proofs import unproved_states
from games_by_hand import SIGNS, guan, random_game

from kibitz_solve import RecursiveGame, best_response, recursive_game, solve
from kibitz_solve.recursive.proofs import intervals
from kibitz_solve.recursive.proofs.responses import Process, exact_response
from kibitz_solve.recursive.values.fixed_point import to_fixed
from kibitz_solve.recursive.values.operators import Deadline


def ring(states: int, seed: int, ends: float = 0.15) -> RecursiveGame:
    """Every entry is an end or a state near by."""
    rng = np.random.default_rng(seed)

    def entry(state: int) -> object:
        drawn = rng.random()
        return "won" if drawn < ends else "lost" if drawn < 2 * ends else int(state + rng.integers(-3, 4)) % states

    tables = {state: [[entry(state) for _ in range(3)] for _ in range(3)] for state in range(states)}
    return recursive_game(tables, {"won": 1.0, "lost": -1.0})


@pytest.mark.long
def test_swept_bounds_are_proved_and_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    games = [random_game(np.random.default_rng(seed), SIGNS[seed % 5], 0.3, states=5) for seed in (1, 13)]
    plain = [solve(game) for game in games]
    monkeypatch.setattr(intervals, "FEW_TO_SWEEP", 0)
    for game, found in zip(games, plain, strict=True):
        swept = solve(game)
        assert unproved_states(swept, 0) == unproved_states(swept, 1) == []
        assert (swept.low <= found.high + 1e-12).all()
        assert (found.low <= swept.high + 1e-12).all()
        assert swept.width <= 1e-6


@pytest.mark.long
def test_chunks_solve_what_equations_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    game = ring(40, 3)
    found = solve(game)
    monkeypatch.setattr(intervals, "FEW_TO_SWEEP", 0)
    monkeypatch.setattr(intervals, "NEWTON_NODES", 20)
    monkeypatch.setattr(intervals, "CHUNK", 12)
    pieces = solve(game, seconds=20.0)
    assert unproved_states(pieces, 0) == unproved_states(pieces, 1) == []
    assert (pieces.low <= found.high + 1e-12).all()
    assert np.median(pieces.high - pieces.low) <= 1e-3


@pytest.mark.parametrize("share", [1e-3, 1e-12, 1e-20, 1e-100])
def test_answers_are_exact_however_long_play_lasts(share: float) -> None:
    game, rows = guan(), np.array([1.0, share])
    exact = worst_of_all_answers(game, rows, 0)[0]
    ends = game.start(game.low)
    process = Process(game, rows, 0, np.array([0, 1, 1], np.uint8), ends)
    found = exact_response(process, lambda node, bits: to_fixed(float(ends[node]), bits), Deadline())
    assert found is not None
    assert 0 <= exact - sum(map(Fraction, found[0])) <= Fraction(1e-30) * exact
    if share <= 1e-20:  # doubles prove nothing there
        assert best_response(game, rows, 0, precise=False).guaranteed[0] < 0.5
        assert best_response(game, rows, 0).guaranteed[0] == found[0][0]
