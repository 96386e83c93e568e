"""Teams as kernels: on a table the recursion of `team.Learning` with an explicit stack, and learning by exact odds.

A *level* of the stack is a team in the middle of a round; its automata have the slots from `level * width` on. The last
level is for players who reply.
"""

from typing import TYPE_CHECKING

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import draw_unit
from kibitz_lab.automata.kernels import (
    COUNT,
    HELD,
    PICK,
    SETTINGS,
    SURE,
    begin,
    certainty,
    choose,
    coin_kind,
    learn,
    top,
)
from kibitz_lab.automata.look_ahead import NOBODY
from kibitz_lab.automata.turn_table import FIRST_TURN, FIRST_UNIT, MOVER, TIER, UNITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Real = NDArray[np.float64]
    Words = NDArray[np.uint64]
    Turns = tuple[Whole, Whole, Whole]
    Outcomes = tuple[Whole, Whole, Real]
    Teams = tuple[Whole, Real, Real]
    Notes = tuple[Whole, Real, Whole, Real]

TURNS = "Tuple((int64[:, ::1], int64[::1], int64[::1]))"
"""`TurnTable.positions`, `option_counts` and `turn_rows`."""
OUTCOMES = "Tuple((int64[::1], int64[::1], float64[::1]))"
"""`TurnTable.row_starts`, `outcome_positions`, and `outcome_sums` where outcomes are drawn, else `outcome_odds`."""
TEAMS = "Tuple((int64[:, ::1], float64[:, ::1], float64[:, :, ::1]))"
"""Kind and rounds of every tier, its other parameters, and the memory of all automata."""
NOTES = "Tuple((int64[:, ::1], float64[:, :, ::1], int64[::1], float64[::1]))"
"""`stack`: of every level its position and its rounds so far; `seen`: the statuses of all rounds of every level;
`tried`: the turns of the first level; `mean`: the last answer."""

KIND, ROUNDS = range(2)
"""The columns of `tiers`."""
LATE = 0.2
"""A tier answers with the mean status of this share of its rounds, counted from the end."""
ASKED_EVERY = 10
"""A team checks whether it is sure every so many rounds."""
EQUAL = 1e-9
"""Statuses nearer to each other than this are the same."""


@kernel(f"int64(int64, int64, {TURNS})", lean=True)
def row_of(position: int, turn: int, turns: "Turns") -> int:
    """The row of outcomes of a turn."""
    positions, _, turn_rows = turns
    return int(turn_rows[positions[position, FIRST_TURN] + turn])


@kernel(f"int64(int64, int64, {TURNS}, {OUTCOMES}, uint64[:])", lean=True)
def drawn_outcome(position: int, turn: int, turns: "Turns", outcomes: "Outcomes", words: "Words") -> int:
    """A position that follows a turn."""
    row_starts, outcome_positions, outcome_sums = outcomes
    row = row_of(position, turn, turns)
    first, last = row_starts[row], row_starts[row + 1] - 1
    if first == last:
        return int(outcome_positions[first])
    drawn = draw_unit(words)
    while first < last and drawn >= outcome_sums[first]:
        first += 1
    return int(outcome_positions[first])


@kernel(f"void(int64, int64, {TEAMS}, int64, uint64[:])", lean=True)
def begin_automaton(tier: int, options: int, teams: "Teams", slot: int, words: "Words") -> None:
    """An automaton of a tier forgets everything."""
    tiers, numbers, memory = teams
    memory[slot, HELD, COUNT] = options
    for column in range(numbers.shape[1]):
        memory[slot, SETTINGS, column] = numbers[tier, column]
    begin(tiers[tier, KIND], options, slot, memory, words)


@kernel(f"void(int64, {TURNS}, {TEAMS}, int64, uint64[:])", lean=True)
def begin_team(position: int, turns: "Turns", teams: "Teams", slot: int, words: "Words") -> None:
    """A team at a position forgets everything."""
    positions, option_counts, _ = turns
    first = positions[position, FIRST_UNIT]
    for unit in range(positions[position, UNITS]):
        begin_automaton(positions[position, TIER], option_counts[first + unit], teams, slot + unit, words)


