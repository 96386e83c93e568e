"""Negotiators by numbers, and the belief over their numbers."""

import numpy as np
import pytest
from trail_positions import seen, start

from kibitz import core
from kibitz.core.match.play import play
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.core.wording import remarks
from kibitz_trails.agents.kibitzer import PLANS, Composition
from kibitz_trails.agents.negotiator import Negotiator
from kibitz_trails.agents.parametric import RULES, Parametric, TermsAcceptor, promises_kept
from kibitz_trails.lookahead.candidates import Line, SimulatedNegotiator, together
from kibitz_trails.models.parameters import ParameterLearner
from kibitz_trails.models.types import Types
from kibitz_trails.offers import PASS
from kibitz_trails.rules import ANSWER, EXCHANGE
from kibitz_trails.situation import History, Situation

SLOW = Parametric(start=0.95, floor=0.05, deadline=8, shape=8, exposure=16, keeps=1.0, style="silent")
WARY = Parametric(start=0.0, floor=0.0, exposure=1, growth=2, loss=8, keeps=1.0, style="one")


def watched_game(opponent: Parametric, partner: str = "wait_and_trade") -> Types:
    """What the partner, who is player 0, believes after a game on DD."""
    game = make_game("trails")
    agent = Composition(PLANS[partner]) if partner in PLANS else make_agent(partner)
    assert isinstance(agent, Negotiator)
    minds = [SimulatedNegotiator(each, game, seat, stream(0, "game")) for seat, each in enumerate((agent, opponent))]
    model, line, rng = Types(), Line.from_state(start(), History()), stream(0, "draws")
    model.begin(game, 0, rng)
    ply = 0
    while not line.state.is_terminal():
        before = line.state
        actions = together(before, 0, *(draw(mind, line, rng) for mind in minds))
        line, ply = line.compute_after(actions), ply + 1
        model.observe(core.Transition(ply, before.current_player(), actions, before, line.state))
    return model


def test_a_wary_negotiator_hands_over_more_as_promises_are_kept_and_less_as_they_are_broken() -> None:
    deal = "offer 1 yellow for 1 gray", "accept"
    kept, broken = (seen(start(), *deal, f"{sent} | send 1 gray") for sent in ("send 1 yellow", "send nothing"))
    acceptor = Parametric(exposure=1, growth=2, loss=1).design.acceptor
    assert isinstance(acceptor, TermsAcceptor)
    found = [acceptor.terms.most_chips(Situation(start(), 1, history)) for history in (History(), kept, broken)]
    assert found == [1.0, 3.0, 0.0]
    assert promises_kept(Situation(start(), 1, broken)) == (0, 1)


def test_a_boulware_waits_and_a_conceder_does_not() -> None:
    state = start()
    seen(state, "offer 3 yellow for 3 gray")
    state.round = 2
    for shape, accepts in ((8.0, 0.0), (0.1, 1.0)):
        agent = Parametric(start=0.9, floor=0.1, deadline=4, shape=shape, exposure=9)
        assert agent.design.acceptor.accepts(Situation(state, 1, History())) == accepts


def test_soft_terms_lean_to_what_the_negotiator_does() -> None:
    """The belief has soft thresholds, the negotiators of look-ahead hard ones; where it is clear, both agree."""
    state = start()
    seen(state, "offer 4 yellow for 3 gray")
    assert state.phase == ANSWER
    learner, situation = ParameterLearner(make_game("trails"), 1, count=200), Situation(state, 1, History())
    soft = learner.acceptance(situation)
    hard = np.array([learner.particles.agent(each).design.acceptor.accepts(situation) for each in range(200)])
    clear = np.abs(soft - 0.5) > 0.35
    assert clear.mean() > 0.75
    assert ((soft > 0.5) == (hard > 0.5))[clear].all()


@pytest.mark.parametrize("rule", RULES)
def test_the_belief_sends_what_the_negotiator_sends(rule: str) -> None:
    state = start()
    seen(state, "offer 3 yellow for 3 gray", "accept")
    assert state.phase == EXCHANGE
    learner, situation = ParameterLearner(make_game("trails"), 1, count=200), Situation(state, 1, History())
    number = next(each for each in range(200) if RULES[learner.particles.rule[each]] == rule)
    meant = learner.particles.agent(number).design.sender.sends(situation)
    told: dict[tuple[int, ...], float] = {}
    for sent, share in learner.transfers(situation):
        told[sent] = told.get(sent, 0.0) + float(share[number])
    assert {sent: told.get(sent, 0.0) for sent in meant} == pytest.approx(dict(meant), abs=0.011)


@pytest.mark.parametrize(("exposure", "sent"), [(2.0, 0), (3.0, 3)])
def test_small_promises_are_kept_and_large_ones_are_made_all_the_same(exposure: float, sent: int) -> None:
    asked, agreed = start(), start()
    seen(asked, "offer 3 yellow for 3 gray")
    seen(agreed, "offer 3 yellow for 3 gray", "accept")
    design = Parametric(start=0.0, exposure=exposure, keeps=1.0, rule="small").design
    assert design.acceptor.accepts(Situation(asked, 1, History())) == 1.0
    assert [sum(chips) for chips in design.sender.sends(Situation(agreed, 1, History()))] == [sent]


@pytest.mark.long
def test_the_numbers_of_a_stranger_are_found() -> None:
    honest, cheat = (watched_game(Parametric(keeps=keeps), "trails.honest").parameters_of(1) for keeps in (1.0, 0.0))
    assert honest["keeps"].value > 0.6 > 0.4 > cheat["keeps"].value
    slow, wary = watched_game(SLOW), watched_game(WARY, "build_trust")
    assert slow.parameters_of(1)["gives in"].value > wary.parameters_of(1)["gives in"].low
    assert slow.parameters_of(1)["trusts"].value > wary.parameters_of(1)["trusts"].low
    told = "; ".join(remarks(slow.explain(1)))
    assert "promises" in told
    assert "trusts" in told


def test_representatives_stand_for_all_particles() -> None:
    learner = ParameterLearner(make_game("trails"), 1, count=500)
    found = learner.representatives(50)
    assert sum(share for _, share in found) == pytest.approx(1.0)
    kept = sum(share for agent, share in found if agent.keeps)
    assert kept == pytest.approx(float(learner.weights @ learner.particles.keeps), abs=0.1)
    assert {agent.keeps for agent, _ in found} == {0.0, 1.0}


@pytest.mark.long
@pytest.mark.parametrize("seat", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("opponent", [SLOW, WARY])
def test_it_waits_for_a_slow_conceder_and_earns_the_trust_of_a_wary_one(opponent: Parametric, seat: int) -> None:
    ending = play("trails", ["trails.kibitzer", opponent][:: 1 if seat == 0 else -1], seed=1).ending
    assert ending is not None
    assert ending.returns[seat] >= 100.0


def draw(mind: SimulatedNegotiator, line: Line, rng: core.Rng) -> int:
    """What a negotiator does on a line; nothing where it is not their turn."""
    current = line.state.current_player()
    return mind.policy(line).sample(rng) if current in (mind.player, core.SIMULTANEOUS) else PASS
