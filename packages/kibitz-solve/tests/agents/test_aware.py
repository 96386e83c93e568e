"""The agent that uses a model in any game, and keeps to what it may risk."""

from itertools import product

import numpy as np
import pytest

from kibitz import core, make_agent, make_game, play
from kibitz.core.errors import BadSpec, Unsupported
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch
from kibitz.core.registry import make_model
from kibitz.core.seeds import stream
from kibitz.models.strategy_filter import StrategyFilter
from kibitz_lab.aware.agent import Aware, AwareSearch
from kibitz_lab.aware.opponent_learning import InfosetGroups, LearnedStrategy, ObservedEnds, given_away
from kibitz_lab.aware.repeated_planner import RepeatedPlan, RepeatedPlanner
from kibitz_lab.aware.suppositions import supposed_players
from kibitz_lab.aware.table_response import TableResponse
from kibitz_lab.extensive import (
    BehaviourPolicy,
    best_response,
    build_table,
    equilibrium,
    expected_returns,
    policy_of,
    policy_of_plan,
    uniform_policy,
    worst_return,
)
from kibitz_solve import solve
from kibitz_solve.agents.opponent_aware import OpponentAware
from kibitz_solve.recursive.strategies.restricted import response_of


def seated(spec: str, game: str, player: int = 0) -> core.Agent:
    """The way in which `aware` plays a game."""
    agent = make_agent(spec)
    agent.begin(make_game(game), player, stream(1, "seat"))
    assert isinstance(agent, Aware)
    return agent.delegate


def random_policy(spec: str, player: int, seed: int) -> BehaviourPolicy:
    table = build_table(spec)
    uniform = uniform_policy(table, player)
    noise = np.random.default_rng(seed).random(uniform.shares.shape) ** 3
    shares = uniform.shares * noise
    shares[0] = 1.0
    return policy_of_plan(table, player, BehaviourPolicy(table, player, shares).plan())


SURE = {
    "kuhn(players=2)": "strategy_filter(strategies=[kuhn.maniac], unknown=0.0)",
    "leduc": "strategy_filter(strategies=[leduc.rock], unknown=0.0)",
}


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=pytest.mark.long if spec == "leduc" else ()) for spec in SURE]
)
def test_a_model_that_is_sure_costs_no_more_than_the_risk(spec: str, player: int) -> None:
    """Against the best reply, exactly; and the risk is used, so that the bound can fail."""
    table = build_table(spec)
    value = equilibrium(table, player).value
    for risk in (0.0, 0.02, 0.1):
        way = seated(f"aware(model={SURE[spec]}, risk={risk})", spec, player)
        assert isinstance(way, TableResponse)
        worst = worst_return(way.solution.table, way.own)
        assert worst >= value - risk - 1e-8
        assert risk == 0.0 or worst < value - 0.9 * risk


def test_more_risk_wins_more_from_the_opponent_it_expects() -> None:
    spec = "kuhn(players=2)"
    opponent = policy_of(build_table(spec), 1, make_agent("kuhn.maniac"))
    earned = []
    for risk in (0.0, 0.05, 1.0):
        way = seated(f"aware(model={SURE[spec]}, risk={risk})", spec)
        assert isinstance(way, TableResponse)
        earned.append(
            expected_returns(way.solution.table, (way.own, BehaviourPolicy(way.solution.table, 1, opponent.shares)))[0]
        )
    assert earned[0] < earned[1] < earned[2]
    assert earned[2] == pytest.approx(
        best_response(build_table(spec), 0, opponent).value, abs=0.03
    )  # it allows for slips


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_gifts_add_up_to_what_is_earned_above_the_worst(player: int, seed: int) -> None:
    spec = "kuhn(players=2)"
    own, other = random_policy(spec, player, seed), random_policy(spec, 1 - player, seed + 10)
    table = own.table
    other = BehaviourPolicy(table, 1 - player, other.shares)
    profile = (own, other) if player == 0 else (other, own)
    plans = np.concatenate([policy.plan() for policy in profile])
    reach = plans[table.ends.sequences].prod(axis=1) * table.ends.chances
    gifts = float(reach @ given_away(table, own)[table.ends.sequences[:, 1 - player]])
    assert gifts == pytest.approx(expected_returns(table, profile)[player] - worst_return(table, own))


