"""Predictions trust chance until a model has shown that it knows a player, so nobody is predicted much worse."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz import core
from kibitz.core.match.play import play
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.models.strangers import Trust
from kibitz.models.strangers.stranger import CHANCE, RELEASED
from kibitz.models.strategy_filter import StrategyFilter
from kibitz_lab.models.rehearsal import Rehearsal


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(2, 50)), max_size=60))
def test_no_prediction_is_much_worse_than_chance(choices: list[tuple[float, int]]) -> None:
    trust, loss, uniform = Trust(), 0.0, 0.0
    for likely, options in choices:
        legal = range(options)
        predicted = core.Distribution({0: likely}, legal, 1.0 - likely)
        loss -= log(trust.mix_with_chance(predicted, legal).probability(0))
        uniform += log(options)
        trust.learn(likely, options)
    assert loss <= uniform - log(CHANCE) - len(choices) * log(1.0 - RELEASED) + 1e-9


def test_a_model_that_predicts_well_is_soon_trusted() -> None:
    trust = Trust()
    for _ in range(5):
        trust.learn(0.5, 20)
    assert trust.chance < 0.01
    trust.learn(0.0, 1)
    assert trust.chance < 0.01


@pytest.mark.parametrize(
    ("model", "game"),
    [
        (StrategyFilter(), "kuhn(players=3)"),
        (StrategyFilter(drift=0.1), "dilemma"),
        (StrategyFilter(), "axis"),
        (Rehearsal(agents=(make_agent("pennies.heads"),)), "pennies"),
    ],
)
def test_what_is_learned_of_trust_is_what_was_predicted(model: StrategyFilter | Rehearsal, game: str) -> None:
    rules = make_game(game)
    model.begin(rules, None, stream(1))
    seen = 0
    for moment in replaying(play(game, ["random"] * rules.players, seed=3)):
        event = moment.event
        expected = {}
        for player, action in event.choices() if event is not None else ():
            view = event.before.view(None, "test")
            options = len(view.legal_actions(player))
            if options > 1:
                even = model.trust[player].before_choice() / options
                expected[player] = even / model.predict(view, player).probability(action)
        if event is not None:
            model.observe(event.transition(None, "test"))
        for player, chance in expected.items():
            assert model.trust[player].chance == pytest.approx(chance)
            seen += 1
    assert seen > 2


def test_who_counts_on_known_players_alone_does_not_count_on_chance() -> None:
    model = StrategyFilter(strategies=(make_agent("dilemma.defector"),), unknown=0.0, noise=0.0)
    game = make_game("dilemma")
    model.begin(game, None, stream(1))
    assert model.predict(game.new_initial_state(), 0).probability(1) == 1.0
