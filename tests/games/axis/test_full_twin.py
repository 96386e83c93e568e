"""The whole game over arrays: in lockstep with the readable rules, its dice as likely as theirs."""

import random

import pytest
from side_by_side import compare_game, random_action
from whole_game import WORLD, own, put, start

from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import make_game
from kibitz.games.axis.full.fast import ArrayAxis, FastState
from kibitz.games.axis.full.kernels.packing import board_words, situation_of, situation_words
from kibitz.games.axis.full.turn import advance
from kibitz.games.axis.rules import Axis as Readable
from kibitz.testing.lockstep import compare_games

needs_compiler = pytest.mark.skipif(not jit_enabled(), reason="compares kernels")
GAME = {"scenario": "revised", "rules": "full"}


@needs_compiler
@pytest.mark.long
@pytest.mark.parametrize("games", [range(4), pytest.param(range(4, 1000), marks=pytest.mark.slow)])
def test_arrays_and_readable_rules_play_the_same_game(games):
    for seed in games:
        assert compare_game(WORLD, seed) > 0


@needs_compiler
@pytest.mark.long
@pytest.mark.parametrize(("games", "plies"), [(1, 30), pytest.param(10, 2000, marks=pytest.mark.slow)])
def test_states_of_both_answer_the_same(games, plies):
    compare_games(Readable(**GAME, turns=3), ArrayAxis(**GAME, turns=3), walks=games, plies=plies)


def test_situations_are_the_same_after_packing():
    situation = advance(put(own(start("Germans"), "Libya", "British"), "British", "Libya", "2 inf 1 aa"))
    board = board_words(WORLD, situation.rules)
    assert situation_of(WORLD, situation.rules, board, situation_words(board, situation)) == situation


@needs_compiler
def test_whole_games_come_to_their_end_over_arrays():
    game = make_game("axis(scenario=revised, rules=full, turns=2)")
    state = game.new_initial_state()
    assert isinstance(state, FastState)
    rng = random.Random(3)
    while not state.is_terminal():
        state.apply_action(random_action(state, rng))
    assert state.situation.round <= 3
    assert all(money >= 0 for money in state.situation.money)