class BestReply(core.Strategy):
    """Reads the mind of the other player, and plays the best reply to it."""

    def __init__(self, victim: Aware | None = None) -> None:
        self.victim = victim

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.seen: list[core.Transition] = []

    def observe(self, transition: core.Transition) -> None:
        self.seen.append(transition)

    def policy(self, view: core.State) -> core.Distribution:
        from kibitz_lab.extensive import InformationTracker

        assert self.victim is not None
        way = self.victim.delegate
        assert isinstance(way, TableResponse)
        table = way.solution.table
        tracker = InformationTracker(table, self.player)
        for transition in self.seen:
            tracker.observe(transition)
        assert tracker.information_set is not None
        return best_response(table, self.player, way.own).policy.distribution(tracker.information_set)


def test_who_replies_best_gives_nothing_away_and_the_purse_stays_as_it_is() -> None:
    aware = make_agent("aware(risk=0.1)")
    assert isinstance(aware, Aware)
    for seed in range(12):
        table = RecordedMatch("kuhn(players=2)", [aware, BestReply(aware)], MatchOptions(seed=seed))
        for _ in table.moments():
            pass
        assert isinstance(aware.delegate, TableResponse)
        assert aware.delegate.saved == pytest.approx(0.0, abs=1e-6)
        assert aware.delegate.risk_budget == pytest.approx(0.1, abs=1e-6)


def test_a_weak_opponent_fills_the_purse_and_is_recognised_from_match_to_match() -> None:
    aware = make_agent("aware")
    assert isinstance(aware, Aware)
    for seed in range(15):
        play("kuhn(players=2)", [aware, "kuhn.maniac"], seed=seed)
    way = aware.delegate
    assert isinstance(way, TableResponse)
    assert way.saved > 0.5
    assert way.against[1].labels()["kuhn.maniac"] > 0.4


def test_the_strategy_of_a_stranger_is_learned_from_hands_that_are_rarely_shown() -> None:
    """Ends are drawn from Kuhn poker against a random strategy; what was folded is never seen."""
    table = build_table("kuhn(players=2)")
    true = BehaviourPolicy(table, 1, random_policy("kuhn(players=2)", 1, 5).shares)
    ends = ObservedEnds(table, 0)
    hands = LearnedStrategy(table, 1, InfosetGroups(table, 1))
    own, theirs = uniform_policy(table, 0).plan(), true.plan()
    first = int(table.sets.empty[1])
    keys = list(ends.chances)
    likely = [
        float(ends.chances[key] @ (own[ends.sequences[key][:, 0]] * theirs[ends.sequences[key][:, 1] - first]))
        for key in keys
    ]
    assert sum(likely) == pytest.approx(1.0)
    before = abs(hands.probabilities - true.shares).max()
    for key, share in zip(keys, likely, strict=True):
        hands.seen[key] = round(3000 * share)
    for _ in range(20):
        hands.learn(ends, ends.chances)
    assert abs(hands.probabilities - true.shares).max() < 0.06 < before


def play_hand(aware: Aware, opponent: core.Agent, seat: int, seed: int, game: str = "kuhn(players=2)") -> None:
    """A match with *aware* in a seat."""
    players: list[core.Agent] = [opponent, opponent]
    players[seat] = aware
    table = RecordedMatch(game, players, MatchOptions(seed=seed))
    for _ in table.moments():
        pass