@kernel("int64(int64, int64, int64, float64[:, :, ::1], uint64[:])", lean=True, entry=True)
def choose_turn(kind: int, units: int, slot: int, memory: "Real", words: "Words") -> int:
    """Every unit's choice, as the number of the turn they make."""
    turn = 0
    for unit in range(slot, slot + units):
        options = int(memory[unit, HELD, COUNT])
        pick = choose(kind, options, unit, memory, words)
        memory[unit, HELD, PICK] = pick
        turn = turn * options + pick
    return turn


@kernel("void(int64, int64, int64, float64[:, :, ::1], float64, uint64[:])", lean=True, entry=True)
def learn_turn(kind: int, units: int, slot: int, memory: "Real", status: float, words: "Words") -> None:
    """Give every automaton the same status, and one coin to those that share it."""
    tossed = coin_kind(kind)
    reward = tossed == 1 and draw_unit(words) < status
    for unit in range(slot, slot + units):
        if tossed == 2:
            reward = draw_unit(words) < status
        options, pick = int(memory[unit, HELD, COUNT]), int(memory[unit, HELD, PICK])
        learn(kind, options, unit, memory, pick, status, reward, words)


@kernel("int64(int64, int64, int64, float64[:, :, ::1])", lean=True)
def top_turn(kind: int, units: int, slot: int, memory: "Real") -> int:
    """Every unit's best option, as the number of the turn they make."""
    turn = 0
    for unit in range(slot, slot + units):
        options = int(memory[unit, HELD, COUNT])
        turn = turn * options + top(kind, options, unit, memory)
    return turn


@kernel("boolean(int64, int64, int64, float64[:, :, ::1])")
def sure(kind: int, units: int, slot: int, memory: "Real") -> bool:
    """Whether every unit is sure of its choice."""
    for unit in range(slot, slot + units):
        if certainty(kind, int(memory[unit, HELD, COUNT]), unit, memory) < memory[unit, SETTINGS, SURE]:
            return False
    return True


@kernel("boolean(int64, int64, int64, int64, int64, float64[:, :, ::1])", lean=True, entry=True)
def is_done(kind: int, units: int, rounds: int, most: int, slot: int, memory: "Real") -> bool:
    """Whether a team has learned enough: all rounds are played, or every automaton is sure."""
    asked = memory[slot, SETTINGS, SURE] < 1.0 and rounds > 0 and rounds % ASKED_EVERY == 0
    return rounds >= most or (asked and sure(kind, units, slot, memory))


@kernel(f"int64(int64, {TURNS}, {OUTCOMES}, float64[:, ::1], {TEAMS}, int64, uint64[:])", lean=True)
def reply(
    position: int,
    turns: "Turns",
    outcomes: "Outcomes",
    statuses: "Real",
    teams: "Teams",
    slot: int,
    words: "Words",
) -> int:
    """The turn learned by a player who looks no further than its end."""
    positions, _, _ = turns
    tiers, _, memory = teams
    mover, tier, units = positions[position, MOVER], positions[position, TIER], positions[position, UNITS]
    kind, most, rounds = tiers[tier, KIND], tiers[tier, ROUNDS], 0
    begin_team(position, turns, teams, slot, words)
    while not is_done(kind, units, rounds, most, slot, memory):
        turn = choose_turn(kind, units, slot, memory, words)
        after = drawn_outcome(position, turn, turns, outcomes, words)
        learn_turn(kind, units, slot, memory, statuses[after, mover], words)
        rounds += 1
    return int(top_turn(kind, units, slot, memory))


@kernel("void(int64, int64, float64[:, :, ::1], float64[::1])", lean=True)
def write_late_mean(level: int, rounds: int, seen: "Real", mean: "Real") -> None:
    """Every player's mean status over the last rounds of a level."""
    late = max(1, int(LATE * rounds + 0.5))
    for player in range(len(mean)):
        mean[player] = 0.0
        for number in range(rounds - late, rounds):
            mean[player] += seen[level, number, player]
        mean[player] /= late


