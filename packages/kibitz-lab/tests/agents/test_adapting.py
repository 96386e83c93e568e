"""The agent that learns from what it earns."""

import pytest

from kibitz import core, make_agent, make_game, play
from kibitz.core.seeds import stream


@pytest.mark.long
def test_it_comes_to_prefer_what_pays_against_this_opponent_and_remembers_it() -> None:
    agent = make_agent("adapting(memory=0, horizon=1)")
    for seed in range(3):
        play("dilemma(rounds=100)", [agent, "dilemma.cooperator"], seed=seed)
    assert isinstance(agent, core.Strategy)
    agent.begin(make_game("dilemma"), 0, stream(1, "seat"))
    assert agent.policy(make_game("dilemma").new_initial_state()).probability(1) > 0.7