@pytest.mark.long
def test_changing_seats_loses_nothing_that_was_learned() -> None:
    aware, rock = make_agent("aware"), make_agent("kuhn.rock")
    assert isinstance(aware, Aware)
    for seed in range(40):
        play_hand(aware, rock, seed % 2, seed)
    way = aware.delegate
    assert isinstance(way, TableResponse)
    assert {seat: account.matches for seat, account in way.seats.items()} == {0: 20, 1: 20}
    for seat, account in way.seats.items():
        best = best_response(way.solution.table, seat, policy_of(way.solution.table, 1 - seat, rock))
        profile = [account.own, policy_of(way.solution.table, 1 - seat, rock)]
        profile = [
            BehaviourPolicy(way.solution.table, each.player, each.shares)
            for each in sorted(profile, key=lambda each: each.player)
        ]
        assert expected_returns(way.solution.table, profile)[seat] > best.value - 0.05


@pytest.mark.long
def test_the_purse_covers_every_strategy_in_every_hand() -> None:
    """What is earned at worst is never below the value less the purse, and the purse is never below the risk."""
    aware, opponent = make_agent("aware(risk=0.05)"), make_agent("noisy(strategy=kuhn.bluffer, rate=0.4)", "kuhn")
    assert isinstance(aware, Aware)
    used = 0.0
    for seed in range(60):
        play_hand(aware, opponent, seed % 2, seed)
        way = aware.delegate
        assert isinstance(way, TableResponse)
        assert way.solution.safe is not None
        given_up = way.solution.safe.value - worst_return(way.solution.table, way.own)
        assert given_up <= way.risk_budget + 1e-8
        assert way.risk_budget >= 0.05
        used = max(used, given_up)
    assert used > 0.06  # beyond the risk, from what was saved


SHARES = {"kuhn(players=2)": (0.6, 80, 200), "leduc": (0.3, 60, 160)}


@pytest.mark.long
@pytest.mark.parametrize("game", ["kuhn(players=2)", pytest.param("leduc", marks=pytest.mark.slow)])
def test_a_stranger_is_exploited_after_some_hands(game: str) -> None:
    """Of what a best response wins more than an equilibrium, by exact expectations."""
    least, first, hands = SHARES[game]
    aware, opponent = make_agent("aware"), make_agent("random_table(sharpness=1.0, seed=7)")
    assert isinstance(aware, Aware)
    won = room = 0.0
    known = [policy_of(build_table(game), seat, opponent).shares for seat in range(2)]
    for seed in range(hands):
        seat = seed % 2
        play_hand(aware, opponent, seat, seed, game)
        way = aware.delegate
        assert isinstance(way, TableResponse)
        assert way.solution.safe is not None
        if seed >= first:
            theirs = BehaviourPolicy(way.solution.table, 1 - seat, known[1 - seat])
            best = best_response(way.solution.table, seat, theirs).value
            own, usual = (
                expected_returns(way.solution.table, (each, theirs) if seat == 0 else (theirs, each))[seat]
                for each in (way.own, way.solution.safe.policy)
            )
            won, room = won + own - usual, room + best - usual
    assert won > least * room


def brute_force(game: core.Game, opponent: str, rounds: int) -> float:
    """The most that any series of actions earns against a player without chance."""
    best = 0.0
    for actions in product((0, 1), repeat=rounds):
        state, other = game.new_initial_state(), make_agent(opponent, "dilemma")
        other.begin(game, 1, stream(1, "other"))
        for ply, action in enumerate(actions):
            assert isinstance(other, core.Strategy)
            chosen = other.policy(state.view(1)).top(1)[0][0]
            after = state.clone()
            after.step((action, chosen))
            other.observe(core.Transition(ply, core.SIMULTANEOUS, (action, chosen), state, after))
            state = after
        best = max(best, state.returns()[0])
    return best


@pytest.mark.parametrize("opponent", ["tit_for_tat", "grim", "pavlov", "two_tats", "cooperator", "defector"])
def test_plans_of_a_repeated_game_are_worth_what_the_best_series_of_actions_earns(opponent: str) -> None:
    game = make_game("dilemma(rounds=6)")
    model = make_model(f"strategy_filter(strategies=[dilemma.{opponent}], unknown=0.0, noise=0.0)")
    model.begin(game, 0, stream(1, "model"))
    view = game.new_initial_state()
    found = supposed_players(model, view, stream(1, "draws"))[1].candidates
    worth = RepeatedPlan(game, 0, view.stage()).values(view, found)
    assert len(found) == 1
    assert worth.max() == pytest.approx(brute_force(game, opponent, 6))


