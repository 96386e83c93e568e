"""The whole game over arrays: in lockstep with the readable rules, its dice as likely as theirs."""

import pytest
from side_by_side import compare_game
from whole_game import WORLD

from kibitz.core.kernels import jit_enabled
from kibitz.games.axis.full.fast import ArrayAxis
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
