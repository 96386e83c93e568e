"""Kernels say what their references say, and all offers of DD are what the facts say."""

import numpy as np
import pytest
from hypothesis import given
from trail_positions import drawn_board, drawn_hand, numbers, start

from kibitz.core.kernels import jit_enabled, python_twin
from kibitz.core.seeds import stream
from kibitz_trails import offer_scoring
from kibitz_trails.board import minus, plus
from kibitz_trails.offer_scoring import chips_of, offer_scores, pack_board, parts, word

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")


@given(numbers)
def test_best_use_in_a_kernel_is_the_list_s(number: int) -> None:
    board, rng = drawn_board(number), stream(number, "trails kernels")
    packing = pack_board(board)
    for square in range(len(board.grid)):
        chips = drawn_hand(board, rng)
        assert packing.best_use(square, chips) == board.best_use(square, chips)
        arguments = packing.gains, packing.needs, packing.bounds, packing.chip, square, word(chips)
        with np.errstate(over="ignore"):
            assert python_twin(offer_scoring.best_use)(*arguments) == board.best_use(square, chips)


def test_parts_are_in_the_order_of_the_actions_that_send_them() -> None:
    state = start()
    for _ in range(2):
        state.apply_action(0)
    sent = [state.legal_actions(0).values(action) for action in state.legal_actions(0)]  # type: ignore[attr-defined]
    assert [chips_of(each, 5) for each in parts(state.chips[0] or ())] == sent


def test_all_offers_of_dd() -> None:
    state = start()
    scores, board = offer_scores(state), state.board
    assert scores.shape == (63_504, 2)
    better = scores[(scores > 5).all(axis=1)]
    assert len(better) == 26_880
    assert len(np.unique(scores, axis=0)) == 550
    points = {tuple(row) for row in better.tolist()}
    best = [one for one in points if not any(one != two and one[0] <= two[0] and one[1] <= two[1] for two in points)]
    assert sorted(best) == [(100 + 5 * step, 180 - 5 * step) for step in range(17)]
    assert max(points, key=lambda point: (point[0] - 5) * (point[1] - 5)) == (140, 140)
    offers = state.offers()
    for number in stream(1, "trails offers").integers(0, len(offers), 200).tolist():
        given, asked = offers.sides(offers[number])
        own, other = (board.chips[player] for player in (0, 1))
        kept = plus(minus(own, given), asked), plus(minus(other, asked), given)
        assert scores[number].tolist() == [board.best_use(board.starts[player], kept[player]) for player in (0, 1)]
