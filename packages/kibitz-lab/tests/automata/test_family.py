"""Learning automata: each kind does on bandits what is known of it."""

from statistics import mean

import pytest

from kibitz.core.kernels import python_twin
from kibitz.core.seeds import kernel_stream, stream
from kibitz_lab.automata import kernels
from kibitz_lab.automata.kernels import DEPTH, HELD, P
from kibitz_lab.automata.team import Team
from kibitz_lab.automata.tier import KINDS, Kind, Tier

COINS = (0.3, 0.8, 0.5)
"""A bandit whose second arm is best."""


def made(kind: Kind, options: int, seed: int, **parameters: float) -> Team:
    """An automaton with luck of its own."""
    return Team([options], Tier(kind=kind, **parameters), kernel_stream(seed, "automaton"))  # type: ignore[arg-type]


def trained(team: Team, coins: tuple[float, ...], pulls: int, seed: int) -> Team:
    """An automaton after so many pulls of a bandit that pays 0 or 1."""
    for number in stream(seed, "bandit").random(pulls):
        (chosen,) = team.choose()
        team.learn(float(number < coins[chosen]))
    return team


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_an_automaton_finds_the_best_arm(kind: Kind) -> None:
    slower = {"rate": 0.03} if kind == "lri" else {}
    found = mean(trained(made(kind, 3, seed, **slower), COINS, 500, seed).top() == (1,) for seed in range(40))
    assert found >= (0.5 if kind == "tsetlin" else 0.9)  # Tsetlin's never settles


@pytest.mark.parametrize("kind", KINDS)
def test_python_versions_of_the_kernels_agree(kind: Kind) -> None:
    one, other, number = made(kind, 3, 1), made(kind, 3, 1), KINDS.index(kind)
    choose, learn = (python_twin(each) for each in (kernels.choose, kernels.learn))
    for status in stream(1, "statuses").random(50):
        chosen = kernels.choose(number, 3, 0, one.memory, one.words)
        assert choose(number, 3, 0, other.memory, other.words) == chosen
        kernels.learn(number, 3, 0, one.memory, chosen, status, status > 0.5, one.words)
        learn(number, 3, 0, other.memory, chosen, status, status > 0.5, other.words)
    assert one.memory == pytest.approx(other.memory, abs=1e-9)


def test_tsetlin_with_two_actions_keeps_its_known_balance() -> None:
    """Depth 1 is a Markov chain of two states: it holds an arm in proportion to the other's penalties."""
    held, team = 0, made("tsetlin", 2, 3, states=1, limiter=1.0)
    for number in stream(3, "coins").random(40_000):
        (chosen,) = team.choose()
        held += chosen == 0
        team.learn(float(number < (0.8, 0.4)[chosen]))
    assert held / 40_000 == pytest.approx(0.6 / (0.6 + 0.2), abs=0.015)


def test_reward_inaction_ends_in_one_option() -> None:
    team = trained(made("lri", 3, 1, rate=0.05), COINS, 4000, 1)
    assert kernels.certainty(team.kind, 3, 0, team.memory) > 0.9999


def test_everybody_is_told_the_same_and_shares_one_coin() -> None:
    team = Team([2, 2, 2], Tier(kind="lri", rate=0.5), kernel_stream(1, "team"))
    team.memory[:, HELD, kernels.PICK] = 0.0
    team.learn(0.5)
    assert len({tuple(row) for row in team.memory[:, P, :2].tolist()}) == 1
    team = Team([2] * 40, Tier(kind="tsetlin"), kernel_stream(1, "team"))
    team.choose()
    team.learn(0.5)
    assert set(team.memory[:, HELD, DEPTH]) == {1.0, 2.0}


def test_a_bayesian_team_stops_when_it_is_sure() -> None:
    team, rounds = made("bla", 2, 1, sure=0.99), 0
    while not team.is_done(rounds):
        team.choose()
        team.learn(float(team.memory[0, HELD, kernels.PICK]))
        rounds += 1
    assert rounds < team.tier.rounds
    assert kernels.certainty(team.kind, 2, 0, team.memory) >= 0.99
