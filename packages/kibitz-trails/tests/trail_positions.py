"""What tests of Colored Trails share: drawn boards and positions, and an exhaustive search to compare with."""

from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from kibitz import core
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz_trails.board import Board, Chips
from kibitz_trails.rules import State
from kibitz_trails.situation import History, Situation


def start(spec: str = "trails") -> State:
    """The first position of a game."""
    state = make_game(spec).new_initial_state()
    assert isinstance(state, State)
    return state


def play(state: State, *moves: str) -> State:
    """Play moves as they are written; two that are made at once stand in one text, `send nothing | send 1 red`."""
    for move in moves:
        made(state, move)
    return state


def made(state: State, move: str) -> tuple[int, ...]:
    """Make one move; the actions that it stands for."""
    players = state.game.movers(state)
    words = move.split(" | ") if len(players) > 1 else [move]
    actions = tuple(state.string_to_action(player, text) for player, text in zip(players, words, strict=True))
    state.step(actions)
    return actions


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


def seen(state: State, *moves: str) -> History:
    """Play moves as `play` does, and what an outsider has seen of them."""
    history = History()
    for ply, move in enumerate(moves):
        before, player = state.clone(), state.current_player()
        actions = made(state, move)
        history.observe(core.Transition(ply, player, actions, before, state.clone()))
    return history


def situation(player: int, *moves: str, spec: str = "trails", **attributes: Any) -> Situation:
    """What *player* looks at after some moves, with some attributes of the position set anew."""
    state = start(spec)
    history = seen(state, *moves)
    return Situation(state.copy_with(**attributes), player, history)
