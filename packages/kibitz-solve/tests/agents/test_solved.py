"""Players of solved games."""

from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

from kibitz import core, make_agent, make_game
from kibitz.core.errors import BadPolicy, Unsupported
from kibitz.core.match.play import play
from kibitz.core.seeds import stream
from kibitz_lab.agents import solution_cache
from kibitz_solve import best_response, build_game, expected_rounds, solve
from kibitz_solve.agents import solved_games
from kibitz_solve.agents.opponent_aware import OpponentAware
from kibitz_solve.agents.solved_games import Equilibrium, Thwart

BEAR = "bear-brawl(hero_hp=3, bear_hp=3, radius=6)"


def seated(agent: core.Agent, game: str, player: int) -> core.Agent:
    agent.begin(make_game(game), player, stream(1, "seat"))
    return agent


def test_the_equilibrium_keeps_what_it_guarantees() -> None:
    game = build_game("right-turn")
    for player, sign in ((0, 1.0), (1, -1.0)):
        agent = seated(Equilibrium(), "right-turn", player)
        assert isinstance(agent, Equilibrium)
        mixes = [agent.policy(game.states.state(node)) for node in range(game.choices)]
        shares = np.concatenate(
            [[mix.probability(a) for a in game.states.state(n).legal_actions(player)] for n, mix in enumerate(mixes)]
        )
        earned = best_response(game, shares, player).guaranteed[: game.choices]
        assert (sign * earned >= sign * agent.solution.guarantee(player)[: game.choices] - 1e-8).all()
        bound = agent.solution.low if player == 0 else agent.solution.high
        assert (sign * earned >= sign * bound[: game.choices] - 1e-3).all()  # some cells have no optimal strategy


def test_a_policy_table_is_played_as_it_is_written(tmp_path: Path) -> None:
    for name in ("policy.csv", "policy.json"):
        file = str(tmp_path / name)
        solve("guan", width=1e-4).table().write(file)
        state = make_game("guan").new_initial_state()
        ours, theirs = (seated(each, "guan", 0) for each in (Equilibrium(), Equilibrium(file=file)))
        assert isinstance(ours, Equilibrium)
        assert isinstance(theirs, Equilibrium)
        assert theirs.policy(state).named == ours.policy(state).named


def test_the_table_of_another_game_is_refused(tmp_path: Path) -> None:
    file = str(tmp_path / "policy.json")
    solve("macwiggins").table().write(file)
    agent = seated(Equilibrium(file=file), "guan", 0)
    assert isinstance(agent, Equilibrium)
    with pytest.raises(BadPolicy, match="of another game"):
        agent.policy(make_game("guan").new_initial_state())


def test_games_that_cannot_be_solved_are_said_so() -> None:
    for game, why in (("kuhn", "without secrets"), ("breakthrough", "more than 50 states")):
        with pytest.raises(Unsupported, match=why):
            make_agent("equilibrium(limit=50)").begin(make_game(game), 0, stream(1, "seat"))


def test_games_that_take_too_many_steps_of_the_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """340 states of 4,575 steps: each player has up to ten actions. A higher limit of states allows more steps too."""
    monkeypatch.setattr(solved_games, "STEPS", 4_000)
    monkeypatch.setattr(solution_cache, "_kept", OrderedDict())  # neither what others solved nor refusals for others
    for agent in (Equilibrium(), Thwart(), OpponentAware(limit=400)):
        with pytest.raises(Unsupported, match="more than 4,000 steps of the rules"):
            agent.begin(make_game("oshi-zumo"), 0, stream(1, "seat"))
    Equilibrium(limit=2 * solved_games.LIMIT).begin(make_game("oshi-zumo"), 0, stream(1, "seat"))


def test_who_delays_loses_as_late_as_can_be() -> None:
    game = build_game(BEAR)
    rounds = np.minimum(expected_rounds(game).expected, 1e6)
    agent = seated(Thwart(), BEAR, 1)
    assert isinstance(agent, Thwart)
    for node in np.flatnonzero(rounds[: game.choices] < 1e6):
        left = rounds[game.structure.successors[game.structure.first[node] : game.structure.first[node + 1]]]
        answers = left.reshape(game.shape(int(node))) @ np.array(agent.delay.shares(int(node)))
        assert answers.min() >= rounds[node] - 1.0 - 1e-9


def test_what_need_not_be_lost_goes_on() -> None:
    lost = play(f"{BEAR[:-1]}, start=(1, 3, -6, 1))", ["equilibrium", "thwart"], seed=2, max_plies=60)
    assert lost.ending is not None
    assert lost.ending.reason == "max_plies"


def test_delaying_works_from_either_seat() -> None:
    """The game is the same for both, and so is what they do."""
    state = make_game("rps(wins=2)").new_initial_state()
    for player in (0, 1):
        agent = seated(Thwart(), "rps(wins=2)", player)
        assert isinstance(agent, Thwart)
        shares = [agent.policy(state).probability(action) for action in state.legal_actions(player)]
        assert shares == pytest.approx([1 / 3] * 3, abs=1e-6)


@pytest.mark.long
def test_lowered_expectations_are_played_where_nothing_can_be_won() -> None:
    """An orc who knows them stays near, and catches a monkey who blunders; one who does not may walk away for ever."""
    game, caught = "right-turn(radius=8, start=(4, -4))", []
    for orc in ("equilibrium(lowered=True)", "equilibrium"):
        ends = [play(game, [orc, "random"], seed=seed, max_plies=60).ending for seed in range(30)]
        caught.append(sum(end is not None and end.returns[0] > 0.0 for end in ends))
    assert caught[0] > 2 * caught[1]


@pytest.mark.long
def test_who_defends_with_lowered_expectations_concedes_no_more() -> None:
    game = build_game("right-turn(radius=6)")
    agent = seated(Equilibrium(lowered=True), "right-turn(radius=6)", 1)
    assert isinstance(agent, Equilibrium)
    conceded = best_response(game, agent.solution.policy(agent.part).shares, 1).guaranteed
    assert (conceded <= agent.solution.high + 1e-8).all()


def test_where_both_can_win_each_plays_for_his_own_win() -> None:
    game = "duel(distance=2, reach=3, shells=(1, 1))"
    state = make_game(game).new_initial_state()
    for player in (0, 1):
        agent = seated(Equilibrium(lowered=True), game, player)
        assert isinstance(agent, Equilibrium)
        assert agent.part == 0
        assert agent.solution.value(state) > 0.0
        assert sum(agent.policy(state).named.values()) == pytest.approx(1.0)


def test_what_lies_outside_must_be_known_to_lower_expectations() -> None:
    with pytest.raises(Unsupported, match="outside"):
        seated(Equilibrium(lowered=True), "bear-brawl(hero_hp=1, bear_hp=1, radius=2, edge=unbounded)", 0)
