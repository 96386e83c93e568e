"""`aware` in long repeated games: what it earns from players it knows nothing of."""

import pickle
from copy import deepcopy

import numpy as np
import pytest

from kibitz.core.match.play import play
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz_lab.aware.round_player import RoundPlayer
from kibitz_lab.aware.round_values import agreement_of, iterate_values, step_values

RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
DILEMMA = np.array([[3.0, 0.0], [5.0, 1.0]])
BATTLE = np.array([[3.0, 0.0], [0.0, 2.0]])
CHICKEN = np.array([[3.0, 1.0], [4.0, 0.0]])


def way(game: str) -> str:
    agent = make_agent("aware")
    agent.begin(make_game(game), 0, stream(0, "agent", 0))
    return type(agent.delegate).__name__  # type: ignore[attr-defined]


def test_long_matches_are_learnt_from_their_rounds() -> None:
    assert way("dilemma(rounds=200)") == way("rps(goal=points, rounds=1000)") == way("repeated") == "RoundAgent"
    assert way("dilemma") == "RepeatedPlanner"
    assert way("rps(goal=points, rounds=3)") == "OpponentAware"
    assert way("repeated(stage=rps, rounds=40)") == "RoundAgent", "too large to solve, too short to be sure"


@pytest.mark.parametrize(
    ("opponent", "least"),
    [("tit_for_tat", 598), ("grim", 598), ("pavlov", 598), ("two_tats", 598), ("defector", 190), ("cooperator", 598)],
)
def test_it_agrees_with_those_who_reciprocate_and_not_with_those_who_do_not(opponent: str, least: float) -> None:
    for seats in ((0, 1), (1, 0)):
        agents = ["aware", opponent]
        record = play("dilemma(rounds=200)", [agents[seats[0]], agents[seats[1]]], seed=3)
        assert record.ending.returns[seats.index(0)] >= least  # type: ignore[union-attr, index]


def earnings(own: np.ndarray, other: np.ndarray, habit, rounds: int = 300, seed: int = 1) -> float:  # type: ignore[no-untyped-def, type-arg]
    """What a round player earns a round from somebody who does what *habit* says after the rounds so far."""
    player, rng = RoundPlayer(own, other, seed=seed), np.random.default_rng(seed)
    mine: list[int] = []
    theirs: list[int] = []
    for _ in range(rounds):
        reply, action = int(habit(mine, theirs, rng)), player.choose()
        player.observe(action, reply)
        mine.append(action)
        theirs.append(reply)
    return float(np.mean([own[one, two] for one, two in zip(mine, theirs, strict=True)]))


def test_those_who_defect_first_are_tried_out_once() -> None:
    suspicious = earnings(DILEMMA, DILEMMA.T, lambda mine, theirs, rng: mine[-1] if mine else 1)
    pushover = earnings(DILEMMA, DILEMMA.T, lambda mine, theirs, rng: not any(mine))
    assert suspicious >= 2.9
    assert pushover >= 4.8


def test_it_finds_the_better_equilibrium_of_the_stag_hunt_with_those_who_follow() -> None:
    stag = np.array([[4.0, 0.0], [3.0, 3.0]])
    assert earnings(stag, stag.T, lambda mine, theirs, rng: mine[-1] if mine else 1) >= 3.9
    assert earnings(stag, stag.T, lambda mine, theirs, rng: 1) >= 2.9
    assert earnings(stag, stag.T, lambda mine, theirs, rng: 3 * len(mine) >= 4 * mine.count(0)) >= 3.9, "by frequencies"


def test_it_exploits_a_habit_in_a_larger_stage_that_is_not_zero_sum() -> None:
    rng = np.random.default_rng(4)
    own, other = rng.integers(0, 9, size=(2, 4, 3)).astype(float)
    found = earnings(own, other, lambda mine, theirs, rng: len(mine) % 3)
    assert found >= 0.93 * own.max(axis=0).mean()


def test_those_who_do_not_care_are_not_waited_for() -> None:
    """The traveller's dilemma with five claims: whoever always claims least cannot be brought to claim more."""
    claims = np.arange(2.0, 7.0)
    lower = np.minimum.outer(claims, claims)
    own = lower + 2.0 * np.sign(claims[None, :] - claims[:, None])
    assert earnings(own, own.T, lambda mine, theirs, rng: 0, 200) >= 1.8
    assert earnings(own, own.T, lambda mine, theirs, rng: 4, 200) >= 5.9
    assert earnings(own, own.T, lambda mine, theirs, rng: mine[-1] if mine else 4, 200) >= 5.9


