"""House agents: what each of them does in positions whose best play is known."""

import pytest

from kibitz import core, play
from kibitz.core.errors import Unsupported
from kibitz.core.records import Record
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.models.worlds import known_strategies
from kibitz_axis.land.perfect import Myopic
from kibitz_lab.equilibria.backward import BackwardInduction


def moves(record: Record) -> list[str]:
    return [entry.actions[0] for entry in record.entries]


def test_the_greedy_one_attacks_when_it_pays_and_not_before() -> None:
    record = play("axis(scenario='s3')", ["greedy", "random"], seed=2)
    assert all("stays" in move for move in moves(record)[:5])
    assert sum("G > M" in move for move in moves(record)) == 5


def test_the_defender_is_there_in_time() -> None:
    record = play("axis(scenario='s2')", ["defender", "random"], seed=2)
    assert moves(record)[:3] == ["infantry P1 > P2"] * 3
    assert moves(record)[5:8] == ["infantry P2 > V"] * 3


def test_a_script_is_played_where_the_rules_leave_it_free() -> None:
    forced = play("axis(scenario='s2')", ["defender", "random"], seed=4)
    free = play("axis(scenario='s2', scripted=False)", ["defender", "axis.scripted"], seed=4)
    assert moves(forced) == moves(free)


@pytest.mark.long
@pytest.mark.parametrize(
    ("agent", "scenario", "value"),
    [
        ("exact", "s2", -4.8211),
        ("defender", "s2", -5.4789),
        ("greedy", "s2", -4.8211),
        ("exact", "s3", 11.6507),
        ("greedy", "s3", 11.6507),
        ("defender", "s3", 0.0),
    ],
)
def test_what_agents_earn_on_average_is_exact(agent: str, scenario: str, value: float) -> None:
    game = make_game(f"axis(scenario='{scenario}')")
    player = make_agent(f"axis.{agent}")
    player.begin(game, 0, stream(1, "value"))
    assert isinstance(player, core.Strategy)
    earned = BackwardInduction({0: player.policy}).value(game.new_initial_state())[0]
    assert earned == pytest.approx(value, abs=1e-4)


def test_perfect_play_exploits_a_myopic_opponent() -> None:
    game = make_game("axis")
    for opponent, value in (("perfect", -0.25), ("myopic", 0.25)):
        player = make_agent(f"axis.exact(opponent='{opponent}')")
        player.begin(game, 0, stream(1, "value"))
        assert isinstance(player, core.Strategy)
        solved = BackwardInduction({0: player.policy, 1: Myopic()})
        assert solved.value(game.new_initial_state())[0] >= value - 1e-9


def test_perfect_play_refuses_what_is_too_large() -> None:
    agent = make_agent("axis.exact(most=1000)")
    with pytest.raises(Unsupported, match="more than 1,000 states"):
        agent.begin(make_game("axis(scenario='s3', turns=3)"), 0, stream(1, "large"))


def test_boards_too_large_for_perfect_play_are_refused_at_once_and_no_hypothesis() -> None:
    game = make_game("axis(scenario=revised)")
    with pytest.raises(Unsupported, match="more than 24 units"):
        make_agent("axis.exact").begin(game, 0, stream(1, "seat"))
    assert "axis.exact" not in [repr(each) for each in known_strategies(game)]
    assert "axis.exact" in [repr(each) for each in known_strategies(make_game("axis"))]
