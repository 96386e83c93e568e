"""What the pages offer for a game is what fits it."""

import asyncio

import pytest

from kibitz.core.registry import make_game
from kibitz.server.compute import Compute
from kibitz.web.choices import Choices


@pytest.mark.parametrize(
    ("game", "agents", "there", "missing"),
    [
        ("kuhn", ["random", "mcts", "aware"], "strategy_filter", "risk.choice"),
        ("pawns", ["random", "alphabeta", "asymmetric", "mcts", "aware"], "dbn", "trails.types"),
        ("risk(players=3)", ["random", "mcts", "aware"], "risk.choice", "dbn"),
    ],
)
def test_a_page_offers_what_fits_the_game(game: str, agents: list[str], there: str, missing: str) -> None:
    async def run() -> None:
        compute = Compute()
        choices = Choices(compute)
        found = await choices.fitting(make_game(game))
        assert found.agents == agents
        assert there in found.models
        assert missing not in found.models
        assert await choices.fitting(make_game(game)) is found, "it is found out once"
        assert game.partition("(")[0] in await choices.games()
        compute.close()

    asyncio.run(run())
