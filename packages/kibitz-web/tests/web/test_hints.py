"""Hints: what a strong agent would do, and with which probabilities where it mixes."""

import pytest

from kibitz.core.registry import make_game
from kibitz_web.analysis.hints import adviser, hint
from kibitz_web.analysis.solutions import can_be_solved


def hint_at_the_start(spec: str, player: int) -> str:
    game = make_game(spec)
    return hint(game, adviser(game, solvable=can_be_solved(spec)), 1, player, [], game.new_initial_state())


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "player", "words"),
    [
        ("right-turn(start=[-4, 0])", 0, "F 50%, R 50%"),
        ("right-turn(start=[-2, 0])", 0, "R"),
        ("macwiggins", 1, "DL 50%, DR 50%"),
        ("matrix", 0, "rock 33%, paper 33%, scissors 33%"),
    ],
)
def test_a_hint_names_the_mixture_of_the_equilibrium(spec: str, player: int, words: str) -> None:
    assert hint_at_the_start(spec, player) == words


@pytest.mark.long
def test_a_hint_for_somebody_who_has_lost_puts_it_off() -> None:
    """On a grid of nine two cops win; the robber had better not begin where they stand, nor next to them."""
    assert hint_at_the_start("cops", 1) in {f"robber {place}" for place in (2, 4, 5, 6, 7, 8)}


@pytest.mark.parametrize("spec", ["cops", "dilemma", "goofspiel(cards=7)"])
def test_a_hint_is_something_legal_wherever_one_is_given(spec: str) -> None:
    game = make_game(spec)
    state = game.new_initial_state()
    while state.chance_outcomes():
        state = state.child(state.chance_outcomes()[0][0])
    player = game.movers(state)[0]
    words = hint(game, adviser(game, solvable=False), 1, player, [], state)
    names = [state.action_to_string(player, action) for action in state.legal_actions(player)]
    assert words in names or all(any(part.startswith(name) for name in names) for part in words.split(", "))
