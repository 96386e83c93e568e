"""Teams of automata look ahead as the thesis has it, on a table and by playing."""

from statistics import variance

import pytest

from kibitz import core, make_game
from kibitz.core.registry import make_agent
from kibitz.core.seeds import kernel_stream, stream
from kibitz_axis.land.perfect import plan_values, solver
from kibitz_axis.land.rules import State
from kibitz_lab.automata.look_ahead import NOBODY, LookAhead
from kibitz_lab.automata.simulated_turns import SimulatedTurns, SquadTurns
from kibitz_lab.automata.table_learning import learn_on_table, table_of
from kibitz_lab.automata.team import Learning, late_mean
from kibitz_lab.automata.tier import Tier
from kibitz_lab.automata.turn_table import NoTable, TurnTable

S1, S2, S3 = (make_game(f"axis(scenario={name})") for name in ("s1", "s2", "s3"))


def expectation(table: TurnTable, row: int) -> list[float]:
    """Every player's expectation of a turn."""
    return [
        sum(chance * float(table.statuses[after, player]) for after, chance in table.rows[row]) for player in (0, 1)
    ]


def row_of(table: TurnTable, picks: tuple[int, ...]) -> int:
    """The row of outcomes of a turn at the beginning of a table."""
    turn = 0
    for count, pick in zip(table.units[0], picks, strict=True):
        turn = turn * count + pick
    return table.turns[0][turn]


def test_learning_by_odds_finds_the_best_turn_of_the_second_scenario() -> None:
    """Its answer is worth what backward induction says, whatever the seed."""
    table = table_of(S2, 0, 2)
    found = [learn_on_table(table, [Tier(rounds=400), Tier(rounds=200)], seed, "odds") for seed in range(5)]
    assert len({result.top for result in found}) == 1
    assert len({result.statuses for result in found}) == 1


def test_a_team_that_is_sure_stops_early() -> None:
    tiers = [Tier(kind="bla", rounds=300, sure=0.8), Tier(kind="lri", rounds=40, rate=0.3, sure=0.9)]
    for outcomes in ("dice", "odds"):
        found = learn_on_table(table_of(S3, 0, 2), tiers, 3, outcomes)  # type: ignore[arg-type]
        assert 0 < len(found.tried) < 300


def test_identical_units_share_work() -> None:
    """A turn of the thesis's scenarios in 9, 8 and 32 ways leads to 6, 4 and 18 states."""
    tables = [table_of(game, 0, 1) for game in (S1, S2, S3)]
    assert [len(table.turns[0]) for table in tables] == [9, 8, 32]
    assert [len(set(table.turns[0])) for table in tables] == [6, 4, 18]


def test_odds_of_a_table_are_those_of_the_rules() -> None:
    """Turns of the last tier are worth what backward induction says of them."""
    game = make_game("axis(scenario=s3, turns=1)")
    table, state = table_of(game, 0, 1, span=(-100.0, 100.0)), game.new_initial_state()
    assert isinstance(state, State)
    exact = sorted(plan_values(state, solver()).values())
    found = {round(200.0 * expectation(table, row)[0] - 100.0, 9) for row in set(table.turns[0])}
    assert sorted(found) == pytest.approx(sorted({round(value, 9) for value in exact}))


def test_a_scripted_opponent_is_part_of_the_odds() -> None:
    table = table_of(S2, 0, 3)
    assert {position.mover for position in table.found} == {0, NOBODY}
    assert [position.turns for position in table.found if position.mover == NOBODY][-1] == 3


def test_a_given_reply_is_part_of_the_odds() -> None:
    reply = make_agent("axis.greedy")
    assert isinstance(reply, core.Strategy)
    reply.begin(S1, 1, stream(1, "reply"))
    table = TurnTable(LookAhead(S1, 0, 2, replies={1: reply}), S1.new_initial_state())
    assert {position.mover for position in table.found} == {0, NOBODY}


def test_the_status_is_the_gain_within_a_range_that_is_told() -> None:
    wide, narrow = table_of(S1, 0, 1, span=(-8.0, 6.0)), table_of(S1, 0, 1, span=(0.0, 1.0))
    assert wide.spans == table_of(S1, 0, 1).spans == [(-8.0, 6.0), (-6.0, 8.0)]
    assert narrow.spans == [(0.0, 1.0), (-1.0, 0.0)]
    assert wide.statuses[0].tolist() == pytest.approx([8 / 14, 6 / 14])
    assert set(narrow.statuses[:, 0].tolist()) == {0.0, 1.0}


