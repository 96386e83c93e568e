"""What tests of Colored Trails share: drawn boards and positions, and an exhaustive search to compare with."""

from functools import cache

import numpy as np
from hypothesis import strategies as st

from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.games.trails.board import Board
from kibitz.games.trails.chips import Chips
from kibitz.games.trails.rules import State


def start(spec: str = "trails") -> State:
    """The first position of a game."""
    state = make_game(spec).new_initial_state()
    assert isinstance(state, State)
    return state


def play(state: State, *moves: str) -> State:
    """Play moves as they are written; two that are made at once stand in one text, `send nothing | send 1 red`."""
    for move in moves:
        players = state.game.movers(state)
        words = move.split(" | ") if len(players) > 1 else [move]
        state.step([state.string_to_action(player, text) for player, text in zip(players, words, strict=True)])
    return state


def drawn_board(number: int) -> Board:
    """A small board with anything on it."""
    rng = stream(number, "trails board")
    rows, cols, colours = (int(rng.integers(low, high)) for low, high in ((1, 5), (2, 5), (1, 5)))
    squares = rng.permutation(rows * cols)
    chips = tuple(tuple(int(count) for count in rng.integers(0, 4, colours)) for _ in range(2))
    return Board(
        name=f"drawn {number}",
        rows=rows,
        cols=cols,
        colours=tuple("abcd"[:colours]),
        grid=tuple(int(colour) for colour in rng.integers(0, colours, rows * cols)),
        goal=int(squares[0]),
        starts=(int(squares[1]), int(squares[-1])),
        chips=chips,
        hands=tuple((hand,) for hand in chips),
        names=("P0", "P1"),
    )


def drawn_hand(board: Board, rng: np.random.Generator) -> Chips:
    """Any chips that may be held on a board."""
    return tuple(int(rng.integers(0, most + 1)) for most in board.in_play)


def searched(board: Board, square: int, chips: Chips) -> tuple[int, bool]:
    """The best score, and whether the goal can be reached, by walking every path there is."""
    cells: list[list[int]] = [[target for target in near if target is not None] for near in board.neighbours]

    @cache
    def walked(place: int, held: Chips) -> tuple[int, bool]:
        best, reached = board.score(place, held), place == board.goal
        for target in () if reached else cells[place]:
            colour = board.grid[target]
            if held[colour]:
                left = (*held[:colour], held[colour] - 1, *held[colour + 1 :])
                score, there = walked(target, left)
                best, reached = max(best, score), reached or there
        return best, reached

    return walked(square, chips)


numbers = st.integers(0, 2**32 - 1)
"""Seeds of boards and positions."""
