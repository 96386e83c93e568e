"""Cops and robber: what is known about how many cops a graph takes."""

import itertools
import math

import pytest

from kibitz import make_game
from kibitz.core.match.play import play
from kibitz.games.cops.rules import State
from kibitz.games.cops.view import coordinates, draw
from kibitz.solve.backward import BackwardInduction
from kibitz.testing import perft


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


def test_pursuit_chases_as_the_cops_and_runs_as_the_robber() -> None:
    game = "cops(graph=cycle, size=7, cops=2)"
    one, other, record = (
        play(game, seats, seed=1) for seats in (["pursuit"] * 2, ["chaser", "runner"], ["runner"] * 2)
    )
    assert [entry.actions for entry in one.entries] == [entry.actions for entry in other.entries]
    assert [entry.actions for entry in one.entries] != [entry.actions for entry in record.entries]


def test_perft_is_unchanged() -> None:
    assert perft("cops(graph=petersen, cops=2)", depth=4) == [1, 10, 36, 144, 492]


@pytest.mark.parametrize("shape", ["path", "cycle", "grid", "petersen"])
def test_neighbours_are_drawn_apart_and_orders_are_pressed(shape: str) -> None:
    game = make_game(f"cops(graph={shape}, size=5)")
    state = game.new_initial_state()
    places = coordinates(game.graph, game.size)
    assert min(math.dist(*pair) for pair in itertools.combinations(places, 2)) > 1.0
    assert {each.action for each in draw(state).inputs} == set(state.legal_actions())
    state.apply_action(state.legal_actions()[-1])
    assert {each.source for each in draw(state).inputs} == {"place-0"}, "both cops begin here"
    assert {action for each in draw(state).inputs for action in each.actions.values()} == set(state.legal_actions())
    state.apply_action(state.ways[0][0])
    assert [each.id for each in draw(state).shapes if each.id.startswith("order-")] == ["order-0"]
