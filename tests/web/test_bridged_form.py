"""The form that sets up a match offers the games of bridges whose package is installed."""

import pytest

from kibitz.core.registry import make_game
from kibitz.server.live.setup import allowed_setup
from kibitz.web.choices import fitting_choices, game_words
from kibitz.web.parts.match_form import game_options

pytest.importorskip("pyspiel")


def test_a_game_of_another_package_is_chosen_from_a_list() -> None:
    assert game_words()["openspiel"].startswith("openspiel: A game of OpenSpiel")
    ((name, default, choices),) = game_options("openspiel")
    assert (name, default) == ("game", "tic_tac_toe")
    assert {"connect_four", "leduc_poker"} <= {*choices}
    assert "mcts" in fitting_choices("openspiel(game='connect_four')").agents


def test_a_match_in_it_can_be_set_up() -> None:
    setup = allowed_setup("openspiel:leduc_poker", [None, "random"], models=["strategy_filter@0"])
    assert setup.game == "openspiel(game='leduc_poker')"
    assert make_game(setup.game).hidden