@pytest.mark.long
def test_it_cooperates_with_those_who_do_and_exploits_those_who_always_do() -> None:
    aware = make_agent("aware")
    for seed in range(2):
        record = play("dilemma", [aware, "dilemma.cooperator"], seed=seed)
    assert isinstance(aware, Aware)
    assert isinstance(aware.delegate, RepeatedPlanner)
    assert record.ending is not None
    assert record.ending.returns[0] > 90
    assert play("dilemma", ["aware", "dilemma.tit_for_tat"], seed=1).ending.returns[0] >= 56  # type: ignore[union-attr]


def test_games_with_an_aware_agent_of_their_own_are_played_by_it() -> None:
    assert repr(seated("aware", "trails")) == "trails.kibitzer"
    assert repr(seated("aware(trust=0.0, simulations=10)", "trails")) == "trails.kibitzer(belief=False, nodes=300)"
    assert repr(seated("aware(model=trails.types(strategies=[trails.mute], unknown=0.2))", "trails")) == (
        "trails.kibitzer(types=[trails.mute], unknown=0.2)"
    )
    assert repr(seated("aware", "risk")) == "risk.aware(model=risk.choice)"
    assert repr(seated("aware(trust=0.0)", "risk")) == "risk.aware"


def test_bad_input_is_refused_in_one_line() -> None:
    with pytest.raises(Unsupported, match=r"trails\.types does not fit: it watches Colored Trails only"):
        seated("aware(model=trails.types)", "kuhn")
    for spec in ("aware(risk=-0.1)", "aware(trust=2.0)", "aware(simulations=0)"):
        with pytest.raises(BadSpec):
            make_agent(spec)


@pytest.mark.parametrize("player", [0, 1])
def test_matching_pennies_until_one_is_ahead_risks_no_more_than_it_may(player: int) -> None:
    spec, risk = "pennies(lead=2)", 0.1
    sure = "strategy_filter(strategies=[pennies.heads], unknown=0.0)"
    way = seated(f"aware(model={sure}, risk={risk})", spec, player)
    assert isinstance(way, OpponentAware)
    game = way.ground.game
    node = game.states.node(make_game(spec).new_initial_state())
    value = solve(spec).value(make_game(spec).new_initial_state()) * (1.0 if player == 0 else -1.0)
    worst = response_of(game, way.own, way._forecast()).sure[node]
    assert value - risk - 1e-3 <= worst < value - 0.5 * risk


class Broken(StrategyFilter):
    """Fails when it sees the third event."""

    def observe(self, transition: core.Transition) -> None:
        if transition.ply >= 3:
            raise RuntimeError("the model is broken")
        super().observe(transition)


@pytest.mark.parametrize("game", ["dilemma", "kuhn(players=2)", "cops"])
def test_a_model_that_fails_does_not_end_the_match(game: str) -> None:
    agent = Aware(model=Broken(), simulations=4)
    record = play(game, [agent, "random"], seed=2, max_plies=14)
    assert record.ending is not None
    assert record.ending.strikes == (0, 0)
    assert "the model is broken" in str(agent.truth())


def test_it_believes_a_model_the_more_the_better_it_predicts() -> None:
    shares = {}
    for opponent in ("pawns.s3", "random"):
        agent = Aware(simulations=8)
        play("pawns", [agent, opponent], seed=3, opening=4)
        assert isinstance(agent.delegate, AwareSearch)
        assert agent.delegate.watcher is not None
        shares[opponent] = agent.delegate.watcher.confidence(1)
        assert agent.delegate.watcher.belief(0)["pawns.s3"] == pytest.approx(0.225)  # it does not judge itself
    assert shares["random"] < 0.7 < 0.9 < shares["pawns.s3"]
