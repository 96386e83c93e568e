"""Games of speed and games of survival (4.10): how near they are to each other and to the value."""

from itertools import pairwise
from math import sqrt

import exact_chains
import numpy as np
import pytest
from games_by_hand import purgatory, random_game, right_turn
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz_solve import RecursiveGame, iterate, policy_values, recursive_game, solve, speed_operator, survival_operator

seeds = st.integers(0, 10_000)
chances = st.sampled_from([0.0, 0.4])
ROUNDED = 1e-9
OPERATORS = survival_operator(1.0 - 1e-8), speed_operator(1e-8)


def both_values(game: RecursiveGame, eta: float, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """The values of survival at 1 - eta and of speed at delta, of the states with a choice."""
    survival = iterate(game, survival_operator(1.0 - eta), method="newton").values
    speed = iterate(game, speed_operator(delta), tolerance=1e-14).values
    return survival[: game.choices], speed[: game.choices]


def guan_of(top: float) -> RecursiveGame:
    """The Guan sisters when getting away is worth *top*."""
    return recursive_game({"S": [["S", "X"], ["X", "D"]]}, {"X": top, "D": 0.0})


@pytest.mark.long
@settings(max_examples=60)
@given(seeds, chances, st.floats(1e-3, 0.3))
def test_each_kind_of_game_lies_between_two_of_the_other(seed: int, chance: float, eta: float) -> None:
    """Speed at δ = η ≤ survival at β = 1 - η ≤ speed at δ = ηm, where m is the least matrix value above 0."""
    game = random_game(np.random.default_rng(seed), (0.0, 1.0), chance, 6)
    survival, speed = both_values(game, eta, eta)
    assert (speed <= survival + ROUNDED).all()
    least = min(survival[survival > 1e-12], default=1.0) / (1.0 - eta)
    slower = both_values(game, eta, eta * least)[1]
    assert (survival <= slower + ROUNDED).all()


@pytest.mark.long
@settings(max_examples=30)
@given(seeds, chances)
def test_both_rise_to_the_value(seed: int, chance: float) -> None:
    game = random_game(np.random.default_rng(seed), (0.0, 1.0), chance, 5)
    high = solve(game, width=1e-4).high[: game.choices]
    before = np.zeros(game.choices), np.zeros(game.choices)
    for eta in (1e-1, 1e-2, 1e-3):
        found = both_values(game, eta, eta)
        for now, last in zip(found, before, strict=True):
            assert (now >= last - ROUNDED).all()
            assert (now <= high + ROUNDED).all()
        before = found


@pytest.mark.parametrize("eta", [1e-3, 1e-5])
def test_on_right_turn_the_gap_is_of_the_order_of_the_discount(eta: float) -> None:
    game = right_turn(8)
    survival = iterate(game, survival_operator(1.0 - eta), method="newton").values
    speed = iterate(game, speed_operator(eta), method="newton").values
    assert 2.5 * eta < (survival - speed).max() < 3.5 * eta


@pytest.mark.parametrize("eta", [1e-4, 1e-6])
def test_where_less_than_everything_is_at_stake_the_gap_is_of_the_order_of_its_root(eta: float) -> None:
    """A round of speed costs δ, one of survival η times what is at stake; Guan multiplies that by 1/√η."""
    survival, speed = both_values(guan_of(0.5), eta, eta)
    assert survival[0] == pytest.approx(0.5 * (1.0 - sqrt(eta)), abs=1e-9)
    cost = 2.0 * eta
    assert speed[0] == pytest.approx(0.5 * (1.0 - (cost + sqrt(cost * cost + 4.0 * cost)) / 2.0), abs=1e-9)
    assert survival[0] - speed[0] == pytest.approx(0.5 * (sqrt(2.0) - 1.0) * sqrt(eta), rel=0.05)


def test_purgatory_falls_short_in_both_kinds_alike() -> None:
    survival, speed = (iterate(purgatory(2), operator, method="newton").values[0] for operator in OPERATORS)
    assert 1.0 - survival == pytest.approx(1e-2, rel=0.02)
    assert 1.0 - speed == pytest.approx(1e-2, rel=0.02)


@settings(max_examples=40)
@given(seeds, st.sampled_from([(0.0, 1.0), (-1.0, 0.5, 1.0)]), chances)
def test_held_strategies_earn_what_exact_numbers_say(seed: int, signs: tuple[float, ...], chance: float) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, signs, chance)
    mixes = [pure_or_mixed(rng, game, player) for player in (0, 1)]
    exact = exact_chains.chain_values(game, *(exact_chains.mixes_of(game, mixes[p], p) for p in (0, 1)))
    assert policy_values(game, *mixes)[: game.live] == pytest.approx([float(value) for value in exact], abs=1e-9)


def pure_or_mixed(rng: np.random.Generator, game: RecursiveGame, player: int) -> np.ndarray:
    """Some strategy; shares of 0 are common, so that play may never end."""
    starts = game.mix_starts(player)
    shares = np.where(rng.random(starts[-1]) < 0.5, 0.0, rng.random(starts[-1]))
    for first, last in pairwise(starts):
        if shares[first:last].sum() == 0.0:
            shares[first] = 1.0
        shares[first:last] /= shares[first:last].sum()
    return shares
