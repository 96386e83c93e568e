"""Rock-paper-scissors: what a round counts for each goal, and what its bounds promise."""

import pytest

from kibitz import make_game
from kibitz.core.registry import kit_of
from kibitz.games.rps.rules import SHAPES, State


def state(spec: str, own: int, others: int, left: int) -> State:
    game = make_game(spec)
    game.new_initial_state()
    return State(game, own, others, left)  # type: ignore[arg-type]


def after(spec: str, position: tuple[int, int, int], first: str, second: str) -> object:
    reached = state(spec, *position)
    reached.apply_actions([SHAPES.index(first), SHAPES.index(second)])
    return reached.key()


def test_a_round_counts_what_the_goal_says() -> None:
    assert after("rps(wins=2)", (0, 0, -1), "paper", "rock") == (1, 0, -1)
    assert after("rps(wins=2)", (0, 0, -1), "paper", "scissors") == (0, 1, -1)
    assert after("rps(wins=2, rounds=3)", (0, 0, 3), "rock", "rock") == (0, 0, 2)
    assert after("rps(goal=ever)", (0, 0, -1), "paper", "scissors") == (0, 0, -1)


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        ("rps(wins=2)", {(2, 1, -1): 1.0, (1, 2, -1): 0.0, (1, 1, -1): None}),
        ("rps(goal=points, rounds=2)", {(2, 0, 0): 2.0, (0, 1, 0): -1.0, (1, 0, 1): None}),
        ("rps(goal=tie, rounds=1)", {(0, 0, 0): 1.0, (1, 0, 0): 0.0, (0, 0, 1): None}),
    ],
)
def test_a_match_is_worth_what_the_goal_says(spec: str, values: dict[tuple[int, int, int], float | None]) -> None:
    assert {position: state(spec, *position).value() for position in values} == values


def test_the_bounds_hold_an_even_game() -> None:
    for spec, position in (("rps(wins=2)", (1, 0, -1)), ("rps(goal=ever, rounds=4)", (0, 0, 4))):
        for heuristic in (kit_of("rps").heuristics or {}).values():
            low, high = heuristic.bounds(state(spec, *position))
            assert 0.0 <= low <= high <= 1.0
