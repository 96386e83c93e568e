"""Compiled loops over an information-set table.

A strategy of everyone is an array of shares with a number per sequence, 1 for the empty ones. *Plans* are the same in
sequence form: the product of a player's shares on the way. Parameters called `sets`, `ends` and `tree` are the tuples
of `table.py`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import draw_unit
from kibitz_lab.extensive.table import Floats

SETS = "Tuple((int64[::1], int64[::1], int64[::1], int64[::1], int64[::1]))"
ENDS = "Tuple((int64[:, ::1], float64[:, ::1], float64[::1]))"
TREE = "Tuple((int64[::1], int64[::1], int64[::1], int64[::1], float64[::1], float64[:, ::1]))"
F = "float64[::1]"


@kernel(f"int64({SETS}, int64, {F}, {F})", entry=True)
def write_plan(sets: Any, player: int, shares: Floats, plan: Floats) -> int:
    """Write a player's plan; return how many information sets they have."""
    first, last, parents, starts, empty = sets
    plan[empty[player]] = 1.0
    for number in range(starts[player], starts[player + 1]):
        reach = plan[parents[number]]
        for sequence in range(first[number], last[number]):
            plan[sequence] = reach * shares[sequence]
    return starts[player + 1] - starts[player]  # type: ignore[no-any-return]


@kernel(f"int64({SETS}, {ENDS}, int64, {F}, {F})", entry=True)
def write_payoffs(sets: Any, ends: Any, player: int, plan: Floats, values: Floats) -> int:
    """Write what each sequence of *player* earns at once, weighted by how likely all others let it happen."""
    sequences, payoffs, _ = ends
    empty = sets[4]
    for sequence in range(empty[player], empty[player + 1]):
        values[sequence] = 0.0
    count, players = sequences.shape
    if players == 2:
        for end in range(count):
            values[sequences[end, player]] += payoffs[end, player] * plan[sequences[end, 1 - player]]
        return count  # type: ignore[no-any-return]
    for end in range(count):
        weight = payoffs[end, player]
        for other in range(players):
            if other != player:
                weight *= plan[sequences[end, other]]
        values[sequences[end, player]] += weight
    return count  # type: ignore[no-any-return]


@kernel(f"float64({SETS}, int64, {F}, {F})")
def respond(sets: Any, player: int, values: Floats, shares: Floats) -> float:
    """The most that *player* can earn; writes the best action of each information set.

    *values* comes from `write_payoffs` and becomes what each sequence earns at best from there on.
    """
    first, last, parents, starts, empty = sets
    for number in range(starts[player + 1] - 1, starts[player] - 1, -1):
        best = first[number]
        for sequence in range(first[number], last[number]):
            shares[sequence] = 0.0
            if values[sequence] > values[best]:
                best = sequence
        shares[best] = 1.0
        values[parents[number]] += values[best]
    return values[empty[player]]  # type: ignore[no-any-return]


@kernel(f"int64({SETS}, int64, {F}, {F})")
def match_regrets(sets: Any, player: int, regrets: Floats, shares: Floats) -> int:
    """Play actions in proportion to their positive regrets (Hart & Mas-Colell 2000); return how many sets had none."""
    first, last, _, starts, _ = sets
    none = 0
    for number in range(starts[player], starts[player + 1]):
        total = 0.0
        for sequence in range(first[number], last[number]):
            total += max(regrets[sequence], 0.0)
        none += total <= 0.0
        for sequence in range(first[number], last[number]):
            if total > 0.0:
                shares[sequence] = max(regrets[sequence], 0.0) / total
            else:
                shares[sequence] = 1.0 / (last[number] - first[number])
    return none


@kernel(f"float64({SETS}, int64, {F}, {F}, {F})")
def add_regrets(sets: Any, player: int, shares: Floats, values: Floats, regrets: Floats) -> float:
    """Add what each action would have earned beyond the current strategy, never below 0 (CFR+, Tammelin 2014)."""
    first, last, parents, starts, empty = sets
    for number in range(starts[player + 1] - 1, starts[player] - 1, -1):
        mean = 0.0
        for sequence in range(first[number], last[number]):
            mean += shares[sequence] * values[sequence]
        for sequence in range(first[number], last[number]):
            regrets[sequence] = max(regrets[sequence] + values[sequence] - mean, 0.0)
        values[parents[number]] += mean
    return values[empty[player]]  # type: ignore[no-any-return]


