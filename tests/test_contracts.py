"""Everything that is registered keeps its contract, before its author writes a test."""

from pathlib import Path

import pytest

from kibitz.core.registry import entries
from kibitz.testing import check_agent, check_game, check_model, check_playthrough

GOLDEN = Path(__file__).parent / "golden"
GAMES, AGENTS, MODELS = (sorted(entries(kind)) for kind in ("game", "agent", "model"))


@pytest.mark.parametrize("name", GAMES)
def test_game_keeps_the_contract(name: str) -> None:
    check_game(name)


@pytest.mark.parametrize("name", GAMES)
def test_game_plays_as_it_did(name: str) -> None:
    check_playthrough(name, GOLDEN / f"{name}.txt")


@pytest.mark.parametrize("name", AGENTS)
def test_agent_keeps_the_contract(name: str) -> None:
    check_agent(name)


@pytest.mark.parametrize("name", MODELS)
def test_model_keeps_the_contract(name: str) -> None:
    check_model(name)
