"""What the pages offer for a game is what fits it."""

import pytest

from kibitz.core.registry import make_game
from kibitz.web.match_form import general_agents, model_choices


@pytest.mark.parametrize(
    ("game", "agents", "there", "missing"),
    [
        ("kuhn", ["random", "mcts"], "strategy_filter", "risk.choice"),
        ("pawns", ["random", "alphabeta", "asymmetric", "mcts", "opponent_aware"], "dbn", "trails.types"),
        ("risk(players=3)", ["random", "mcts"], "risk.choice", "dbn"),
    ],
)
def test_a_page_offers_what_fits_the_game(game: str, agents: list[str], there: str, missing: str) -> None:
    made = make_game(game)
    assert general_agents(made) == agents
    found = model_choices(made, ["mine(x=1)"])
    assert there in found
    assert missing not in found
    assert found[-1] == "mine(x=1)"
