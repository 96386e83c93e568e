"""Proofs in hundreds of digits: whole numbers in place of doubles, and games that wait in many ways in turn."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from exact_proofs import unproved_states

from kibitz.core.errors import BadPolicy
from kibitz_lab.equilibria.matrices import solve_exactly, solve_integers
from kibitz_solve import RecursiveGame, recursive_game, solve
from kibitz_solve.proof_files import save_solution
from kibitz_solve.recursive.values import fixed_point
from kibitz_solve.recursive.values.long_path import LongPath
from kibitz_solve.recursive.values.operators import Deadline
from kibitz_solve.verification.checks import check_solution
from kibitz_solve.verification.solution_file import read_solution

PRIZE = 0.5


def lesser_purgatory(levels: int, sign: float = 1.0) -> RecursiveGame:
    """Purgatory for a prize that is not the best of the game, so that its value is no limit-sure set of the graph."""
    tables: dict[object, object] = {}
    for level, above in pairwise([*range(levels), "prize"]):
        tables[level] = [[above, 0], ["lost", above]] if sign > 0.0 else [[above, "lost"], [0, above]]
    tables["aside"] = [["won", "lost"], ["lost", "won"]]
    return recursive_game(tables, {"prize": sign * PRIZE, "won": sign, "lost": 0.0})


@pytest.mark.parametrize(("rows", "columns"), [(1, 3), (2, 2), (3, 2), (3, 3), (4, 4)])
def test_matrix_games_of_integers_are_exact(rows: int, columns: int) -> None:
    rng, basis = np.random.default_rng(rows + 4 * columns), None
    for _ in range(25):
        matrix = rng.integers(-3, 4, (rows, columns)).tolist()
        game = solve_integers(matrix, basis)
        basis = game.basis
        exact = solve_exactly([[Fraction(each) for each in row] for row in matrix])[0]
        assert Fraction(game.value, game.total) == exact
        row_mix, column_mix = np.zeros(rows, object), np.zeros(columns, object)
        row_mix[list(basis[0])], column_mix[list(basis[1])] = game.rows, game.columns
        assert sum(row_mix) == sum(column_mix) == game.total > 0
        assert min(row_mix @ np.array(matrix, object)) == game.value == max(np.array(matrix, object) @ column_mix)


def test_chains_that_hardly_end_are_solved() -> None:
    """Two states that pass play to each other and end with a chance of 1e-90, one of them paying 1."""
    bits = 800
    chance = fixed_point.to_fixed(1e-90, bits)
    one = 1 << bits
    found = fixed_point.chain_values([{1: one - chance}, {0: one - chance}], [chance, chance], [one, 0], bits)
    assert found is not None
    exact = 1 / (1 - (1 - Fraction(chance, one)) ** 2)
    assert abs(Fraction(found[0], one) / exact - 1) < 1e-100
    assert fixed_point.chain_values([{1: one}, {0: one}], [0, 0], [one, 0], bits) is None


@pytest.mark.parametrize("number", [0, 1, -1, 3**400, -(3**400), (1 << 200) + 1])
def test_numbers_are_sums_of_doubles(number: int) -> None:
    first, *others = fixed_point.to_doubles(number, 700)
    assert Fraction(first) + sum(Fraction(each) for each in others) == Fraction(number, 1 << 700)
    assert all(each > 0.0 for each in others)


def long_path(levels: int) -> LongPath:
    """The path through a lesser Purgatory, at its first point."""
    game = lesser_purgatory(levels)
    fixed = np.zeros(game.nodes, np.uint8)
    fixed[game.live :] = 1
    ends = game.start(game.low)
    path = LongPath(
        game, fixed, lambda node, bits: fixed_point.to_fixed(float(ends[node]), bits), ends, 0.1, Deadline()
    )
    assert path.can_begin()
    return path


def test_the_long_path_misses_the_value_by_a_root_of_eta() -> None:
    """Five levels: the thirty-second root (Hansen and others 2009)."""
    path = long_path(5)
    assert path.descend(1e-100)
    missed = PRIZE - path.doubles()[0]
    assert path.descend(1e-132)
    assert PRIZE - path.doubles()[0] == pytest.approx(0.1 * missed, rel=0.05)
    mixes = path.mixes(0)
    path.bases = dict.fromkeys(path.bases, ((0,), (0,)))  # a step that failed has tried others
    assert (path.mixes(0) == mixes).all()


@pytest.mark.long
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_waiting_in_five_ways_is_proved(tmp_path: Path, sign: float) -> None:
    solution, path = solve(lesser_purgatory(5, sign)), tmp_path / "proof.npz"
    assert solution.width <= 1e-6
    levels = slice(0, 5)
    assert (solution.low[levels] <= sign * PRIZE).all()
    assert (sign * PRIZE <= solution.high[levels]).all()
    player = 0 if sign > 0.0 else 1
    assert unproved_states(solution, player) == []
    assert sign * solution.guarantee(player)[0] > 0.25  # doubles hold a strategy that is good, but not as good
    save_solution(solution, path)
    assert all(finding.holds for finding in check_solution(read_solution(path)))
    name = "low_rest" if player == 0 else "high_rest"
    for change in (lambda rest: rest + sign * 1e-20, lambda rest: 0.0 * rest):
        forged = tmp_path / "forged.npz"
        forge(path, forged, name, change)
        assert not all(finding.holds for finding in check_solution(read_solution(forged)))
    forge(path, forged, name, lambda rest: -rest)
    with pytest.raises(BadPolicy, match="takes back"):
        read_solution(forged)


def forge(path: Path, forged: Path, name: str, change) -> None:
    with np.load(path) as kept:
        arrays = {each: kept[each].copy() for each in kept.files}
    places = arrays[f"{name}_nodes"] == 0
    arrays[name][places] = change(arrays[name][places])
    np.savez_compressed(forged, **arrays)
