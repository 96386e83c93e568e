"""Battles in which every hit may fall on every unit: the twin of `reference`, and of `dice`.

With a fixed order of losses a side is what it has left after so many hits, so that a battle is a walk on a grid: hits
taken by the attackers × hits taken by the defenders. A *ladder* has a row per hit taken: how many units then fire with
strength 0, 1, … 6. Its last row is an army that is gone.
"""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import draw_below

Ladder = NDArray[np.int64]
Grid = NDArray[np.float64]
ATTACK, DEFENCE, COST, HITS, BECOMES, SUPPORTS, SUPPORTED, LAND = range(8)
"""The columns of *traits*, which has a row per kind of unit, the damaged included."""
CHEAPEST, PAIRS, LAND_LAST = range(3)
ORDERS = {"cheapest": CHEAPEST, "pairs": PAIRS, "land": LAND_LAST}
"""The orders of losses that kernels know."""


@kernel("void(int64[::1], int64[:, ::1], boolean, int64[::1])")
def count_strengths(army: Ladder, traits: Ladder, attacking: bool, counts: Ladder) -> None:
    """Write how many units fire with strength 0, 1, … 6 into *counts*. Twin of `Side.strengths`."""
    counts[:] = 0
    support = 0
    for kind in range(len(army)):
        support += army[kind] * traits[kind, SUPPORTS]
    for kind in range(len(army)):
        strength = traits[kind, ATTACK] if attacking else traits[kind, DEFENCE]
        lifted = min(army[kind], support) if attacking and traits[kind, SUPPORTED] else 0
        support -= lifted
        counts[min(6, strength + 1)] += lifted
        counts[strength] += army[kind] - lifted


@kernel("int64(int64[::1], int64[:, ::1], boolean, int64, int64[::1])")
def next_loss(army: Ladder, traits: Ladder, attacking: bool, order: int, counts: Ladder) -> int:
    """The kind that takes the next hit; *counts* is room to count in. Twin of `Side.next_loss`."""
    land, kinds_left = 0, 0
    for kind in range(len(army)):
        land += army[kind] * traits[kind, LAND]
        kinds_left += 1 if army[kind] else 0
    chosen, least, dearness = -1, 0, 0
    for kind in range(len(army)):
        if army[kind] == 0 or (order == LAND_LAST and traits[kind, LAND] and land == 1 and kinds_left > 1):
            continue
        regret, price = traits[kind, COST], traits[kind, ATTACK] if attacking else traits[kind, DEFENCE]
        if traits[kind, BECOMES] >= 0:
            regret, price = 0, 0
        elif order == PAIRS:
            regret, price = 1, traits[kind, COST]
            for sign in (1, -1):
                count_strengths(army, traits, attacking, counts)
                for strength in range(1, 7):
                    regret += sign * strength * counts[strength]
                army[kind] -= sign
        if chosen < 0 or regret < least or (regret == least and price < dearness):
            chosen, least, dearness = kind, regret, price
    return chosen


@kernel("int64[:, ::1](int64[::1], int64[:, ::1], boolean, int64)")
def fallen(army: Ladder, traits: Ladder, attacking: bool, order: int) -> Ladder:
    """What is left of an army after 0, 1, 2 … hits, and the strengths it then fires with, in one row each.

    Twin of `Side.lost_one_by_one` and of `Side.strengths` of every army in it.
    """
    hits = 0
    for kind in range(len(army)):
        hits += army[kind] * traits[kind, HITS]
    found = np.zeros((hits + 1, len(army) + 7), dtype=np.int64)
    left, counts = army.copy(), np.zeros(7, dtype=np.int64)
    for taken in range(hits + 1):
        if taken:
            kind = next_loss(left, traits, attacking, order, counts)
            left[kind] -= 1
            if traits[kind, BECOMES] >= 0:
                left[traits[kind, BECOMES]] += 1
        count_strengths(left, traits, attacking, counts)
        found[taken, : len(army)] = left
        found[taken, len(army) :] = counts
    return found


@kernel("float64[:, ::1](int64[:, ::1], boolean)")
def hit_table(ladder: Ladder, low_luck: bool) -> Grid:
    """Of every row of a ladder, how likely 0, 1, 2 … hits are. Twin of `reference.hit_chances`."""
    rows = len(ladder)
    table = np.zeros((rows, ladder[0].sum() + 1))
    for row in range(rows):
        chances = table[row]
        chances[0] = 1.0
        if low_luck:
            total = 0
            for strength in range(1, 7):
                total += strength * ladder[row, strength]
            sure, rest = total // 6, total % 6
            chances[0] = 0.0
            chances[sure] = (6 - rest) / 6.0
            if rest:
                chances[sure + 1] = rest / 6.0
            continue
        dice = 0
        for strength in range(1, 7):
            hit = strength / 6.0
            for _ in range(ladder[row, strength]):
                dice += 1
                for hits in range(dice, 0, -1):
                    chances[hits] = chances[hits] * (1.0 - hit) + chances[hits - 1] * hit
                chances[0] *= 1.0 - hit
    return table


