"""Restricted games, and answers to a forecast whose risk is bounded."""

import numpy as np
import pytest
from games_by_hand import SIGNS, random_game

from kibitz_solve import (
    best_response,
    build_game,
    iterate,
    matrix_game,
    mirror_game,
    restricted_game,
    safe_response,
    solve,
    survival_operator,
)
from kibitz_solve.recursive.strategies.restricted import response_of, restricted_response

ROCK_LOVER = np.array([0.6, 0.2, 0.2])


def forecast_of(game, rng):
    """Any strategy of player 1."""
    starts = game.mix_starts(1)
    return np.concatenate([rng.dirichlet(np.ones(count)) for count in np.diff(starts)])


@pytest.mark.parametrize("seed", range(12))
def test_a_restricted_game_is_the_matrix_with_the_forecast_mixed_in(seed: int) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, SIGNS[seed % len(SIGNS)], chance=0.4)
    forecast, share = forecast_of(game, rng), float(rng.random())
    operator = survival_operator(0.9)
    found = iterate(restricted_game(game, forecast, share), operator, tolerance=1e-12).values[: game.choices]
    values = np.concatenate([found, np.zeros(game.live - game.choices), game.low])
    for move in range(game.live - game.choices):
        first, last = game.structure.chance_first[move : move + 2]
        odds, after = game.structure.chance_odds[first:last], game.structure.chance_successors[first:last]
        values[game.choices + move] = odds @ values[after]
    for node in range(game.choices):
        matrix = game.matrix(node, values)
        foretold = forecast[slice(*game.mix_starts(1)[node : node + 2])]
        mixed = (1.0 - share) * matrix + share * (matrix @ foretold)[:, None]
        assert 0.9 * matrix_game(mixed).value == pytest.approx(found[node], abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_an_opponent_held_to_the_forecast_is_answered_as_well_as_can_be(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    game = random_game(rng, (0.0, 1.0), chance=0.3)
    forecast = forecast_of(game, rng)
    best = best_response(game, forecast, 1).values[: game.choices]
    found = response_of(game, restricted_response(game, forecast, 1.0), forecast)
    expected = found.expected[: game.choices]
    assert expected == pytest.approx(best, abs=1e-3)
    assert (expected <= best + 1e-9).all()


@pytest.mark.long
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("spec", ["inspection", "oshi-zumo(coins=[4, 4], size=1)", "duel(shells=[1, 1])"])
def test_answers_risk_no_more_than_allowed_and_gain_with_it(spec: str, player: int) -> None:
    game = build_game(spec)
    solution = solve(game, width=1e-3)
    safe = solution.policy(player).shares
    if player == 1:
        game = mirror_game(game)
    counts = np.diff(game.mix_starts(1))
    even = np.repeat(1.0 / counts, counts)
    start = response_of(game, safe, even)
    earned = float(start.expected[0])
    for risk in (0.0, 0.1, 0.5):
        found = safe_response(game, safe, even, 0, float(start.sure[0]) - risk)
        assert best_response(game, found.shares, 0).guaranteed[0] >= start.sure[0] - risk
        assert found.expected[0] >= earned - 0.02  # answers are tried, not searched through
        earned = float(found.expected[0])
    assert earned > start.expected[0] + 1e-3


def test_a_rock_lover_is_answered_nearly_as_well_as_the_risk_allows() -> None:
    """The best that a risk r buys is .8 r as long as there are scissors to give up for paper, then .2 + .2 r."""
    game = build_game("matrix")
    safe = np.full(3, 1 / 3)
    for risk, most in ((0.125, 0.1), (0.25, 0.2), (0.5, 0.3), (1.0, 0.4)):
        found = safe_response(game, safe, ROCK_LOVER, 0, -risk)
        assert found.sure[0] >= -risk
        assert 0.85 * most <= found.expected[0] <= most + 1e-9


def test_in_a_game_of_one_round_the_restriction_itself_bounds_the_risk() -> None:
    """Held to the forecast with probability p, an equilibrium loses at most p / (1 - p) times what is to be won."""
    game = build_game("matrix(payoffs=[[3, 0], [0, 1]], rows=['a', 'b'], columns=['c', 'd'])")
    value = matrix_game([[3.0, 0.0], [0.0, 1.0]]).value
    for share in (0.1, 0.3, 0.45):
        for forecast in (np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.array([0.0, 1.0])):
            sure = best_response(game, restricted_response(game, forecast, share), 0).guaranteed[0]
            assert sure >= value - share / (1.0 - share) * (3.0 - value) - 1e-9
