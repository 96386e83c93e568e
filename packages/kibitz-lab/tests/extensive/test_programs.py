"""Responses to a model of the opponent: exact programs, their limits, and what they give up."""

import numpy as np
import pytest

from kibitz import core
from kibitz.core.errors import BadGame, BadPolicy, Unsupported
from kibitz.core.registry import make_agent
from kibitz_lab.extensive import (
    BehaviourPolicy,
    InformationTable,
    SequenceProgram,
    best_response,
    build_table,
    data_biased,
    equilibrium,
    expected_returns,
    exploitation_frontier,
    mean_frontier,
    nash_conv,
    policy_by,
    policy_of,
    restricted_nash,
    safe_response,
    uniform_policy,
    worst_return,
)


def opponent(table: InformationTable, name: str, player: int = 1) -> BehaviourPolicy:
    return policy_of(table, player, make_agent(name, table.game))


def random_policy(table: InformationTable, player: int, rng: np.random.Generator) -> BehaviourPolicy:
    """Any strategy, pure in places."""

    def shares_at(number: int) -> np.ndarray:
        drawn = rng.random(len(table.actions[number])) ** 6
        return drawn / drawn.sum()

    return policy_by(table, player, shares_at)


@pytest.mark.long
@pytest.mark.parametrize("game", ["kuhn(players=2)", "leduc"])
def test_an_equilibrium_leaves_nothing_to_gain(game: str) -> None:
    table = build_table(game)
    found = [equilibrium(table, player) for player in (0, 1)]
    assert nash_conv(table, [each.policy for each in found]) == pytest.approx(0.0, abs=1e-9)
    assert found[0].value == pytest.approx(-found[1].value, abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(
    ("player", "epsilon"),
    [(0, 0.0), (1, 0.05), *(pytest.param(p, e, marks=pytest.mark.slow) for p in (0, 1) for e in (0.01, 0.2, 1.0, 5.0))],
)
def test_a_safe_response_never_gives_up_more_than_epsilon(leduc: InformationTable, player: int, epsilon: float) -> None:
    rng = np.random.default_rng(round(100 * epsilon) + player)
    program = SequenceProgram(leduc, player)
    safe = equilibrium(leduc, player, program)
    for model in (opponent(leduc, "leduc.caller", 1 - player), random_policy(leduc, 1 - player, rng)):
        found = safe_response(leduc, player, model, epsilon, safe, program)
        reply = best_response(leduc, 1 - player, found.policy).value
        assert safe.value + reply <= epsilon + 1e-9
        assert found.worst == -reply
        at_most = best_response(leduc, player, model).value
        assert safe.value - 1e-9 <= found.value <= at_most + 1e-9


@pytest.mark.long
def test_a_safe_response_earns_as_much_as_any_that_is_as_safe(kuhn: InformationTable) -> None:
    """Restricted Nash responses lie on the frontier of safe ones: at what they give up, none earns more."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        model = random_policy(kuhn, 1, rng)
        safe = equilibrium(kuhn, 0)
        for p in (0.2, 0.6, 0.9):
            other = restricted_nash(kuhn, 0, model, p)
            found = safe_response(kuhn, 0, model, safe.value - other.worst, safe)
            assert found.value == pytest.approx(other.value, abs=1e-7)


@pytest.mark.long
@pytest.mark.parametrize("respond", [restricted_nash, data_biased])
def test_a_weight_leads_from_an_equilibrium_to_a_best_response(leduc: InformationTable, respond: object) -> None:
    assert callable(respond)
    model = opponent(leduc, "leduc.rock")
    found = [respond(leduc, 0, model, weight) for weight in (0.0, 0.5, 1.0)]
    assert found[0].worst == pytest.approx(equilibrium(leduc, 0).value, abs=1e-9)
    assert found[-1].value == pytest.approx(best_response(leduc, 0, model).value, abs=1e-9)
    earned = [each.value for each in found]
    assert earned == sorted(earned)
    assert [each.worst for each in found] == sorted([each.worst for each in found], reverse=True)


def test_a_data_biased_response_is_the_best_against_an_opponent_so_constrained(kuhn: InformationTable) -> None:
    """No random strategy of ours does better against the most harmful opponent who follows the model as often."""
    rng = np.random.default_rng(8)
    model = opponent(kuhn, "kuhn.maniac")
    sure = rng.random(len(kuhn.sets_of(1)))

    def harm(policy: BehaviourPolicy) -> float:
        """What *policy* earns against the worst such opponent: a pure choice where they are free."""
        least = np.inf
        for choices in np.ndindex(*(2,) * len(sure)):
            shares = {
                number: sure[place] * model.at(number) + (1.0 - sure[place]) * np.eye(2)[choices[place]]
                for place, number in enumerate(kuhn.sets_of(1))
            }
            least = min(least, expected_returns(kuhn, [policy, policy_by(kuhn, 1, shares.__getitem__)])[0])
        return float(least)

    found = harm(data_biased(kuhn, 0, model, sure).policy)
    assert found == pytest.approx(harm(data_biased(kuhn, 0, model, lambda n: sure[n - 6]).policy))
    others = [random_policy(kuhn, 0, rng) for _ in range(6)] + [equilibrium(kuhn, 0).policy]
    assert all(harm(other) <= found + 1e-9 for other in others)


@pytest.mark.long
def test_the_frontier_goes_from_safe_to_greedy(kuhn: InformationTable) -> None:
    model = opponent(kuhn, "kuhn.bluffer")
    found = exploitation_frontier(kuhn, 0, model, "bluffer")
    for points in found.points.values():
        assert points[0].given_up == pytest.approx(0.0, abs=1e-9)
        assert points[-1].earned == pytest.approx(best_response(kuhn, 0, model).value, abs=1e-9)
        for point in points:
            assert safe_response(kuhn, 0, model, point.given_up).value >= point.earned - 1e-6
    assert all(point.given_up <= point.parameter + 1e-9 for point in found.points["ε-safe"])
    assert mean_frontier([found, found]) == found


class Moody(core.Strategy):
    """Draws its mood before the match."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.bets = rng.random()

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution({0: 1.0 - self.bets, 1: self.bets}, view.legal_actions(self.player))


def test_an_agent_that_states_no_distribution_is_refused(kuhn: InformationTable) -> None:
    with pytest.raises(Unsupported, match="does not state the probabilities"):
        policy_of(kuhn, 0, make_agent("mcts", kuhn.game))
    with pytest.raises(Unsupported, match="draws lots"):
        policy_of(kuhn, 0, Moody())


def test_wrong_numbers_are_refused_in_a_line(kuhn: InformationTable) -> None:
    model = uniform_policy(kuhn, 1)
    for call in (
        lambda: safe_response(kuhn, 0, model, -0.1),
        lambda: safe_response(kuhn, 0, model, float("nan")),
        lambda: restricted_nash(kuhn, 0, model, 1.5),
        lambda: data_biased(kuhn, 0, model, -1.0),
        lambda: restricted_nash(kuhn, 1, model, 0.5),
        lambda: best_response(kuhn, 1, model),
        lambda: worst_return(build_table("dilemma(rounds=1)"), uniform_policy(build_table("dilemma(rounds=1)"), 0)),
        lambda: equilibrium(build_table("kuhn"), 0),
    ):
        with pytest.raises(BadGame):
            call()
    with pytest.raises(BadPolicy, match="not a strategy"):
        policy_by(kuhn, 0, lambda number: [0.5, 0.6])
