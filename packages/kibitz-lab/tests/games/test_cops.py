"""Cops and robber: what is known about how many cops a graph takes."""

import pytest

from kibitz import make_game
from kibitz.core.match.play import play
from kibitz.testing import perft
from kibitz_lab.equilibria.backward import BackwardInduction
from kibitz_lab.games.cops.rules import State


@pytest.mark.parametrize(
    ("graph", "cops", "caught"),
    [
        ("path, size=5", 1, True),
        ("cycle, size=5", 1, False),
        ("cycle, size=5", 2, True),
        ("grid, size=3", 1, False),
        ("grid, size=3", 2, True),
        ("petersen", 2, False),
    ],
)
def test_a_graph_takes_as_many_cops_as_is_known(graph: str, cops: int, caught: bool) -> None:
    state = make_game(f"cops(graph={graph}, cops={cops}, turns=6)").new_initial_state()
    assert BackwardInduction().value(state)[0] == (1.0 if caught else -1.0)


def test_cops_are_all_the_same() -> None:
    state = make_game("cops(cops=2)").new_initial_state()
    state.apply_action(8)
    assert state.child(1).child(3).key() == state.child(3).child(1).key()


def test_orders_are_carried_out_together() -> None:
    state = make_game("cops(graph=path, size=3, cops=2)").new_initial_state()
    state.apply_action(1)
    state.apply_action(1)
    assert isinstance(state, State)
    assert state.cops == (0, 0)
    assert not state.is_terminal()
    state.apply_action(0)
    assert state.cops == (0, 1)
    assert state.returns() == [1.0, -1.0]


def test_house_agents_chase_and_run() -> None:
    caught = play("cops(graph=path, size=5, cops=1, turns=6)", ["chaser", "runner"])
    assert caught.ending.returns == [1.0, -1.0]
    assert len(caught.entries) == 8
    assert play("cops(graph=cycle, size=6, cops=1)", ["chaser", "runner"]).ending.returns == [-1.0, 1.0]


def test_perft_is_unchanged() -> None:
    assert perft("cops(graph=petersen, cops=2)", depth=4) == [1, 10, 36, 144, 492]
