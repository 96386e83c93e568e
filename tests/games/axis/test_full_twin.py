"""The whole game over arrays: in lockstep with the readable rules, its dice as likely as theirs."""

from collections import Counter

import numpy as np
import pytest
from side_by_side import compare_game
from whole_game import WORLD, own, put, start

from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import make_game
from kibitz.core.seeds import kernel_stream
from kibitz.games.axis.full.fast import ArrayAxis, FastState
from kibitz.games.axis.full.kernels.dice import draw_result, what_is_rolled
from kibitz.games.axis.full.kernels.packing import board_words, situation_of, situation_words
from kibitz.games.axis.full.kernels.turns import play_at_random
from kibitz.games.axis.full.notation import read_orders
from kibitz.games.axis.full.situation import BATTLE
from kibitz.games.axis.full.turn import advance, apply_order, roll
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
@pytest.mark.parametrize("switches", [{}, {"low_luck": True}])
def test_random_dice_are_as_likely_as_the_odds(switches):
    situation = start("Germans", BATTLE, **switches)
    situation = put(situation, "Germans", "Caucasus", "3 inf 1 art 2 tank 2 ftr")
    (order, _) = read_orders(situation, "fight Caucasus")[0] if roll(situation) is None else (None, 0)
    battle = apply_order(situation, order) if order is not None else advance(situation)
    board = board_words(WORLD, battle.rules)
    numbers, rng = situation_words(board, battle), kernel_stream(1, "dice")
    rolled, times = roll(battle), 20_000
    assert rolled is not None
    what = what_is_rolled(board, numbers)
    counts = Counter(draw_result(board, numbers, what, rng) for _ in range(times))
    assert set(counts) <= set(dict(rolled.odds))
    for result, chance in rolled.odds:
        spread = 5.0 * np.sqrt(chance * (1.0 - chance) / times) + 1e-9
        assert abs(counts[result] / times - chance) <= spread


@needs_compiler
def test_whole_games_come_to_their_end_over_arrays():
    game = make_game("axis(scenario=revised, rules=full, turns=4)")
    state = game.new_initial_state()
    assert isinstance(state, FastState)
    numbers = state.numbers.copy()
    assert play_at_random(state.board_numbers, numbers, 10**9, kernel_stream(3, "games")) <= 4 * len(WORLD.powers)
    over = FastState(game, state.board_numbers, numbers)
    assert over.is_terminal()
    assert all(money >= 0 for money in over.situation.money)
