"""A plan that pays only if all units follow it, against a reply that is one of several equally good ones.

Red gives up K, worth 10, and takes B. Blue takes K with its infantry, its tank or both: to a blue that looks at its own
turn alone these are equal. To red they are not: what is left divided is beaten, and K comes back.
"""

from collections import Counter
from pathlib import Path

import pytest

from kibitz import core, make_game
from kibitz.core.registry import make_agent
from kibitz.core.seeds import stream
from kibitz_axis.game import Axis
from kibitz_axis.land.perfect import plan_values, solver
from kibitz_axis.land.rules import State
from kibitz_lab.automata.agent import Automata
from kibitz_lab.automata.table_learning import learn_on_table, table_of
from kibitz_lab.automata.tier import Tier

pytestmark = pytest.mark.long

SCENARIO = """
name = "Bait"
turns = 2
range = [-25, 15]
[powers.red]
[powers.blue]
[areas]
K = { owner = "red", value = 10, units = "2i1a", next = ["B", "T"] }
B = { owner = "blue", value = 2, next = ["T"] }
T = { owner = "blue", value = 1, units = "1i1t" }
"""
STAY, ALL_TO_B = (0, 0, 0), (1, 1, 1)
TIERS = [Tier(kind="bla", rounds=400), Tier(kind="bla", rounds=200)]


@pytest.fixture
def bait(tmp_path: Path) -> Axis:
    path = tmp_path / "bait.toml"
    path.write_text(SCENARIO)
    game = make_game(f"axis(scenario={str(path)!r})")
    assert isinstance(game, Axis)
    return game


def gain(status: float) -> float:
    """A status as IPC, within the scenario's range."""
    return 40.0 * status - 25.0


def test_equal_turns_of_a_myopic_opponent_are_equally_likely(bait: Axis) -> None:
    """Worked out here turn by turn; by the order in which units are asked, all to B would be worth .871."""
    start = bait.new_initial_state()
    assert isinstance(start, State)
    values = plan_values(start, solver("myopic"))
    for _ in range(3):
        start = start.child(start.legal_actions()[1])
    while start.current_player() == core.CHANCE:
        start = start.child(start.chance_outcomes()[0][0])
    assert start.current_player() == 1
    exact, ends = solver("myopic"), []
    for infantry in start.legal_actions():
        after = start.child(infantry)
        for tank in after.legal_actions():
            words = start.action_to_string(1, infantry), after.action_to_string(1, tank)
            if any("> K" in each for each in words) and not any("> B" in each for each in words):
                ends.append(exact.value(after.child(tank))[0])
    assert len(ends) == 3
    plan = ("artillery K > B", "infantry K > B", "infantry K > B")
    assert values[plan] == pytest.approx(sum(ends) / 3, abs=1e-9)
    assert values[plan] == pytest.approx(0.5352, abs=1e-4)
    assert max(values, key=values.__getitem__) == plan
    assert sorted(values.values())[-2] == pytest.approx(0.1150, abs=1e-4)


def test_a_team_finds_the_plan_that_all_must_follow(bait: Axis) -> None:
    table = table_of(bait, 0, 2)
    for seed in range(10):
        learned = learn_on_table(table, TIERS, seed, "odds")
        assert learned.top == ALL_TO_B
        assert gain(learned.statuses[0]) == pytest.approx(0.5352, abs=1e-4)
        assert len(learned.tried) == 800


def test_units_that_learn_alone_mostly_stay(bait: Axis) -> None:
    """From the plan to stay every unit loses that leaves it alone; so most teams never meet the plan of all."""
    table = table_of(bait, 0, 2)
    tops = Counter(learn_on_table(table, TIERS, seed, "odds", squads=False).top for seed in range(20))
    assert tops[STAY] > tops[ALL_TO_B]
    assert tops[ALL_TO_B] < 10


def test_a_position_is_worth_what_its_best_turn_is(bait: Axis) -> None:
    """Not what its last rounds were on average: while a team tries, it errs, and more where it has more to learn."""
    table = table_of(bait, 0, 1, others="absent")
    learned = learn_on_table(table, [Tier(kind="bla", rounds=60)], 3, "odds")
    turn = 0
    for count, pick in zip(table.units[0], learned.top, strict=True):
        turn = turn * count + pick
    after = table.rows[table.turns[0][turn]]
    expected = [sum(chance * table.statuses[place, player] for place, chance in after) for player in (0, 1)]
    assert learned.statuses == pytest.approx(expected, abs=1e-12)


def test_the_agent_plays_it(bait: Axis) -> None:
    for seed in range(10):
        agent = make_agent("automata")
        assert isinstance(agent, Automata)
        agent.begin(bait, 0, stream(seed, "agent"))
        state = bait.new_initial_state()
        for _ in range(3):
            action = agent.act(state.clone(), core.Clock())
            assert state.action_to_string(0, action).endswith("> B")
            state.apply_action(action)


def test_it_is_a_bait_which_a_perfect_reply_avoids(bait: Axis) -> None:
    start = bait.new_initial_state()
    assert isinstance(start, State)
    values = plan_values(start, solver("perfect"))
    assert values["artillery K > B", "infantry K > B", "infantry K > B"] == pytest.approx(-1.1795, abs=1e-4)
    agent = make_agent("automata(reply=axis.exact(opponent=perfect))")
    agent.begin(bait, 0, stream(1, "agent"))
    action = agent.act(start.clone(), core.Clock())
    assert start.action_to_string(0, action).endswith("> T")
    assert max(values.values()) == pytest.approx(0.0227, abs=1e-4)
