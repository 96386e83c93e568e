"""Contract tests for games, agents and models; use them in the tests of your own package.

    from kibitz.testing import check_game
    def test_my_game_keeps_the_contract():
        check_game("my-game")

Each raises ContractBroken, an AssertionError that says what is wrong and where.
"""

from kibitz.testing.agents import check_agent
from kibitz.testing.games import check_game
from kibitz.testing.models import check_model
from kibitz.testing.perft import perft

__all__ = ["check_agent", "check_game", "check_model", "perft"]