def test_the_answer_is_the_mean_of_the_last_fifth() -> None:
    assert late_mean([[float(number)] for number in range(10)]) == (8.5,)
    assert late_mean([[1.0, 0.0]]) == (1.0, 0.0)


def test_played_turns_learn_what_tables_learn() -> None:
    """Without a table, by the rules: the robber of a short path is caught at once where he is in reach."""
    game = make_game("cops(graph=path, size=4, cops=1, turns=3)")
    state = game.new_initial_state().child(1)
    words = kernel_stream(2, "played")
    turns = SimulatedTurns(LookAhead(game, 0, 1), state, words)
    learned = Learning(turns, [Tier(rounds=60)], words).learn_turn(turns.begin)
    assert learned.top == (1,)
    assert learned.top == learn_on_table(TurnTable(LookAhead(game, 0, 1), state), [Tier(rounds=60)], 2).top


def test_luck_is_taken_out_of_what_is_earned() -> None:
    """After one turn with one battle nothing but its expectation is left, whatever the dice say."""
    game = make_game("axis(scenario=s3, turns=1)")
    table = table_of(game, 0, 1, span=(-100.0, 100.0))
    turns = SimulatedTurns(table.look_ahead, game.new_initial_state(), kernel_stream(3, "luck"))
    for picks in ((1, 1, 1, 1, 1), (0, 1, 0, 1, 1), (0, 0, 0, 0, 1), (0, 0, 0, 0, 0)):
        ends = [turns.outcome(turns.begin, picks) for _ in range(3)]
        expected = expectation(table, row_of(table, picks))
        for end in ends:
            assert turns.statuses(end) == pytest.approx(expected)


def test_what_luck_changes_later_on_is_right_on_average() -> None:
    """Two turns of the first scenario against a greedy tank, both infantry attacking first."""
    reply = make_agent("axis.greedy")
    assert isinstance(reply, core.Strategy)
    reply.begin(S1, 1, stream(1, "reply"))
    look_ahead, start = LookAhead(S1, 0, 1, replies={1: reply}), S1.new_initial_state()
    turns, table = SimulatedTurns(look_ahead, start, kernel_stream(4, "luck")), TurnTable(look_ahead, start)
    picks = (2, 2)
    row = row_of(table, picks)
    exact = expectation(table, row)[0]
    found = [turns.statuses(turns.outcome(turns.begin, picks))[0] for _ in range(400)]
    assert sum(found) / 400 == pytest.approx(exact, abs=0.02)
    spread = sum(chance * (table.statuses[after, 0] - exact) ** 2 for after, chance in table.rows[row])
    assert variance(found) < 0.5 * spread


def test_squads_dare_what_none_dares_alone() -> None:
    """West has taken the crossing; east gains 5.76 IPC by an attack of a whole army, and loses by any smaller one."""
    game = make_game("axis(scenario=front)")
    state = game.new_initial_state()
    greedy = make_agent("axis.greedy")
    greedy.begin(game, 0, stream(1, "greedy"))
    while state.current_player() == 0:
        state.apply_action(greedy.act(state, core.Clock()))
    words = kernel_stream(1, "squads")
    turns = SimulatedTurns(LookAhead(game, 1, 1, "absent"), state, words)
    squads, tiers = SquadTurns(turns), [Tier(rounds=150)]
    assert len(turns.counts(turns.begin)) == 16
    assert len(squads.counts(squads.turns.begin)) <= 6
    together = squads.unit_result(turns.begin, Learning(squads, tiers, words).learn_turn(turns.begin))
    gain = turns.returns_without_luck(turns.outcome(turns.begin, together.top))[1] - state.returns()[1]
    assert gain == pytest.approx(5.76, abs=0.01)
    assert len(together.tried[0][0]) == 16


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(NoTable, match="fits into no table: a turn can be played in more than 4,096 ways"):
        table_of(make_game("axis(scenario=revised)"), 0, 1)
