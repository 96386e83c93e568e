"""A match that is over leaves no agent and no model behind: a server or a study plays thousands in one process."""

import gc
import weakref

import pytest

from kibitz import core, make_agent, make_game
from kibitz.core.errors import KibitzError
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch
from kibitz.core.registry import Kind, entries, make_model

NOT_BY_NAME = {"human", "process", "program", "scripted"}
"""Agents that need a person, a command or a file before they can play."""
GAMES = ("pawns", "kuhn(players=2)")
"""One that is too large to solve, and one with secrets."""


def registered(kind: Kind) -> list[str]:
    ours = (name for name, entry in entries(kind).items() if entry.target.startswith("kibitz"))
    return sorted(name for name in ours if "." not in name and name not in NOT_BY_NAME)


def play_some(game: core.Game, agents: list[core.Agent], models: list[core.Model]) -> None:
    for _ in RecordedMatch(game, agents, MatchOptions(models=models, seed=1, max_plies=4)).moments():
        pass


def kept_after_matches(kind: Kind, name: str) -> list[core.Agent | core.Model]:
    """Of some agents or models of one name, those that are still there when their matches are over."""
    seen = []
    for text in GAMES:
        for _ in range(2):  # what is kept of the first match may be met again in the second
            game = make_game(text)
            agents = [make_agent(name if kind == "agent" and not seat else "random") for seat in range(game.players)]
            models = [make_model(name)] if kind == "model" else []
            try:
                play_some(game, agents, models)
            except KibitzError:
                continue
            seen.append(weakref.ref((models or agents)[0]))
    del agents, models
    gc.collect()
    return [found for each in seen if (found := each()) is not None]


@pytest.mark.long
@pytest.mark.parametrize("name", registered("agent"))
def test_no_agent_is_kept_after_its_match(name: str) -> None:
    assert not kept_after_matches("agent", name)


@pytest.mark.long
@pytest.mark.parametrize("name", registered("model"))
def test_no_model_is_kept_after_its_match(name: str) -> None:
    assert not kept_after_matches("model", name)