@kernel(f"int64(int64, {TURNS}, {OUTCOMES}, float64[:, ::1], {TEAMS}, {NOTES}, uint64[:])")
def learn_tiers(
    width: int,
    turns: "Turns",
    outcomes: "Outcomes",
    statuses: "Real",
    teams: "Teams",
    notes: "Notes",
    words: "Words",
) -> int:
    """Learn what to do at the first position: the number of the top turn."""
    positions, _, _ = turns
    tiers, _, memory = teams
    stack, seen, tried, mean = notes
    player = positions[0, MOVER]
    level, entering, spare = 0, True, (len(stack) - 1) * width
    stack[0, 0] = 0
    while True:
        # 1. A team that is entered forgets everything.
        position, slot = stack[level, 0], level * width
        tier, units = positions[position, TIER], positions[position, UNITS]
        kind = tiers[tier, KIND]
        if entering:
            stack[level, 1] = 0
            begin_team(position, turns, teams, slot, words)
        # 2. It plays a turn; others, who look at their own turn only, reply.
        turn = choose_turn(kind, units, slot, memory, words)
        if level == 0:
            tried[stack[0, 1]] = turn
        after = drawn_outcome(position, turn, turns, outcomes, words)
        while positions[after, MOVER] != player and positions[after, MOVER] != NOBODY:
            turn = reply(after, turns, outcomes, statuses, teams, spare, words)
            after = drawn_outcome(after, turn, turns, outcomes, words)
        # 3. If the look-ahead goes on, enter the next tier.
        entering = positions[after, MOVER] != NOBODY
        if entering:
            level += 1
            stack[level, 0] = after
            continue
        for each in range(len(mean)):
            mean[each] = statuses[after, each]
        # 4. Every automaton learns; a tier that is done passes its answer to the tier above.
        while True:
            position, rounds, slot = stack[level, 0], stack[level, 1], level * width
            tier, units = positions[position, TIER], positions[position, UNITS]
            kind = tiers[tier, KIND]
            for each in range(len(mean)):
                seen[level, rounds, each] = mean[each]
            learn_turn(kind, units, slot, memory, mean[positions[position, MOVER]], words)
            stack[level, 1] = rounds + 1
            if not is_done(kind, units, rounds + 1, tiers[tier, ROUNDS], slot, memory):
                break
            write_late_mean(level, rounds + 1, seen, mean)
            if level == 0:
                return int(top_turn(kind, units, slot, memory))
            level -= 1


@kernel(f"void(int64, {OUTCOMES}, float64[:, ::1], float64[::1])", lean=True)
def write_expectation(row: int, outcomes: "Outcomes", values: "Real", expected: "Real") -> None:
    """Every player's expectation of a turn."""
    row_starts, outcome_positions, outcome_odds = outcomes
    for player in range(len(expected)):
        expected[player] = 0.0
        for place in range(row_starts[row], row_starts[row + 1]):
            expected[player] += outcome_odds[place] * values[outcome_positions[place], player]


@kernel(f"int64(int64, int64[::1], {TURNS}, float64[:, :, ::1], boolean, int64)", lean=True)
def turn_of_groups(position: int, groups: "Whole", turns: "Turns", memory: "Real", best: bool, kind: int) -> int:
    """The number of the turn in which every unit does what its group has picked, or holds for *best*."""
    positions, option_counts, _ = turns
    first, turn = positions[position, FIRST_UNIT], 0
    for unit in range(first, first + positions[position, UNITS]):
        options, group = option_counts[unit], groups[unit]
        pick = top(kind, options, group, memory) if best else int(memory[group, HELD, PICK])
        turn = turn * options + pick
    return int(turn)


