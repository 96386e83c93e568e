"""`aware` against players whom others wrote: bots of rock-paper-scissors and strategies of the dilemma."""

from collections.abc import Sequence

import numpy as np
import pytest

from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz_lab.aware.repeated_planner import stage_of

EASY = ("copybot", "flatbot3", "granite", "switchbot")
"""Bots whose habits take some learning, of the half on which parameters were set."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("bots", "matches", "least", "worst"),
    [(EASY, 1, 90.0, 40.0), pytest.param((), 3, 950.0 / 3.0, -45.0, marks=pytest.mark.slow)],
)
def test_it_wins_from_bots_of_rock_paper_scissors(
    bots: Sequence[str], matches: int, least: float, worst: float
) -> None:
    names = bots or pytest.importorskip("pyspiel").roshambo_bot_names()
    pytest.importorskip("pyspiel")
    game = f"rps(goal=points, rounds={300 if bots else 1000})"
    means = {}
    for name in names:
        records = [play(game, ["aware", f"roshambo:{name}"], seed=seed) for seed in range(matches)]
        means[name] = float(np.mean([record.ending.returns[0] for record in records]))  # type: ignore[union-attr, index]
    assert np.mean(list(means.values())) >= least, means
    assert min(means.values()) >= worst, means


def test_it_learns_in_openspiel_s_repeated_games_as_in_ours() -> None:
    pytest.importorskip("pyspiel")
    game = "openspiel(game='repeated_game(stage_game=matrix_rps(),num_repetitions=100,recall=1)')"
    record = play(game, ["aware", "roshambo:copybot"], seed=1)
    assert record.ending.returns[0] >= 85.0  # type: ignore[union-attr, index]
    dilemma = make_game("openspiel(game='repeated_game(stage_game=matrix_pd(),num_repetitions=60,recall=1)')")
    stage = stage_of(dilemma, dilemma.new_initial_state())
    assert stage is not None
    assert (stage.payoffs, stage.left) == ((((5.0, 5.0), (0.0, 10.0)), ((10.0, 0.0), (1.0, 1.0))), 60)
    tictactoe = make_game("openspiel:tic_tac_toe")
    assert stage_of(tictactoe, tictactoe.new_initial_state()) is None


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "least"), [(0.0, 2.9), (0.05, 2.5)])
def test_it_earns_more_than_the_best_of_axelrod_s_strategies(noise: float, least: float) -> None:
    axelrod = pytest.importorskip("axelrod")
    from kibitz_lab.bridges.axelrod import player

    earned = []
    for number, strategy in enumerate(axelrod.short_run_time_strategies[::3]):
        pair = player("aware", ends_known=False), strategy()
        match = axelrod.Match(pair, turns=200, noise=noise, seed=number + 1)
        match.play()
        earned.append(match.final_score_per_turn()[0])
    assert np.mean(earned) >= least
