"""Who answers a model and keeps to what he risks."""

from itertools import product

import pytest

from kibitz import core, make_agent, make_game
from kibitz.core.errors import Unsupported
from kibitz.core.game import Transition
from kibitz.core.seeds import stream
from kibitz_lab.aware.agent import Aware
from kibitz_lab.plans.model import Plans
from kibitz_solve import solve
from kibitz_solve.agents.opponent_aware import OpponentAware

FILTER = "strategy_filter(strategies=[random])"


def seated(spec: str, game: str, player: int) -> OpponentAware:
    agent = make_agent(spec)
    agent.begin(make_game(game), player, stream(1, "seat"))
    assert isinstance(agent, Aware)
    assert isinstance(agent.delegate, OpponentAware)
    return agent.delegate


def least_earned(agent: OpponentAware, state: core.State, ply: int = 0) -> float:
    """What the agent earns against the opponent who knows its every thought, over all the match can become."""
    if state.is_terminal():
        return state.returns()[agent.player]
    policy = agent.policy(state.view(agent.player))
    worth = []
    for answer in state.legal_actions(1 - agent.player):
        total = 0.0
        for own in state.legal_actions(agent.player):
            odds = policy.probability(own)
            if odds > 0.0:
                actions = (own, answer) if agent.player == 0 else (answer, own)
                after = state.clone()
                after.apply_actions(actions)
                watching = agent.clone()
                watching.observe(Transition(ply, core.SIMULTANEOUS, actions, state.clone(), after.clone()))
                total += odds * least_earned(watching, after, ply + 1)
        worth.append(total)
    return min(worth)


@pytest.mark.parametrize(
    ("spec", "risk"), [("inspection(periods=3, inspections=1)", 0.3), ("rps(goal=points, rounds=2)", 0.5)]
)
@pytest.mark.parametrize("player", [0, 1])
def test_no_opponent_whatever_wins_more_than_the_risk(spec: str, risk: float, player: int) -> None:
    """Every history and every adaptive opponent, exactly; and the risk is used, so that the bound can fail."""
    agent = seated(f"aware(model={FILTER}, risk={risk})", spec, player)
    start = make_game(spec).new_initial_state()
    value = solve(spec).value(start) * (1.0 if player == 0 else -1.0)
    assert least_earned(agent, start) >= value - risk - 1e-6


def test_the_risk_is_taken_where_the_model_promises_gain() -> None:
    spec, risk = "inspection(periods=3, inspections=1)", 0.3
    agent = seated(f"aware(model={FILTER}, risk={risk})", spec, 0)
    start = make_game(spec).new_initial_state()
    assert agent.switches == 1
    assert least_earned(agent, start) < solve(spec).value(start) - 0.5 * risk


def test_without_risk_it_is_the_equilibrium() -> None:
    spec = "inspection"
    careful, solved = seated("aware(risk=0.0)", spec, 0), make_agent("equilibrium")
    solved.begin(make_game(spec), 0, stream(1, "seat"))
    assert isinstance(solved, core.Strategy)
    start = make_game(spec).new_initial_state()
    for row, column in product((0, 1), repeat=2):
        after = start.clone()
        after.apply_actions((row, column))
        careful.observe(Transition(0, core.SIMULTANEOUS, (row, column), start, after))
        assert careful.policy(start).named == pytest.approx(solved.policy(start).named)


def test_what_is_given_away_comes_into_the_purse() -> None:
    """Paper against a rock-lover: a rock is a gift, scissors are what the strategy was sure of."""
    spec = "rps(goal=points, rounds=3)"
    start = make_game(spec).new_initial_state()
    for answer, given in ((0, True), (2, False)):
        agent = seated("aware(model=strategy_filter(strategies=[scripted]), risk=0.5)", spec, 0)
        left = agent.purse
        after = start.clone()
        after.apply_actions((1, answer))
        transition = Transition(0, core.SIMULTANEOUS, (1, answer), start.clone(), after)
        assert (agent._gift(transition) > 0.3) == given
        assert left < 0.1


def test_a_model_that_foretells_nothing_is_refused() -> None:
    class Mute(Plans):
        answers = ("goal",)

    with pytest.raises(Unsupported, match="does not predict actions"):
        OpponentAware(model=Mute()).begin(make_game("inspection"), 0, stream(1, "seat"))


@pytest.mark.long
def test_large_games_are_left_alone() -> None:
    with pytest.raises(Unsupported, match="more than 500 states"):
        OpponentAware().begin(make_game("goofspiel"), 0, stream(1, "seat"))
