"""Kibitz's games keep OpenSpiel's own rules for games, and its algorithms solve them; our agents are its bots."""

import unittest

import pytest

from kibitz.core.registry import entries
from kibitz_lab.bridges.openspiel import bot, register

pyspiel = pytest.importorskip("pyspiel")
SLOW = ("axis", "breakthrough", "cops", "pawns", "risk", "trails")
"""Games with long matches."""
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in entries("game")]


def exported(name: str) -> str:
    (found,) = register([name])
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_game_passes_their_simulation_with_clones_and_pickles(name: str) -> None:
    from open_spiel.python.tests.games_sim_test import GamesSimTest

    GamesSimTest().sim_game(pyspiel.load_game(exported(name)))


@pytest.mark.parametrize("name", NAMES)
def test_a_game_passes_their_interface_test(name: str) -> None:
    from open_spiel.integration_tests.api_test import EnforceAPIOnPartialTreeBase

    case = type("Case", (EnforceAPIOnPartialTreeBase,), {})
    case.game_name = exported(name)
    case.game = pyspiel.load_game(case.game_name)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert not result.errors + result.failures


@pytest.mark.long
def test_their_solver_finds_the_value_of_kuhn_poker() -> None:
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    register(["kuhn"])
    game = pyspiel.load_game("kibitz_kuhn(players=2)")
    solver = cfr.CFRSolver(game)
    for _ in range(40):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    assert exploitability.exploitability(game, policy) < 0.05
    value = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
    assert value[0] == pytest.approx(-1 / 18, abs=0.01)


def test_our_agents_are_bots_in_our_games_and_in_theirs() -> None:
    register(["kuhn"])
    kuhn = pyspiel.load_game("kibitz_kuhn(players=2)")
    bots = [bot("kuhn.rock", kuhn, 0), bot("mcts(simulations=20)", kuhn, 1)]
    assert sum(pyspiel.evaluate_bots(kuhn.new_initial_state(), bots, 3)) == 0.0
    connect_four = pyspiel.load_game("connect_four")
    bots = [bot("mcts(simulations=60)", connect_four, 0), bot("random", connect_four, 1)]
    assert [pyspiel.evaluate_bots(connect_four.new_initial_state(), bots, n)[0] for n in range(3)].count(1.0) >= 2


def test_a_bot_knows_what_was_chosen_at_once() -> None:
    register(["dilemma"])
    game = pyspiel.load_game("kibitz_dilemma(rounds=5)")
    grim = bot("dilemma.grim", game, 0)
    state = game.new_initial_state()
    state.apply_actions([grim.step(state), 1])
    state.apply_actions([grim.step(state), 0])
    first, _, second, _ = state.history()
    assert (first, second) == (0, 1)  # it saw the defection
