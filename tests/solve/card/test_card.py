"""Sweeps and proofs on a graphics card, against those on the processor and in rational numbers."""

from fractions import Fraction

import numpy as np
import pytest

from kibitz.core.errors import BadGame
from kibitz.solve import build_game, recursive_game, solve
from kibitz.solve.matrices import matrix_games
from kibitz.solve.recursive.card.bounds import prove_bounds, strategy_at
from kibitz.solve.recursive.card.neighbours import neighbour_tables
from kibitz.solve.recursive.card.tables import DISCOUNTED, CardOperator, CardTables, Tables
from kibitz.solve.recursive.game.game import RecursiveGame
from kibitz.solve.recursive.values.iteration import iterate
from kibitz.solve.recursive.values.operators import Operator


def on_card(game: RecursiveGame) -> CardTables:
    return CardTables(Tables._make((*game.structure.arrays, game.low, game.high)))


@pytest.mark.long
@pytest.mark.parametrize("spec", ["pennies(lead=3)", "right-turn", "goofspiel(cards=3)", "duel"])
@pytest.mark.usefixtures("card")
def test_sweeps_equal_the_processors(spec: str) -> None:
    game = build_game(spec)
    expected = iterate(game, Operator(discount=0.9), method="jacobi", sweeps=10, tolerance=0.0).values
    card = on_card(game)
    values, other = (card.start(card.tables.low, 0.0) for _ in range(2))
    for _ in range(10):
        card.sweep(values, other, CardOperator(DISCOUNTED, 0.9))
        values, other = other, values
    card.settle_chance(values, 0)
    assert np.abs(card.cupy.asnumpy(values) - expected).max() <= 1e-12


@pytest.mark.long
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 4), (2, 3), (3, 3), (6, 4)])
@pytest.mark.usefixtures("card")
def test_a_batch_of_matrices(rows: int, columns: int) -> None:
    rng = np.random.default_rng(rows * 10 + columns)
    batch = np.concatenate([rng.integers(-2, 3, (100, rows, columns)) * 1.0, rng.normal(size=(100, rows, columns))])
    count, size = len(batch), rows * columns
    none, entries = np.zeros(0), batch.ravel()
    tables = Tables(
        np.arange(count + 1) * size, np.full(count, columns), count + np.arange(count * size), np.zeros(1), none, none,
        none, entries, entries,
    )  # fmt: skip
    card = CardTables(tables)
    values = card.start(entries, 0.0)
    found = values.copy()
    card.sweep(values, found, CardOperator(DISCOUNTED, 1.0))
    assert np.abs(card.cupy.asnumpy(found)[:count] - np.asarray(matrix_games(batch).values)).max() <= 1e-12


def assert_proved(tables: Tables, bound: np.ndarray, mixes: np.ndarray, side: int) -> None:
    """Check the inequality behind a bound in rational numbers, state by state (games of one shape, without chance)."""
    actions = int(tables.columns[0])
    for state in range(len(tables.columns)):
        after = tables.successors[tables.first[state] : tables.first[state + 1]].reshape(actions, actions)
        after = after if side < 0 else after.T
        shares = [Fraction(float(share)) for share in mixes[state * actions : (state + 1) * actions]]
        assert min(shares) >= 0
        if bound[state] == side:  # the least a game can pay player 0, the most it can pay, needs no proof
            continue
        here = Fraction(float(bound[state]))
        for answer in range(actions):
            entries = [Fraction(float(bound[after[own, answer]])) for own in range(actions)]
            rise = sum(share * (entry - here) for share, entry in zip(shares, entries, strict=True)) * -side
            assert rise > 0 if here * -side > 0 else rise >= 0


@pytest.mark.usefixtures("card")
def test_bounds_hold_in_rational_numbers() -> None:
    tables, checks = neighbour_tables(np, 60, ends=0.15, reach=5, seed=1), iter(range(1000))
    card = CardTables(tables)
    found = prove_bounds(card, width=1e-6, out_of_time=lambda: next(checks, None) is None)
    low, high = (card.cupy.asnumpy(each) for each in (found.low, found.high))
    assert (low <= high).all()
    assert np.median((high - low)[:60]) <= 1e-6
    assert_proved(tables, low, card.cupy.asnumpy(strategy_at(card, found.low, -1)), -1)
    assert_proved(tables, high, card.cupy.asnumpy(strategy_at(card, found.high, 1)), 1)


@pytest.mark.usefixtures("card")
def test_solve_agrees_with_the_processor() -> None:
    for spec in ("guan", "right-turn", "pennies(lead=3)"):
        there, here = solve(spec, device="cuda"), solve(spec)
        assert there.width <= 1e-6
        assert (there.low <= here.high + 1e-13).all()
        assert (here.low <= there.high + 1e-13).all()
        assert (there.guarantee(0) <= here.high + here.game.infinite_play + 1e-13).all()


@pytest.mark.usefixtures("card")
def test_discounted_games_and_payoffs_on_the_way() -> None:
    paying = recursive_game({"s": [["s", "w"], ["w", "s"]]}, {"w": 1.0}, stage={"s": [[1.0, 0.0], [0.0, -1.0]]})
    with pytest.raises(BadGame, match="it pays on the way"):
        solve(paying, device="cuda")
    there, here = solve(paying, discount=0.9, device="cuda"), solve(paying, discount=0.9)
    assert there.width <= 1e-6
    assert there.value("s") == pytest.approx(here.value("s"), abs=1e-6)
