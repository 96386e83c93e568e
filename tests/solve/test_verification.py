"""Saved solutions are re-proved without the solver, and tampered ones are found out."""

import ast
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kibitz.core.errors import BadPolicy
from kibitz.solve import recursive_game, solve
from kibitz.solve.exact import solve_exactly
from kibitz.solve.proof_files import save_solution
from kibitz.solve.verification import checks
from kibitz.solve.verification.checks import check_solution
from kibitz.solve.verification.exact_matrices import matrix_value
from kibitz.solve.verification.game_tables import check_tables
from kibitz.solve.verification.solution_file import read_solution

Arrays = dict[str, NDArray[Any]]


def random_game(rng: Random, states: int) -> Any:
    """A game of few states with ends of both signs, loops and chance moves."""
    names = [f"s{number}" for number in range(states)]
    ends = {"W": 1.0, "L": rng.choice([-1.0, 0.0, 0.3]), "M": rng.choice([0.5, -0.25, 0.0])}

    def entry() -> Any:
        if rng.random() < 0.15:
            return dict.fromkeys(rng.sample([*names, *ends], 2), 0.5)
        return rng.choice([*names, *names, *ends])

    tables = {}
    for name in names:
        rows, columns = rng.randint(1, 3), rng.randint(1, 3)
        tables[name] = [[entry() for _ in range(columns)] for _ in range(rows)]
    return recursive_game(tables, ends)


def failures(path: Path) -> list[str]:
    return [finding.what for finding in check_solution(read_solution(path)) if not finding.holds]


def tamper(path: Path, change: Callable[[Arrays], None]) -> None:
    with np.load(path) as kept:
        arrays = {name: kept[name].copy() for name in kept.files}
    change(arrays)
    np.savez_compressed(path, **arrays)


@pytest.mark.long
@pytest.mark.parametrize("games", [8, pytest.param(1000, marks=pytest.mark.slow)])
def test_solutions_of_random_games_are_proved_again(tmp_path: Path, games: int) -> None:
    rng, path = Random(7), tmp_path / "proof.npz"
    for _ in range(games):
        save_solution(solve(random_game(rng, rng.randint(1, 5)), seconds=2), path)
        assert failures(path) == []


@pytest.mark.long
@pytest.mark.parametrize(
    "spec", ["guan", "right-turn(radius=5)", pytest.param("robots(size=3)", marks=pytest.mark.slow)]
)
def test_registered_games_are_compared_with_their_rules(tmp_path: Path, spec: str) -> None:
    path = tmp_path / "proof.npz"
    save_solution(solve(spec), path, game=spec)
    assert check_tables(read_solution(path)).holds
    assert failures(path) == []
    save_solution(solve(spec), path, game="big-match")
    assert not check_tables(read_solution(path)).holds


@pytest.mark.long
def test_discounted_games_are_proved_again(tmp_path: Path) -> None:
    path = tmp_path / "proof.npz"
    save_solution(solve("big-match", discount=0.9), path)
    assert failures(path) == []

    def discount_more(arrays: Arrays) -> None:
        arrays["discount"] = np.array(0.5)

    tamper(path, discount_more)
    assert failures(path)


def shift_bounds(node: int, step: float, arrays: Arrays) -> None:
    arrays["low"][node] += step
    arrays["high"][node] += step


@pytest.mark.long
def test_no_bound_beyond_the_other_passes(tmp_path: Path) -> None:
    rng, path = Random(3), tmp_path / "proof.npz"
    for _ in range(5):
        solution = solve(random_game(rng, 4), seconds=2)
        node = rng.randrange(solution.game.choices)
        for name, step in (("low", 3e-6), ("high", -3e-6)):
            save_solution(solution, path)

            tamper(path, partial(shift_bounds, node, step))
            assert failures(path), name


def play_evenly(arrays: Arrays) -> None:
    rows = np.diff(arrays["first"]) // arrays["columns"]
    arrays["row_shares"] = np.repeat(1.0 / rows, rows)


def raise_ends(arrays: Arrays) -> None:
    arrays["low"][-1] += 0.5
    arrays["high"][-1] += 0.5


def lift_layers(arrays: Arrays) -> None:
    arrays["row_layers"][:] = 1


def spoil_shares(arrays: Arrays) -> None:
    arrays["column_shares"][0] += 0.25


def swap_bounds(arrays: Arrays) -> None:
    arrays["low"], arrays["high"] = arrays["high"] + 0.1, arrays["low"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "change", "what"),
    [
        ("duel", play_evenly, "lower bounds held by player 0's strategy"),
        ("duel", raise_ends, "lower bounds of ends"),
        ("guan", lift_layers, "lower bounds of limit-sure states"),
        ("duel", spoil_shares, "strategy of player 1"),
        ("duel", swap_bounds, "lower bounds below upper bounds"),
    ],
)
def test_tampering_is_found_where_it_is(tmp_path: Path, spec: str, change: Callable[[Arrays], None], what: str) -> None:
    path = tmp_path / "proof.npz"
    save_solution(solve(spec), path)
    tamper(path, change)
    assert what in failures(path)


def test_waiting_for_ever_earns_nothing(tmp_path: Path) -> None:
    """A strategy that waits keeps its value round by round and never earns it."""
    game = recursive_game({"s": [["s", "s"], ["W", "L"]]}, {"W": 1.0, "L": -1.0})
    path = tmp_path / "proof.npz"
    save_solution(solve(game), path)

    def wait(arrays: Arrays) -> None:
        arrays["row_shares"][:] = [1.0, 0.0]
        arrays["low"][0] = arrays["high"][0] = 0.5

    tamper(path, wait)
    assert "lower bounds against endless play" in failures(path)


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "proof.npz"

    def point_nowhere(arrays: Arrays) -> None:
        arrays["successors"][0] = 99

    def forget(arrays: Arrays) -> None:
        del arrays["low"]

    def cut(arrays: Arrays) -> None:
        arrays["row_shares"] = arrays["row_shares"][:-1]

    def rename(arrays: Arrays) -> None:
        arrays["format"] = np.array("kibitz solution 9")

    for change in (point_nowhere, forget, cut, rename):
        save_solution(solve("guan"), path)
        tamper(path, change)
        with pytest.raises(BadPolicy):
            read_solution(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(BadPolicy):
        read_solution(path)
    with pytest.raises(BadPolicy):
        read_solution(tmp_path / "none.npz")


def test_exact_values_are_those_of_the_other_simplex() -> None:
    rng = Random(5)
    for _ in range(60):
        rows, columns = rng.randint(1, 4), rng.randint(1, 4)
        matrix = [[Fraction(rng.randint(-5, 5), rng.randint(1, 4)) for _ in range(columns)] for _ in range(rows)]
        assert matrix_value(matrix) == solve_exactly(matrix)[0]


def test_the_checks_use_nothing_of_the_solver() -> None:
    folder = Path(checks.__file__).parent
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = (
                [node.module]
                if isinstance(node, ast.ImportFrom)
                else [each.name for each in getattr(node, "names", [])]
            )
            for name in names if isinstance(node, ast.Import | ast.ImportFrom) else ():
                assert not str(name).startswith("kibitz.solve") or str(name).startswith("kibitz.solve.verification")
