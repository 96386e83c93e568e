"""Contract tests for games, agents and models; use them in the tests of your own package.

    from kibitz.testing import check_game
    def test_my_game_keeps_the_contract():
        check_game("my-game")

Each raises ContractBroken, an AssertionError that says what is wrong and where.
"""

from kibitz.testing.agents import check_agent
from kibitz.testing.descriptions import check_about, check_fields
from kibitz.testing.games import check_game
from kibitz.testing.leaks import check_leaks
from kibitz.testing.lockstep import check_lockstep
from kibitz.testing.models import check_model
from kibitz.testing.perft import perft
from kibitz.testing.playthroughs import check_playthrough, playthrough
from kibitz.testing.tables import check_table

__all__ = [
    "check_about",
    "check_agent",
    "check_fields",
    "check_game",
    "check_leaks",
    "check_lockstep",
    "check_model",
    "check_playthrough",
    "check_table",
    "perft",
    "playthrough",
]
