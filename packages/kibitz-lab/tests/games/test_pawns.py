"""Pawns: perft, positions and feature values that were computed twice elsewhere, and the kernels plain and compiled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadSpec
from kibitz.core.kernels import python_twin
from kibitz.core.kit.compiled import GOES_ON, SECOND_WON, words_of
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.testing import check_game, perft
from kibitz.testing.walks import random_step
from kibitz_lab.games.pawns import kernels
from kibitz_lab.games.pawns.agents import TABLE
from kibitz_lab.games.pawns.features import NAMES, evaluate, features
from kibitz_lab.games.pawns.rules import State, position

READINGS = {
    "pawns": [1, 4, 16, 88, 484, 3080, 19600, 141960, 1028196],
    "pawns(base='cells')": [1, 4, 16, 112, 784, 5488, 38416],
    "pawns(base='cells', home='dies')": [1, 6, 36, 252, 1764, 12516, 88804],
    "pawns(adjacency='king')": [1, 5, 25, 225, 2025, 21779],
    "pawns(base='cells', adjacency='king')": [1, 9, 81, 990, 12100, 164119],
    "pawns(base='cells', adjacency='king', home='dies')": [1, 12, 144, 1752, 21316, 272289],
}
POSITIONS = [
    ("c1 d1 +2", "e7 g6 +2", "black", [6, 54, 414, 3818, 30378]),
    ("d5 +2", "c1 c2 a3 b4 +0", "white", [9, 26, 219, 777, 6550]),
    ("h1 +0", "g2 h3 +0", "white", [5, 3, 11, 15, 73]),
    ("d1 d3 f1 g2 +0", "a8 f5 h1 h3 +0", "black", [10, 67, 578, 3871, 32237]),
]
OPTIONS = [
    *READINGS,
    "pawns(adjacency='king', double_wipe='draw', first='white')",
    "pawns(size=6, base_size=1, pawns=3)",
    "pawns(pawns=9, draw_plies=60, double_wipe='opponent')",
    "pawns(base='cells', size=5, pawns=3)",
]


@pytest.mark.long
@pytest.mark.parametrize("reading", READINGS)
def test_perft_of_every_reading(reading: str) -> None:
    depth = 6 if reading == "pawns" else min(5, len(READINGS[reading]) - 1)
    assert perft(reading, depth) == READINGS[reading][: depth + 1]


@pytest.mark.slow
@pytest.mark.parametrize("reading", READINGS)
def test_perft_to_full_depth(reading: str) -> None:
    assert perft(reading, len(READINGS[reading]) - 1) == READINGS[reading]


@pytest.mark.long
@pytest.mark.parametrize(("black", "white", "to_move", "counts"), POSITIONS)
def test_perft_of_positions(black: str, white: str, to_move: str, counts: list[int]) -> None:
    assert perft(position(black, white, to_move), 4)[1:] == counts[:4]


def played(state: State, *moves: str) -> State:
    for move in moves:
        state.apply_action(state.string_to_action(state.player, move))
    return state


def test_leaving_the_base_can_cost_the_own_pawn_beside_it() -> None:
    after = played(position("c1 d1 +2", "e7 g6 +2"), "base-c2")
    assert (2, 0) not in after.outside[0]
    assert len(after.outside[0]) + after.at_home[0] == 3


def test_shutting_a_base_removes_the_pawns_in_it() -> None:
    after = played(position("d5 +2", "c1 c2 a3 b4 +0", "white"), "b4-b3")
    assert after.at_home == (0, 0)
    assert after.outcome == GOES_ON


def test_entering_the_other_base_wins() -> None:
    state = position("d5 +2", "c1 c2 a3 b4 +0", "white")
    wins = [a for a in state.legal_actions() if state.child(a).outcome == SECOND_WON]
    assert [state.action_to_string(1, action) for action in wins] == ["c1-b1", "c2-b2", "a3-a2"]


@pytest.mark.parametrize("move", ["h3-h2", "g2-h2"])
def test_the_last_pawn_walled_in_loses(move: str) -> None:
    assert played(position("h1 +0", "g2 h3 +0", "white"), move).returns() == [-1.0, 1.0]


def test_features_of_a_position() -> None:
    state = position("d1 d3 f1 g2 +0", "a8 f5 h1 h3 +0")
    found = dict(zip(NAMES, features(state), strict=True))
    assert {name: found[name] for name in NAMES if name != "DSum"} == {
        "BMax": -1, "BSum": -5, "OBMin": 0, "OBSum": -1, "PD": 0,
    }  # fmt: skip
    assert found["DSum"] == pytest.approx(-38.13, abs=0.005)
    dsum = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    assert evaluate(state, (*dsum, 1.0)) == -28
    assert evaluate(state, (*dsum, 2.0)) == -56


@pytest.mark.parametrize(
    ("move", "values"), [("base-c2", (11010, 10210, 10010, 11100)), ("base-b3", (11010, 10210, 10010, 11100)),
                         ("base-c1", (10000, 110, 10, 1100))],
)  # fmt: skip
def test_values_of_the_first_moves(move: str, values: tuple[int, ...]) -> None:
    after = played(make_game("pawns").new_initial_state(), move)  # type: ignore[arg-type]
    assert tuple(evaluate(after, weights) for weights in TABLE.values()) == values


def test_everything_is_equal_at_the_start() -> None:
    assert features(make_game("pawns").new_initial_state()) == (0.0,) * 6


@given(st.integers(0, 10**6), st.lists(st.floats(-100, 100), min_size=6, max_size=6), st.integers(0, 2))
def test_kernels_do_the_same_plain_and_compiled(seed: int, weights: list[float], metric: int) -> None:
    game, rng = make_game(OPTIONS[seed % len(OPTIONS)]), stream(seed, "values")
    state = game.new_initial_state()
    for _ in range(seed % 40):
        if state.is_terminal():
            break
        random_step(game, state, rng)
    words, full = words_of(state), np.array([*weights, metric])
    assert python_twin(kernels.evaluate)(words, full) == kernels.evaluate(words, full)
    legal, child, twin = np.zeros(kernels.MOST_ACTIONS, np.int64), words.copy(), words.copy()
    count = python_twin(kernels.legal)(words, legal)
    assert legal[:count].tolist() == list(state.legal_actions())
    for action in legal[:count].tolist():
        assert python_twin(kernels.play)(words, action, twin) == kernels.play(words, action, child)
        assert (twin == child).all()


@pytest.mark.long
@pytest.mark.parametrize("walks", [2, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", OPTIONS[1:])
def test_options_keep_the_contract(options: str, walks: int) -> None:
    check_game(options, walks=walks, plies=60)


def test_rollouts_end_as_the_rules_say() -> None:
    words = words_of(make_game("pawns(draw_plies=30)").new_initial_state()).copy()
    result = kernels.rollout(words, np.array([1, 2, 3, 4], np.uint64))
    assert result >> 2 <= 30
    assert int(words[2]) >> 17 & 3 == result & 3


def test_two_hundred_plies_are_a_draw() -> None:
    from kibitz.core.match.play import play

    record = play("pawns(draw_plies=6)", ["random", "random"], seed=1)
    assert (record.ending.plies, record.ending.returns) == (6, [0.0, 0.0])


@pytest.mark.parametrize("options", ["pawns(size=4, base_size=3)", "pawns(base='cells', pawns=5)"])
def test_options_that_contradict_each_other_are_refused(options: str) -> None:
    with pytest.raises(BadSpec):
        make_game(options).new_initial_state()
