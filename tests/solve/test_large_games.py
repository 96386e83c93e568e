"""What makes large games and long play solvable: sweeps in blocks, parts, and answers in pairs of doubles."""

from fractions import Fraction

import numpy as np
import pytest
from exact_chains import worst_of_all_answers
from exact_proofs import unproved_states
from games_by_hand import SIGNS, guan, purgatory, random_game

from kibitz.solve import RecursiveGame, best_response, recursive_game, solve
from kibitz.solve.exact import solve_exactly
from kibitz.solve.recursive.proofs import intervals
from kibitz.solve.recursive.proofs.precise_responses import PreciseBound, precise_response
from kibitz.solve.recursive.values.operators import Deadline
from kibitz.solve.recursive.values.pair_kernels import solve_pair_matrix
from kibitz.solve.recursive.values.path import Path
from kibitz.solve.recursive.values.precise_path import PrecisePath
from kibitz.solve.recursive.values.small_shares import share_laws


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


@pytest.mark.parametrize("share", [1e-3, 1e-12, 1e-20])
def test_precise_answers_are_exact_however_long_play_lasts(share: float) -> None:
    game, rows = guan(), np.array([1.0, share])
    exact = worst_of_all_answers(game, rows, 0)[0]
    fixed = np.array([0, 1, 1], np.uint8)
    held = PreciseBound(game.start(game.low), np.zeros(game.nodes))
    found = precise_response(game, rows, 0, fixed, held, Deadline())
    assert found is not None
    assert exact - 2 * share - 1e-7 <= found.numbers[0] <= exact
    assert found.tails[0] >= 0.0
    if share == 1e-20:  # doubles prove nothing there
        assert best_response(game, rows, 0, precise=False).guaranteed[0] < 0.5
        assert best_response(game, rows, 0).guaranteed[0] == found.numbers[0]


@pytest.mark.parametrize("spread", [1.0, 1e-18])
def test_matrix_games_of_pairs_are_exact_to_thirty_digits(spread: float) -> None:
    rng = np.random.default_rng(3)
    for rows, columns in rng.integers(1, 6, (60, 2)):
        entries, tails = rng.choice([0.0, -1.0, 0.25], (rows, columns)), 1e-18 * rng.normal(size=(rows, columns))
        entries = entries + 0.0 if spread < 1.0 else rng.random((rows, columns))
        work = np.zeros((2, max(rows, columns) + 2, max(rows, columns) + 2))
        mixes = np.zeros(rows), np.zeros(columns)
        value, tail = solve_pair_matrix(entries, tails, int(rows), int(columns), *mixes, *work)
        exact = [
            [Fraction(float(a)) + Fraction(float(b)) for a, b in zip(*lines, strict=True)]
            for lines in zip(entries, tails, strict=True)
        ]
        error = Fraction(value) + Fraction(tail) - solve_exactly(exact)[0]
        assert abs(error) <= (1e-30 if spread == 1.0 else 1e-17)  # pivots of 1e-18 may end one basis too early


def test_the_precise_path_goes_on_where_doubles_end() -> None:
    """Purgatory's first level at a discount of eta misses 1 by about its eighth root (Hansen and others 2009)."""
    game = purgatory(3)
    fixed = np.zeros(game.nodes, np.uint8)
    fixed[game.live :] = 1
    path = Path(game, fixed, game.start(game.low), Deadline())
    path.begin()
    while path.eta > 1e-9 and path.descend():
        pass
    precise = PrecisePath(game, fixed, path.values, path.eta, Deadline())
    assert precise.can_begin()
    while precise.descend():
        pass
    assert precise.eta < 1e-22
    assert 1.0 - precise.numbers[0] == pytest.approx(precise.eta**0.125, rel=0.05)


def test_share_laws_are_read_off_the_path() -> None:
    etas = [0.25**point for point in range(10, 19)]
    mixes = [np.array([3.0 * eta**0.5 * (1.0 + eta**0.5), 0.0, 0.4 + eta**0.25, 0.6]) for eta in etas]
    laws = share_laws(mixes, etas, 2)
    assert laws.powers.tolist() == [0.5, 0.0, 0.0, 0.0]
    found = laws.at(1e-20, np.array([0, 4]))
    assert found == pytest.approx([3e-10, 0.0, 0.4, 0.6], rel=1e-3)