@kernel("float64[:, ::1](float64[:, ::1])")
def tails(table: Grid) -> Grid:
    """How likely so many hits or more are."""
    found = np.zeros((table.shape[0], table.shape[1] + 1))
    for row in range(table.shape[0]):
        for hits in range(table.shape[1] - 1, -1, -1):
            found[row, hits] = found[row, hits + 1] + table[row, hits]
    return found


@kernel("void(int64, int64, float64, float64[::1], float64[::1], float64[::1], float64[::1], float64[:, ::1])")
def spread(
    lost: int, killed: int, mass: float, scored: Grid, scored_tail: Grid, taken: Grid, taken_tail: Grid, grid: Grid
) -> None:
    """One round of a battle that stands at (lost, killed): put its *mass* where it goes, a round without hits apart."""
    left, right = grid.shape[0] - 1 - lost, grid.shape[1] - 1 - killed
    most_taken, most_scored = min(left, len(taken) - 1), min(right, len(scored) - 1)
    for hits in range(most_taken + 1):
        chance = mass * (taken_tail[hits] if hits == left else taken[hits])
        if chance == 0.0:
            continue
        row = grid[lost + hits]
        for kills in range(0 if hits else 1, min(right, most_scored + 1)):
            row[killed + kills] += chance * scored[kills]
        if most_scored == right:
            row[killed + right] += chance * scored_tail[right]


@kernel("float64[:, ::1](int64[:, ::1], int64[:, ::1], float64[::1], int64, int64, boolean)")
def battle_grid(attack: Ladder, defence: Ladder, start: Grid, withdraw: int, rounds: int, low_luck: bool) -> Grid:
    """How likely the battle is to end after each pair of hits taken. Twin of `reference.outcomes`.

    The defenders begin with 0, 1, … hits taken with the probabilities *start*. After the first round the attackers
    withdraw where they have taken *withdraw* hits, or after *rounds* (0 is never).
    """
    scored, taken = hit_table(attack, low_luck), hit_table(defence, low_luck)
    scored_tails, taken_tails = tails(scored), tails(taken)
    losses, kills = len(attack) - 1, len(defence) - 1
    grid = np.zeros((losses + 1, kills + 1))
    grid[0, : len(start)] = start
    # 1. The rounds that are counted: the first, or all of them.
    for number in range(max(1, rounds)):
        before = grid
        grid = np.zeros((losses + 1, kills + 1))
        for i in range(losses + 1):
            for j in range(kills + 1):
                mass = before[i, j]
                if mass == 0.0:
                    continue
                if i == losses or j == kills or (number > 0 and i >= withdraw):
                    grid[i, j] += mass
                    continue
                grid[i, j] += mass * scored[i, 0] * taken[j, 0]
                spread(i, j, mass, scored[i], scored_tails[i], taken[j], taken_tails[j], grid)
    if rounds > 0:
        return grid
    # 2. All others: every hit leads on along the grid, so one pass is enough; rounds without hits are divided out.
    for i in range(min(losses, withdraw)):
        for j in range(kills):
            nothing = scored[i, 0] * taken[j, 0]
            if grid[i, j] == 0.0 or nothing == 1.0:
                continue
            mass = grid[i, j] / (1.0 - nothing)
            grid[i, j] = 0.0
            spread(i, j, mass, scored[i], scored_tails[i], taken[j], taken_tails[j], grid)
    return grid


@kernel("int64(int64[::1], boolean, uint64[:])")
def rolled(strengths: Ladder, low_luck: bool, draws: NDArray[np.uint64]) -> int:
    """How many hits a row of a ladder rolls. Twin of `dice.rolled`."""
    hits = 0
    if low_luck:
        total = 0
        for strength in range(1, 7):
            total += strength * strengths[strength]
        return total // 6 + (1 if draw_below(draws, 6) < total % 6 else 0)
    for strength in range(1, 7):
        for _ in range(strengths[strength]):
            hits += 1 if draw_below(draws, 6) < strength else 0
    return hits


@kernel("int64(int64[:, ::1], int64[:, ::1], int64, int64, int64, boolean, int64, uint64[:], int64[:, ::1])")
def battle_tally(
    attack: Ladder,
    defence: Ladder,
    begun: int,
    withdraw: int,
    rounds: int,
    low_luck: bool,
    battles: int,
    draws: NDArray[np.uint64],
    tally: Ladder,
) -> int:
    """Fight *battles* with dice, the defenders having taken *begun* hits; count into *tally* how each ends."""
    losses, kills = len(attack) - 1, len(defence) - 1
    for _ in range(battles):
        i, j, fought = 0, begun, 0
        while i < losses and j < kills:
            if fought and (i >= withdraw or fought == rounds):
                break
            if attack[i, 0] == attack[i].sum() and defence[j, 0] == defence[j].sum():
                break  # nobody can hit anybody
            scored, taken = rolled(attack[i], low_luck, draws), rolled(defence[j], low_luck, draws)
            i, j, fought = min(losses, i + taken), min(kills, j + scored), fought + 1
        tally[i, j] += 1
    return battles
