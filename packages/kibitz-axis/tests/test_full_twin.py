"""The rules of the whole game compiled, in lockstep with the same rules in plain Python."""

import pytest
from side_by_side import compare_game
from whole_game import WORLD

from kibitz.core.kernels import jit_enabled

needs_compiler = pytest.mark.skipif(not jit_enabled(), reason="compares kernels")


@needs_compiler
@pytest.mark.long
@pytest.mark.parametrize("games", [range(4), pytest.param(range(4, 1000), marks=pytest.mark.slow)])
def test_compiled_and_plain_rules_play_the_same_game(games):
    for seed in games:
        assert compare_game(WORLD, seed) > 0
