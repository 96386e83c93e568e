"""BestUse is what walking every path finds, and what the facts say of the reconstructed boards."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from trail_positions import drawn_board, drawn_hand, numbers, searched

from kibitz.core.seeds import stream
from kibitz_trails.board import Board, Chips, minus, plus, short
from kibitz_trails.board_file import load
from kibitz_trails.situation import kept_share

CASES, CASES_PER_BOARD = 10_000, 20
DD = load("dd")
GRAY, YELLOW = (0, 0, 0, 0, 1), (0, 0, 0, 1, 0)


def times(count: int, chips: Chips) -> Chips:
    return tuple(count * one for one in chips)


@pytest.mark.long
def test_ten_thousand_drawn_cases_are_what_walking_every_path_finds() -> None:
    checked, number = 0, 0
    while checked < CASES:
        board, rng = drawn_board(number), stream(number, "trails cases")
        for square in range(len(board.grid)):
            for _ in range(4):
                chips = drawn_hand(board, rng)
                score, reached = searched(board, square, chips)
                assert (board.best_use(square, chips), board.independent(square, chips)) == (score, reached), (
                    board,
                    square,
                )
                checked += 1
        number += 1


@given(numbers)
def test_missing_chips_are_the_fewest_that_make_independent(number: int) -> None:
    board, rng = drawn_board(number), stream(number, "trails missing")
    square = int(rng.integers(len(board.grid)))
    chips = drawn_hand(board, rng)
    lacking = board.lacking(square, chips)
    if lacking is None:
        assert not searched(board, square, board.in_play)[1]
        return
    missing = sum(lacking)
    assert searched(board, square, plus(chips, lacking))[1]
    for need in board.frontier(square).to_goal:
        assert sum(short(need, chips)) >= missing
    if missing:
        for colour in range(len(chips)):  # one chip less of what is lacking is not enough
            if lacking[colour]:
                fewer = tuple(one - (place == colour) for place, one in enumerate(lacking))
                assert not searched(board, square, plus(chips, fewer))[1]


def drawn_promises() -> Iterator[tuple[Board, int, Chips, Chips, Chips]]:
    """Ten thousand boards with a square, the chips of who stands there, what he is promised and a part of it."""
    for number in range(CASES // CASES_PER_BOARD):
        board, rng = drawn_board(number), stream(number, "trails promises")
        for _ in range(CASES_PER_BOARD):
            chips, held = drawn_hand(board, rng), drawn_hand(board, rng)
            promised = minus(tuple(map(max, chips, held)), chips)
            part = tuple(int(rng.integers(0, most + 1)) for most in promised)
            yield board, int(rng.integers(len(board.grid))), chips, promised, part


@pytest.mark.long
def test_every_further_chip_is_worth_at_least_its_own_points() -> None:
    for board, square, chips, promised, _ in drawn_promises():
        gained = board.best_use(square, plus(chips, promised)) - board.best_use(square, chips)
        assert gained >= board.scoring.chip * sum(promised)


@pytest.mark.long
def test_what_is_sent_of_a_promise_is_worth_less_than_all_of_it_and_never_less_than_nothing() -> None:
    for board, square, chips, promised, part in drawn_promises():
        share = kept_share(board, square, chips, promised, part, default=0.25)
        if not any(promised):
            assert share == 0.25
        elif part == promised:
            assert share == 1.0
        else:
            assert 0.0 <= share < 1.0
            assert (share > 0.0) == any(part)


def test_shortfalls_that_nobody_can_supply_do_not_count() -> None:
    start, chips = DD.starts[0], DD.chips[0]
    assert DD.lacking(start, chips, DD.chips[1]) == times(3, GRAY)
    assert DD.lacking(start, chips, times(2, GRAY)) is None


def test_the_start_of_the_reconstructed_boards() -> None:
    boards = [load(name) for name in ("dd", "di", "id")]
    used = [list(map(board.best_use, board.starts, board.chips)) for board in boards]
    assert used == [[5, 5], [5, 140], [140, 5]]
    assert list(map(DD.lacking, DD.starts, DD.chips)) == [times(3, GRAY), times(3, YELLOW)]


@pytest.mark.parametrize(
    ("player", "colour", "values"), [(0, GRAY, [5, 20, 35, 155, 160]), (1, YELLOW, [5, 25, 40, 155])]
)
def test_what_each_missing_chip_is_worth_in_dd(player: int, colour: Chips, values: list[int]) -> None:
    start, chips = DD.starts[player], DD.chips[player]
    assert [DD.best_use(start, plus(chips, times(count, colour))) for count in range(len(values))] == values
    assert all(low < high for low, high in pairwise(values))


@pytest.mark.parametrize(
    ("board", "sent", "values"),
    [
        ("dd", ((0, 0, 0, 3, 0), (0, 0, 0, 0, 3)), (140, 140)),
        ("dd", ((0, 0, 0, 0, 0), (0, 0, 0, 0, 3)), (155, -10)),
        ("dd", ((0, 0, 0, 3, 0), (0, 0, 0, 0, 0)), (-10, 155)),
        ("di", ((0, 0, 0, 3, 0), (0, 0, 0, 0, 3)), (140, 140)),
        ("di", ((3, 3, 0, 0, 0), (0, 0, 0, 0, 3)), (125, 155)),
        ("di", ((0, 0, 0, 0, 0), (0, 0, 0, 0, 3)), (155, 125)),
        ("di", ((3, 3, 0, 0, 0), (0, 0, 0, 0, 0)), (-25, 170)),
    ],
)
def test_deals_kept_and_broken(board: str, sent: tuple[Chips, Chips], values: tuple[int, int]) -> None:
    loaded = load(board)
    held = [plus(minus(loaded.chips[player], sent[player]), sent[1 - player]) for player in (0, 1)]
    assert tuple(map(loaded.best_use, loaded.starts, held)) == values


def test_all_chips_and_none() -> None:
    everything = plus(*DD.chips)
    assert {DD.best_use(start, everything) for start in DD.starts} == {220}
    assert {DD.best_use(start, (0,) * 5) for start in DD.starts} == {-80}
