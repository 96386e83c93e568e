"""What states are made of."""

import pytest

from kibitz import make_game
from kibitz.core.kit.numbers import variables_of
from kibitz.core.registry import entries
from kibitz.core.seeds import stream
from kibitz.testing.walks import walk
from kibitz_lab.learn.examples import variable

GAMES = [name for name, entry in entries("game").items() if ".recursive." in entry.target]
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
