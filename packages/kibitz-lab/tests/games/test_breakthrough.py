"""Breakthrough: OpenSpiel's rules, the features of positions looked at by hand, the kernels plain and compiled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.kernels import python_twin
from kibitz.core.kernels.random import Draws
from kibitz.core.kit import compiled
from kibitz.core.kit.compiled import words_of
from kibitz.core.registry import kit_of
from kibitz.core.seeds import kernel_stream
from kibitz.testing import perft
from kibitz_lab.games.breakthrough import kernels
from kibitz_lab.games.breakthrough.agents import Hoarder, Runner, Wall
from kibitz_lab.games.breakthrough.features import EVALUATION, NAMES, evaluate, feature_weights, features
from kibitz_lab.games.breakthrough.rules import Breakthrough, State, position
from kibitz_lab.search.compiled_search import CompiledSearch
from kibitz_lab.search.settings import Settings

PERFT = {
    "breakthrough": [1, 22, 484, 11132, 256036],
    "breakthrough(rows=7, columns=3)": [1, 7, 49, 392, 3095, 27044, 231700],
    "breakthrough(rows=6, columns=6)": [1, 16, 256, 4308, 71478],
    "breakthrough(rows=6, columns=4)": [1, 10, 100, 1074, 11232, 126368],
    "breakthrough(rows=5, columns=5)": [1, 13, 169, 1911, 21514],
    "breakthrough(rows=4, columns=3)": [1, 7, 49, 256, 1230, 5940, 23938],
    "breakthrough(rows=3, columns=2)": [1, 4, 12, 22, 18, 12, 0],
}


@pytest.mark.long
@pytest.mark.parametrize("game", PERFT)
def test_perft_is_openspiels(game: str) -> None:
    """The numbers came out of our reference and out of OpenSpiel 2.0 alike."""
    assert perft(game, len(PERFT[game]) - 1) == PERFT[game]


def legal(state: State) -> set[str]:
    return {state.action_to_string(state.player, action) for action in state.legal_actions()}


def test_a_piece_takes_diagonally_and_never_straight_on() -> None:
    state = position("a4 d4 e4", "d5 e5 f5 a8")
    assert legal(state) == {"a4-a5", "a4-b5", "d4-c5", "d4xe5", "e4xd5", "e4xf5"}
    state.apply_action(state.string_to_action(0, "d4xe5"))
    assert state.pieces == position("a4 e5 e4", "d5 f5 a8").pieces
    assert legal(state) == {"d5-c4", "d5-d4", "d5xe4", "f5xe4", "f5-f4", "f5-g4", "a8-a7", "a8-b7"}


def test_the_far_row_wins() -> None:
    state = position("a7 b1", "a8 h8")
    state.apply_action(state.string_to_action(0, "a7-b8"))
    assert state.returns() == [1.0, -1.0]
    assert not state.legal_actions()
    state = position("b3", "a2 h8", player=1)
    state.apply_action(state.string_to_action(1, "a2-b1"))
    assert state.returns() == [-1.0, 1.0]


def test_taking_the_last_piece_wins() -> None:
    state = position("c3 c4", "d5", game=Breakthrough(rows=7, columns=4))
    state.apply_action(state.string_to_action(0, "c4xd5"))
    assert state.returns() == [1.0, -1.0]


def test_features_of_a_position_by_hand() -> None:
    """Player 0: c4 is guarded by b3 and attacked by d5, b3 stands alone, h1 keeps home. Player 1: d5 is attacked by
    c4 and unguarded; e7 guards f6, and may not step there; b8 and c8 keep home."""
    state = position("c4 b3 h1", "d5 f6 e7 b8 c8")
    expected = {
        "material": 3 - 5,
        "furthest": 3 - 3,
        "to_go": 4 - 4,
        "mean_advance": 5 / 3 - 6 / 5,
        "advance": 5 - 6,
        "keepers": 1 - 2,
        "mobility": (3 + 2 + 2) - (3 + 3 + 2 + 3 + 3),
        "guarded": 1 - 1,
        "exposed": 0 - 1,
    }
    assert dict(zip(NAMES, features(state), strict=True)) == pytest.approx(expected)


def test_a_side_without_pieces_has_the_whole_way_to_go() -> None:
    found = dict(zip(NAMES, features(position("", "c8 d5")), strict=True))
    assert found["to_go"] == 7 - 4
    assert found["furthest"] == 0 - 3
    assert found["mean_advance"] == -1.5


@st.composite
def positions(draw: st.DrawFn) -> State:
    """Any pieces anywhere, reachable or not, on boards of any size."""
    game = Breakthrough(draw(st.integers(3, 8)), draw(st.integers(2, 8)))
    board = [(x, y) for y in range(1, game.rows - 1) for x in range(game.columns)]
    home = [[(x, y) for x in range(game.columns)] for y in (0, game.rows - 1)]
    places = draw(st.lists(st.sampled_from(board), max_size=20, unique=True))
    cut = draw(st.integers(0, len(places)))
    sides = [
        {*places[:cut], *draw(st.lists(st.sampled_from(home[0]), min_size=1))},
        {*places[cut:], *draw(st.lists(st.sampled_from(home[1]), min_size=1))},
    ]
    return State(game, game.position_words(sides[0], sides[1], draw(st.integers(0, 1))))


@given(positions())
def test_kernels_play_by_the_rules(state: State) -> None:
    words = words_of(state)
    actions, child = np.empty(kernels.MOST_ACTIONS, np.int64), np.empty(kernels.WORDS, np.uint64)
    for version in (lambda kernel: kernel, python_twin):
        assert actions[: version(kernels.legal)(words, actions)].tolist() == state.legal_actions()
        for action in state.legal_actions():
            after = state.child(action)
            outcome = version(kernels.play)(words, action, child)
            assert outcome == (0 if after.winner is None else 1 + after.winner)
            assert child.tolist() == words_of(after).tolist()
            assert kernels.to_move(child) == after.player


WEIGHTS = [feature_weights(material=100.0), EVALUATION.weights, Runner.style, Hoarder.style, Wall.style]


@given(positions(), st.sampled_from(WEIGHTS) | st.lists(st.floats(-1e4, 1e4), min_size=9, max_size=9).map(tuple))
def test_kernels_evaluate_to_the_last_bit(state: State, weights: tuple[float, ...]) -> None:
    words = words_of(state)
    assert kernels.evaluate(words, np.array(weights)) == evaluate(state, weights)
    assert python_twin(kernels.evaluate)(words, np.array(weights)) == evaluate(state, weights)


@pytest.mark.long
@given(positions(), st.sampled_from(WEIGHTS), st.floats(-500.0, 500.0))
def test_expanding_stops_behind_the_first_child_that_is_enough(
    state: State, weights: tuple[float, ...], enough: float
) -> None:
    most = kernels.MOST_ACTIONS
    actions, outcomes = np.empty(most, np.int64), np.empty(most, np.int64)
    children, values = np.empty((most, kernels.WORDS), np.uint64), np.empty(most)
    count = kernels.expand(words_of(state), np.array(weights), enough, actions, children, values, outcomes)
    sign = 1.0 if state.player == 0 else -1.0
    for index, action in enumerate(state.legal_actions()[:count]):
        child = state.child(action)
        assert actions[index] == action
        assert children[index].tolist() == words_of(child).tolist()
        assert values[index] == evaluate(child, weights)
        assert outcomes[index] == (compiled.GOES_ON if child.winner is None else 1 + child.winner)
        stops = sign * values[index] >= enough and not child.is_terminal()
        assert stops == (index == count - 1) or (not stops and count == len(state.legal_actions()))


@pytest.mark.long
@np.errstate(over="ignore")  # without a compiler NumPy tells of words that wrap around
@given(positions(), st.integers(0, 2**32))
def test_a_rollout_draws_among_the_legal_actions(state: State, seed: int) -> None:
    """Twin of playing `legal_actions()[draws.below(...)]` until the game is over."""
    words, draws = words_of(state).copy(), Draws(kernel_stream(seed, "rollout"))
    twin = words.copy()
    packed = kernels.rollout(words, kernel_stream(seed, "rollout"))
    assert python_twin(kernels.rollout)(twin, kernel_stream(seed, "rollout")) == packed
    assert twin.tolist() == words.tolist()
    plies = 0
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[draws.below(len(actions))])
        plies += 1
    assert state.winner is not None
    assert packed == 1 + state.winner + 4 * plies
    assert words.tolist() == words_of(state).tolist()
    assert kernels.rollout(words, kernel_stream(seed, "rollout")) == 1 + state.winner, "a finished game stays"


def test_a_search_finds_the_way_through() -> None:
    """a6 is two steps from home and nobody can meet it."""
    state = position("a6 h1", "h7 g7 g8")
    found = CompiledSearch(kit_of("breakthrough").kernels).search(state, Settings(depth=3), EVALUATION.weights)
    assert state.action_to_string(0, found.action) in ("a6-a7", "a6-b7")
    assert found.value > 1e6