def test_equilibrium_players_win_nothing_from_it() -> None:
    found = [earnings(RPS, -RPS, lambda mine, theirs, rng: rng.integers(3), 500, seed) for seed in range(4)]
    assert abs(float(np.mean(found))) < 0.08


def test_losses_are_stopped_by_playing_safe() -> None:
    """Somebody who knows the plan and beats it: the drawdown bounds what they can win."""
    player = RoundPlayer(RPS, -RPS, seed=1)
    lost = 0.0
    for _ in range(600):
        action = player.choose()
        reply = (player.intended + 1) % 3
        lost -= RPS[action, reply]
        player.observe(action, reply)
    assert player.cautious
    assert lost < 200


def test_losses_are_bounded_though_the_other_lets_plans_recover() -> None:
    player = RoundPlayer(RPS, -RPS, seed=1)
    lost, limit = 0.0, 2.0 * player.allowed
    for _ in range(3000):
        action = player.choose()
        reply = (player.intended + (2 if player.cautious else 1)) % 3  # lose to plans that are not followed
        lost -= RPS[action, reply] if not player.cautious else 0.0
        player.observe(action, reply)
    assert lost < limit + 20.0


def test_the_agreement_follows_from_payoffs() -> None:
    for own, pair in ((DILEMMA, (0, 0)), (CHICKEN, (0, 0)), (np.array([[4.0, 0.0], [3.0, 3.0]]), (0, 0))):
        found = agreement_of(own, own.T, (1.0 if own is DILEMMA else 0.0, 1.0 if own is DILEMMA else 0.0))
        assert (found.mine, found.theirs) == pair
        assert found.prior.sum(axis=1) == pytest.approx(1.0)
        assert found.optimistic.sum(axis=1) == pytest.approx(1.0)
    assert agreement_of(RPS, -RPS, (0.0, 0.0)).prior == pytest.approx(1 / 3)


def test_two_of_them_agree() -> None:
    for own, other, least in ((DILEMMA, DILEMMA.T, 3.0), (BATTLE, BATTLE[::-1, ::-1], 2.0), (CHICKEN, CHICKEN.T, 3.0)):
        one, two = RoundPlayer(own, other), RoundPlayer(other.T, own.T)
        earned = np.zeros(2)
        for _ in range(100):
            pair = one.choose(), two.choose()
            one.observe(*pair)
            two.observe(*pair[::-1])
            earned += own[pair], other[pair]
        assert earned.min() >= 97 * least


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (2, 5)])
def test_a_random_player_of_any_stage_is_answered_by_the_best_row(shape: tuple[int, int]) -> None:
    own, other = np.random.default_rng(6).integers(0, 9, size=(2, *shape)).astype(float)
    found = earnings(own, other, lambda mine, theirs, rng: rng.integers(shape[1]), 400)
    assert found >= own.mean(axis=1).max() - 0.6


def test_value_iteration_knows_what_tit_for_tat_is_worth() -> None:
    policy = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])  # after my C: C, after my D: D
    values, later = np.zeros(4), np.zeros(4)
    iterate_values(policy, DILEMMA, np.eye(2), values, 0.9, 1e-9, 1000)
    assert values[0] == pytest.approx(30.0)
    assert values[2] == pytest.approx(0.9 * 30.0)
    for _ in range(3):
        later[:] = values if _ else 0.0
        step_values(policy, DILEMMA, np.eye(2), values, later)
    assert values[0] == pytest.approx(11.0)  # 3 + 3 + 5


def test_a_player_goes_on_elsewhere_as_it_would_here() -> None:
    player = RoundPlayer(DILEMMA, DILEMMA.T)
    for played in range(20):
        player.observe(player.choose(), played % 2)
    for other in (pickle.loads(pickle.dumps(player)), deepcopy(player)):
        assert other.choose() == player.choose()
        assert other.prediction == pytest.approx(player.prediction)


def test_matches_that_last_longer_than_expected_go_on() -> None:
    player = RoundPlayer(RPS, -RPS, left=10)
    for played in range(40):
        player.observe(player.choose(), played % 3)
    assert player.prediction.argmax() == 40 % 3 or player.prediction.argmax() == 39 % 3
