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
from kibitz_lab.equilibria.matrices import solve_exactly
from kibitz_solve import recursive_game, solve
from kibitz_solve.proof_files import save_solution
from kibitz_solve.verification import checks
from kibitz_solve.verification.checks import check_solution, matrix_value
from kibitz_solve.verification.game_tables import check_tables
from kibitz_solve.verification.solution_file import read_solution

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
@pytest.mark.parametrize("spec", ["guan", "right-turn(radius=5)"])
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


def forge_field(rng: np.random.Generator, arrays: Arrays) -> None:
    """Change some entries of one array of claims; half of the time, claim the best end for a state as well."""
    name = str(rng.choice(["low", "high", "row_shares", "column_shares", "row_ranks", "row_layers"]))
    size = {"row_ranks": len(arrays["low"]), "row_layers": len(arrays["row_shares"])}.get(name, 0)
    found = arrays[name] if len(arrays[name]) else np.zeros(size, np.int64)
    places = rng.integers(0, len(found), rng.integers(1, 4))
    if name.endswith(("ranks", "layers")):
        found[places] = rng.integers(-1, 4, len(places))
    elif name.endswith("shares"):
        found[places] = rng.random(len(places))
        starts = np.concatenate([[0], np.cumsum(np.diff(arrays["first"]) // arrays["columns"])[:-1]])
        starts = starts if name == "row_shares" else np.concatenate([[0], np.cumsum(arrays["columns"])[:-1]])
        sums = np.add.reduceat(found, starts.astype(int))
        found = found / np.repeat(sums, np.diff([*starts.astype(int), len(found)]))
    else:
        found[places] += rng.choice([1e-4, -1e-4, 0.1, -0.1, 1.0], len(places))
    arrays[name] = found
    if rng.random() < 0.5:
        node = int(rng.integers(0, len(arrays["columns"])))
        arrays["low"][node] = arrays["high"][node] = arrays["end_low"].max()


@pytest.mark.long
@pytest.mark.parametrize("forgeries", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_what_passes_is_true_however_a_file_was_changed(tmp_path: Path, forgeries: int) -> None:
    rng, draw, path, refused = np.random.default_rng(11), Random(11), tmp_path / "proof.npz", 0
    for number in range(forgeries):
        if number % 10 == 0:
            solution = solve(random_game(draw, draw.randint(1, 4)), seconds=2)
        save_solution(solution, path)
        tamper(path, partial(forge_field, rng))
        try:
            if failures(path):
                refused += 1
                continue
            claimed = read_solution(path)
        except BadPolicy:
            refused += 1
            continue
        assert (claimed.low <= solution.high + 1e-9).all()
        assert (claimed.high >= solution.low - 1e-9).all()
    assert refused > forgeries / 4


def test_no_other_end_belongs_to_a_limit_sure_set(tmp_path: Path) -> None:
    path = tmp_path / "proof.npz"
    save_solution(solve(recursive_game({"s": [["W", "L"], ["L", "W"]]}, {"W": 1.0, "L": -1.0})), path)

    def count_losing_as_near(arrays: Arrays) -> None:
        arrays["row_ranks"] = np.where(np.append([0.0], arrays["end_low"]) == 1.0, 0, [2, 1, 1])
        arrays["row_layers"], arrays["low"][0], arrays["high"][0] = np.array([1, 1]), 1.0, 1.0

    tamper(path, count_losing_as_near)
    assert "lower bounds of limit-sure states" in failures(path)


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


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("successors", lambda found: found + 99),
        ("successors", lambda found: found + 0.5),
        ("low", lambda found: None),
        ("row_shares", lambda found: found[:-1]),
        ("format", lambda found: np.array("kibitz solution 9")),
        ("end_high", lambda found: found - 9.0),
        ("chance_odds", lambda found: 2.0 * found),
        ("chance_successors", lambda found: np.full_like(found, 2)),  # the chance node itself
        ("states", lambda found: np.repeat(found[:1], len(found))),
    ],
)
def test_files_that_do_not_fit_are_refused(tmp_path: Path, name: str, change: Callable[[Any], Any]) -> None:
    tables = {"s": [[{"W": 0.5, "t": 0.5}, "L"], ["L", "W"]], "t": [["s", "L"], ["L", "W"]]}
    path = tmp_path / "proof.npz"
    save_solution(solve(recursive_game(tables, {"W": 1.0, "L": -1.0})), path)
    read_solution(path)

    def spoil(arrays: Arrays) -> None:
        changed = change(arrays.pop(name))
        if changed is not None:
            arrays[name] = changed

    tamper(path, spoil)
    with pytest.raises(BadPolicy):
        read_solution(path)


def test_cut_and_missing_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "proof.npz"
    save_solution(solve("guan"), path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    for each in (path, tmp_path / "none.npz"):
        with pytest.raises(BadPolicy):
            read_solution(each)


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
                assert not str(name).startswith("kibitz_solve") or str(name).startswith("kibitz_solve.verification")
