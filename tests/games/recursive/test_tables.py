"""The tables of states say what the rules say: on every state of small boards, on some of large ones."""

from itertools import product

import numpy as np
import pytest

from kibitz.core.abilities import ability
from kibitz.core.abilities.state_table import COLUMN_BITS, OUTSIDE, StateTable
from kibitz.core.registry import make_game, spec_of
from kibitz.core.seeds import stream
from kibitz.games.recursive.rules import State

SMALL = [
    "right-turn(radius=4)",
    "chauffeur(radius=4)",
    "chauffeur(radius=4, turns=right)",
    "bear-brawl(radius=3)",
    "bear-brawl(radius=2, edge=illegal, payoffs=signed)",
    "bear-brawl(radius=3, edge=unbounded, powder=[[-1], [2]])",
    "bear-brawl(dimensions=2, radius=1, hero_hp=1, bear_hp=1)",
    "bear-brawl(dimensions=2, radius=1, hero_hp=1, bear_hp=2, edge=illegal)",
    "bear-brawl(heroes=2, radius=1, hero_hp=1, bear_hp=2)",
    "bear-brawl(bears=2, radius=2, hero_hp=2, bear_hp=1, edge=illegal)",
]
LARGE = [
    "right-turn(radius=1000)",
    "chauffeur(radius=500)",
    "bear-brawl(hero_hp=10, bear_hp=10, radius=60)",
    "bear-brawl(dimensions=2, heroes=2, bears=2, radius=4)",
]


def table_of(spec: str) -> StateTable:
    game = make_game(spec)
    table = ability(spec_of(game).name, "TABLE")(game)
    assert isinstance(table, StateTable)
    return table


def expected(table: StateTable, state: State) -> list[list[int]]:
    """The numbers of the states that follow by the rules, a row per action of player 0."""
    movers = state.game.movers(state)
    choices = [state.legal_actions(player) if player in movers else [None] for player in (0, 1)]
    found = []
    for row, column in product(*choices):
        after = state.clone()
        after.step([action for action in (row, column) if action is not None])
        found.append(table.number(after))
    return np.reshape(found, (len(choices[0]), len(choices[1]))).tolist()  # type: ignore[no-any-return]


def assert_alike(table: StateTable, number: int) -> None:
    state = table.state(number)
    assert isinstance(state, State)
    assert table.number(state) == number
    found = np.empty(table.most_pairs, np.int64)
    shape = table.successors(table.parameters, number, found)
    assert (shape == 0) == state.is_terminal()
    if state.is_terminal():
        assert table.payoff(table.parameters, number) == state.returns()[0]
        return
    rows, columns = shape >> COLUMN_BITS, shape & ((1 << COLUMN_BITS) - 1)
    assert found[: rows * columns].reshape(rows, columns).tolist() == expected(table, state), state.position


@pytest.mark.long
@pytest.mark.parametrize("spec", SMALL)
def test_the_kernels_play_by_the_rules_on_every_state(spec: str) -> None:
    table = table_of(spec)
    for number in range(table.size):
        assert_alike(table, number)


@pytest.mark.long
@pytest.mark.parametrize("spec", LARGE)
def test_the_kernels_play_by_the_rules_on_states_of_large_boards(spec: str) -> None:
    table = table_of(spec)
    for number in stream(1, "tables", spec).integers(table.size, size=300).tolist():
        assert_alike(table, number)


def test_beyond_the_board_is_outside() -> None:
    table = table_of("right-turn(radius=4)")
    assert table.number(State(make_game("right-turn(radius=9)"), (5, 0))) == OUTSIDE  # type: ignore[arg-type]
    assert table.outside == (0.0, 0.0)
    assert table_of("bear-brawl(edge=unbounded, payoffs=signed)").outside == (-1.0, 1.0)