@kernel(f"int64({SETS}, {ENDS}, int64, int64, {F}, {F}, {F}, {F}, {F})")
def iterate_cfr_plus(
    sets: Any,
    ends: Any,
    done: int,
    count: int,
    regrets: Floats,
    sums: Floats,
    shares: Floats,
    plan: Floats,
    values: Floats,
) -> int:
    """Run iterations *done* + 1 to *done* + *count* of CFR+; return the last.

    Players are updated in turn; *sums* adds up plans, each weighted by the number of its iteration.
    """
    players = len(sets[3]) - 1
    for player in range(players):
        write_plan(sets, player, shares, plan)
    for iteration in range(done + 1, done + count + 1):
        for player in range(players):
            write_payoffs(sets, ends, player, plan, values)
            add_regrets(sets, player, shares, values, regrets)
            for sequence in range(sets[4][player], sets[4][player + 1]):
                sums[sequence] += iteration * plan[sequence]
            match_regrets(sets, player, regrets, shares)
            write_plan(sets, player, shares, plan)
    return done + count


@kernel(f"int64({SETS}, {F}, {F})")
def write_average(sets: Any, sums: Floats, shares: Floats) -> int:
    """Write the strategy whose plan is the mean; where it never came, actions are equally likely."""
    first, last, _, starts, empty = sets
    for player in range(len(starts) - 1):
        shares[empty[player]] = 1.0
    for number in range(len(first)):
        total = 0.0
        for sequence in range(first[number], last[number]):
            total += sums[sequence]
        for sequence in range(first[number], last[number]):
            shares[sequence] = sums[sequence] / total if total > 0.0 else 1.0 / (last[number] - first[number])
    return len(first)


@kernel(f"float64({SETS}, {TREE}, int64, int64, int64, {F}, {F}, float64[:, ::1], uint64[:])")
def sample_regrets(
    sets: Any,
    tree: Any,
    player: int,
    node: int,
    depth: int,
    regrets: Floats,
    sums: Floats,
    scratch: NDArray[np.float64],
    random: NDArray[np.uint64],
) -> float:
    """What *player* earns from a node, by external sampling (Lanctot et al. 2009).

    The player tries all actions, chance and the others draw one; *scratch* has two rows per depth.
    """
    movers, children, counts, numbers, chances, returns = tree
    mover = movers[node]
    # 1. The end: what was earned.
    if mover == -4:
        return returns[children[node], player]  # type: ignore[no-any-return]
    child, count = children[node], counts[node]
    # 2. Chance: draw one outcome.
    if mover == -1:
        left = draw_unit(random)
        for place in range(count):
            left -= chances[child + place]
            if left < 0.0 or place == count - 1:
                return sample_regrets(sets, tree, player, child + place, depth, regrets, sums, scratch, random)
    # 3. The current strategy, by regret matching.
    first = sets[0][numbers[node]]
    shares, values = scratch[2 * depth], scratch[2 * depth + 1]
    total = 0.0
    for place in range(count):
        total += max(regrets[first + place], 0.0)
    for place in range(count):
        shares[place] = max(regrets[first + place], 0.0) / total if total > 0.0 else 1.0 / count
    # 4. Another player: draw an action; the average counts the player after the one who tries everything.
    if mover != player:
        if mover == (player + 1) % (len(sets[3]) - 1):
            for place in range(count):
                sums[first + place] += shares[place]
        left = draw_unit(random)
        for place in range(count):
            left -= shares[place]
            if left < 0.0 or place == count - 1:
                return sample_regrets(sets, tree, player, child + place, depth + 1, regrets, sums, scratch, random)
    # 5. The player: try all actions.
    mean = 0.0
    for place in range(count):
        values[place] = sample_regrets(sets, tree, player, child + place, depth + 1, regrets, sums, scratch, random)
        mean += shares[place] * values[place]
    for place in range(count):
        regrets[first + place] += values[place] - mean
    return mean


@kernel(f"int64({SETS}, {TREE}, int64, {F}, {F}, float64[:, ::1], uint64[:])")
def iterate_mccfr(
    sets: Any,
    tree: Any,
    count: int,
    regrets: Floats,
    sums: Floats,
    scratch: NDArray[np.float64],
    random: NDArray[np.uint64],
) -> int:
    """Run *count* iterations of external sampling, one sample for each player."""
    for _ in range(count):
        for player in range(len(sets[3]) - 1):
            sample_regrets(sets, tree, player, 0, 0, regrets, sums, scratch, random)
    return count
