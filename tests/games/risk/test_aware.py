"""The agent that acts on what others are after."""

import numpy as np
import pytest

import kibitz
from kibitz import core
from kibitz.core.errors import Unsupported
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.games.risk import phases
from kibitz.games.risk.aware import Aware
from kibitz.games.risk.rules import Risk, State
from kibitz.games.risk.sight import Sight

AFRICA, ASIA = 3, 4


class Certain(core.Model):
    """Is sure of one card for everybody."""

    answers = ("goal",)

    def __init__(self, card: str = "Asia + Africa") -> None:
        self.card = card

    def observe(self, transition: core.Transition) -> None:
        """It knows already."""

    def belief(self, player: int) -> dict[str, float]:
        return {self.card: 1.0}


def nearly_won() -> State:
    """Player 1 lacks one territory of Asia and Africa."""
    game = make_game("risk(players=3)", fast=False)
    assert isinstance(game, Risk)
    state = game.new_initial_state()
    state.phase, state.missions = phases.ATTACK, (0, -1, -1)
    state.owners = [
        1 if each.continent in (AFRICA, ASIA) else 2 * (place % 2) for place, each in enumerate(game.map.territories)
    ]
    state.owners[25] = 0
    state.armies = [3] * 42
    return state


def threats(model: core.Model | None) -> np.ndarray:
    state, agent = nearly_won(), Aware(model=model)
    agent.begin(state.game, 0, stream(0, "test"))
    return agent.threats(Sight(state, 0))


def test_who_is_near_to_his_card_is_hindered_where_it_hurts() -> None:
    known, blind, wrong = threats(Certain()), threats(None), threats(Certain("North America + Australia"))
    theirs = [place for place in range(42) if nearly_won().owners[place] == 1]
    elsewhere = [place for place in range(42) if nearly_won().owners[place] == 2]
    assert known[theirs].min() == pytest.approx(0.5**0.5)
    assert known[theirs].min() > blind[theirs].max() > wrong[theirs].max()
    assert known[elsewhere].max() < 0.05  # who is far from it is left alone
    assert known[[place for place in range(42) if nearly_won().owners[place] == 0]].max() == 0.0


def test_denial_changes_what_is_attacked() -> None:
    state = nearly_won()
    found = []
    for model in (Certain(), Certain("North America + Australia")):
        agent = Aware(model=model, w=1.0, deny=1000.0)
        agent.begin(state.game, 0, stream(0, "test"))
        wants = agent.wants(Sight(state, 0))
        best = max((to for _, to in Sight(state, 0).pairs()), key=wants.__getitem__)
        found.append(state.owners[best])
    assert found == [1, 2]


def test_a_model_that_says_nothing_of_goals_is_refused() -> None:
    with pytest.raises(Unsupported, match="does not say what a player is after"):
        kibitz.play("risk", ["aware(model=strategy_filter)", "random", "random"], max_plies=5)


def test_games_with_the_learned_model_end() -> None:
    record = kibitz.play("risk", ["aware(model=risk.choice)", "mission", "constrained"], seed=2)
    assert record.ending is not None
    assert record.ending.reason == "terminal"
    assert repr(make_agent("risk.aware(model=risk.choice)")) == "risk.aware(model=risk.choice)"