@kernel(
    f"int64(int64, int64, int64[::1], {TURNS}, {OUTCOMES}, float64[:, ::1], {TEAMS}, {NOTES}, uint64[:])", lean=True
)
def learn_groups(
    position: int,
    before: int,
    groups: "Whole",
    turns: "Turns",
    outcomes: "Outcomes",
    learned_from: "Real",
    teams: "Teams",
    notes: "Notes",
    words: "Words",
) -> int:
    """Learn a position with groups that choose as one; return the top turn. It notes its rounds behind those *before*.

    What everybody can expect of the top turn is in `mean`.
    """
    positions, option_counts, _ = turns
    tiers, _, memory = teams
    stack, seen, tried, mean = notes
    mover, tier, first = positions[position, MOVER], positions[position, TIER], positions[position, FIRST_UNIT]
    kind, most, rounds, members = tiers[tier, KIND], tiers[tier, ROUNDS], 0, 0
    for unit in range(first, first + positions[position, UNITS]):
        if groups[unit] == members:  # the first of its group
            begin_automaton(tier, option_counts[unit], teams, members, words)
            members += 1
    while not is_done(kind, members, rounds, most, 0, memory):
        choose_turn(kind, members, 0, memory, words)
        turn = turn_of_groups(position, groups, turns, memory, False, kind)
        write_expectation(row_of(position, turn, turns), outcomes, learned_from, mean)
        learn_turn(kind, members, 0, memory, mean[mover], words)
        tried[before + rounds] = turn
        for each in range(len(mean)):
            seen[0, before + rounds, each] = mean[each]
        rounds += 1
    stack[0, 1] = before + rounds
    turn = turn_of_groups(position, groups, turns, memory, True, kind)
    write_expectation(row_of(position, turn, turns), outcomes, learned_from, mean)
    return int(turn)


@kernel(f"void(int64, int64, float64, {TURNS}, {OUTCOMES}, float64[:, ::1], float64[:, ::1], float64[::1])", lean=True)
def write_equal_turns(
    position: int,
    mover: int,
    status: float,
    turns: "Turns",
    outcomes: "Outcomes",
    statuses: "Real",
    values: "Real",
    mean: "Real",
) -> None:
    """Write the value of a position where all turns are alike whose status for the mover at their end is *status*."""
    positions, _, turn_rows = turns
    first = positions[position, FIRST_TURN]
    last = positions[position + 1, FIRST_TURN] if position + 1 < len(positions) else len(turn_rows)
    count = 0
    for each in range(len(mean)):
        values[position, each] = 0.0
    for row in turn_rows[first:last]:
        write_expectation(row, outcomes, statuses, mean)
        if abs(mean[mover] - status) <= EQUAL:
            write_expectation(row, outcomes, values, mean)
            count += 1
            for each in range(len(mean)):
                values[position, each] += mean[each]
    for each in range(len(mean)):
        values[position, each] /= count


@kernel(f"int64(int64[::1], int64[:, ::1], {TURNS}, {OUTCOMES}, float64[:, :, ::1], {TEAMS}, {NOTES}, uint64[:])")
def learn_by_odds(
    last_first: "Whole",
    groups: "Whole",
    turns: "Turns",
    outcomes: "Outcomes",
    values: "Real",
    teams: "Teams",
    notes: "Notes",
    words: "Words",
) -> int:
    """Learn every position once, the last first, from the exact expectation of every turn.

    The value of a position is that of its top turn. Others, who look at their own turn alone, do any of the turns that
    are as good there as their top one, all alike: what is equal to them need not be to those who look further.

    `groups` has a row for units that learn for themselves, and may have one for squads. `values[0]` are the statuses;
    `values[1]` begins as these and becomes what everybody can expect of each position.
    """
    positions, mean, best = turns[0], notes[3], 0
    for position in last_first:
        mover, first, units = positions[position, MOVER], positions[position, FIRST_UNIT], positions[position, UNITS]
        if mover == NOBODY:
            continue
        myopic = mover != positions[0, MOVER]
        learned_from = values[0] if myopic else values[1]
        # 1. Units learn, then squads, if there are any.
        most, before = -1.0, 0
        for number in range(len(groups)):
            if number and groups[number, first : first + units].max() + 1 == units:
                break
            turn = learn_groups(position, before, groups[number], turns, outcomes, learned_from, teams, notes, words)
            before = notes[0][0, 1]
            if mean[mover] > most + EQUAL:
                best, most = turn, mean[mover]
        # 2. What counts is the turn that is played; who looks no further may play any that is as good to them.
        if myopic:
            write_equal_turns(position, mover, most, turns, outcomes, values[0], values[1], mean)
        else:
            write_expectation(row_of(position, best, turns), outcomes, values[1], mean)
            for each in range(len(mean)):
                values[1, position, each] = mean[each]
    return int(best)
