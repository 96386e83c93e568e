"""What states are made of."""

import pytest

from kibitz import make_game
from kibitz.core.abilities.variables import variables_of
from kibitz.core.registry import entries, has_ability
from kibitz.core.seeds import stream
from kibitz.learn.expressions import variable
from kibitz.testing.walks import walk

GAMES = sorted(name for name in entries("game") if has_ability(name, "VARIABLES"))
BANDS = "bear-brawl(heroes=2, bears=1, dimensions=2, radius=2)"


@pytest.mark.parametrize("name", [*GAMES, BANDS])
def test_states_of_a_game_have_the_same_variables_and_tell_what_differs(name: str) -> None:
    game = make_game(name)
    variables = variables_of(game)
    seen: dict[tuple[object, ...], object] = {}
    names = set()
    for state in walk(game, stream(1, name), 60):
        if not state.is_terminal() and not state.chance_outcomes():
            found = variables(state)
            names.add(tuple(found))
            assert seen.setdefault(tuple(found.values()), state.key()) == state.key()
    assert len(names) == 1
    for each in names.pop():
        variable(each)  # which refuses what no program could use


def test_1d1h1b_has_the_letters_of_keffer() -> None:
    game = make_game("bear-brawl(start=(3, 1, 2, -4))")
    assert variables_of(game)(game.new_initial_state()) == {"u": 3, "v": 1, "x": 2, "y": -4}
    bands = make_game(BANDS)
    assert list(variables_of(bands)(bands.new_initial_state()))[:4] == ["hero1_hp", "hero2_hp", "bear1_hp", "hero1_x"]


def test_without_variables_of_its_own_a_game_is_known_by_features_or_key() -> None:
    pawns, pennies = make_game("pawns"), make_game("pennies")
    assert "BMax" in variables_of(pawns)(pawns.new_initial_state())
    found = variables_of(pennies)(pennies.new_initial_state())
    assert found
    assert all(name.startswith("key") and isinstance(value, (int, float, str)) for name, value in found.items())
