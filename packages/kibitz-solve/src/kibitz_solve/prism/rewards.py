"""Expected rewards until a goal is reached: certified bounds where play may go in circles.

Rewards are at least 0, and a play that never reaches the goal counts as infinite (`F`). So the player who minimises
must reach it with probability 1; where they cannot, the value is infinite. *Lower bound:* what is earned in n rounds,
for every n, less a little for rounding; or, where waiting costs nothing, a vector that does not fall on average in one
round whatever the minimiser does: play must end, and it is 0 there. *Upper bound:* the best response to a strategy that
reaches the goal whatever the other does.
"""

import numpy as np

from kibitz.core.errors import BadGame
from kibitz_solve.prism.two_sided_model import Flags, TwoSidedModel, layered_game
from kibitz_solve.recursive.building.policies import Policy
from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame, mirror_game
from kibitz_solve.recursive.building.restriction import action_indices
from kibitz_solve.recursive.proofs.graph import graph_sets
from kibitz_solve.recursive.proofs.responses import Process, best_response
from kibitz_solve.recursive.proofs.solution import ProvedPolicy, Solution
from kibitz_solve.recursive.values import kernels
from kibitz_solve.recursive.values.chains import mixes_at
from kibitz_solve.recursive.values.kernels import scratch_arrays
from kibitz_solve.recursive.values.operators import Deadline, Operator

MARGIN = 1024 * 2.0**-53
"""What every round costs in the lower bound, in units of the largest value: more than rounding can hide."""
FIRST_SWEEPS = 64
MOST_SWEEPS = 2_000_000
LEAST_SHARES = (0.0, 1e-12, 1e-10, 1e-8, 1e-6)
"""Shares of all columns mixed into the minimising strategy, so that it reaches the goal: large ones cost something, and
with small ones play lasts so long that rounding does."""

WAITING_COSTS, SWEEPS_FROM_ABOVE, MOST_TESTS = (1e-2, 1e-4), 5_000, 5_000
"""What a round costs in sweeps from above, in units of the width, so that nobody waits without end; the most sweeps at
each, and the most tests of a lower bound."""


def forced_states(sides: TwoSidedModel, goal: Flags) -> tuple[Flags, Flags]:
    """The states from which the column player reaches the goal with probability 1, and the columns that keep it so.

    Columns are counted through all states.
    """
    game = layered_game(sides, [np.where(goal, -1.0, np.nan)], loops=True)
    won = graph_sets(mirror_game(game)).almost_surely_won
    inside = goal.copy()
    inside[np.flatnonzero(~goal)] = won[: game.choices]
    kept = np.ones(int(sides.width.sum()), bool)
    kept[sides.column_of_pairs()[~sides.all_in(inside)]] = False
    nothing_is_played = ~inside | goal  # but every state keeps its columns
    return inside, kept | np.repeat(nothing_is_played, sides.width)


def is_proper(game: RecursiveGame, columns: Floats) -> bool:
    """Whether play ends with probability 1 under player 1's strategy, whatever player 0 does."""
    try:
        return not Process(game, columns, 1, np.zeros(game.nodes, np.uint8), game.start(game.high)).staying.any()
    except BadGame:  # they could stay for ever, and be paid
        return False


def solve_rewards(game: RecursiveGame, width: float, deadline: Deadline, *, must_end: bool) -> Solution:
    """Bounds of the expected rewards of a game whose ends pay 0 and whose rewards on the way are at least 0.

    *must_end*: a play without end counts as infinite; otherwise as what was earned in it.
    """
    if game.structure.stage.min(initial=0.0) < 0.0:
        raise BadGame("rewards", "where play may go in circles, rewards must be at least 0; C<=k allows others")
    low, high = game.start(game.low), game.start(game.high, np.inf)
    fixed = np.zeros(game.nodes, np.uint8)
    scratch = scratch_arrays(*game.largest_shape())
    values, planned, sweeps = low.copy(), FIRST_SWEEPS, 0
    rows, columns = mixes_at(game, values, fixed)
    low_rows, high_columns = rows, columns
    while not deadline.has_passed() and sweeps < MOST_SWEEPS:
        scale = float(values.max(initial=0.0)) + float(game.structure.stage.max(initial=0.0))
        operator = Operator(step=MARGIN * scale, floor=0.0).numbers
        for _ in range(planned):
            change = kernels.sweep(game.structure.arrays, values, operator, fixed, values, scratch)
            sweeps += 1
            if change <= 1e-15 * scale or deadline.has_passed():
                break
        kernels.settle_chance(game.structure.arrays, values, -1.0)
        rows, columns = mixes_at(game, values, fixed)
        low, low_rows = values.copy(), rows
        proved, mixes = _proved_upper(game, columns, deadline, must_end, low + width)
        if proved is not None and proved[: game.live].sum() < high[: game.live].sum():
            high, high_columns = proved, mixes
        if must_end and np.isfinite(high[: game.live]).all() and float((high - low)[: game.live].max()) > width:
            low, low_rows, high, high_columns = _improve_from_above(
                game, (low, low_rows), (high, high_columns), width, deadline
            )
        deadline.tell(f"widest interval {float((high - low).max()):.3g} after {sweeps:,} sweeps")
        if float((high - low)[: game.live].max(initial=0.0)) <= width or change <= 1e-15 * scale:
            break
        planned *= 2
    policies = (
        ProvedPolicy(Policy(0, game.mix_starts(0), low_rows), low),
        ProvedPolicy(Policy(1, game.mix_starts(1), high_columns), high),
    )
    return Solution(
        game,
        low,
        high,
        given=lambda: policies,
        methods=("rewards round by round", "best responses"),
        seconds=deadline.elapsed_seconds(),
    )


ProvedBound = tuple[Floats, Floats]
"""A bound, and the strategy that proves it."""


def _improve_from_above(
    game: RecursiveGame, lower: ProvedBound, upper: ProvedBound, width: float, deadline: Deadline
) -> tuple[Floats, Floats, Floats, Floats]:
    """Both bounds and strategies, improved by sweeps from the upper bound, where waiting costs a little, or nothing."""
    (low, rows), (high, columns), fixed = lower, upper, np.zeros(game.nodes, np.uint8)
    scratch, arrays, above = scratch_arrays(*game.largest_shape()), game.structure.arrays, high.copy()
    for cost in (*(part * width for part in WAITING_COSTS), 0.0):
        operator = np.array([1.0, -cost, 0.0])
        for _ in range(SWEEPS_FROM_ABOVE):
            change = kernels.sweep(arrays, above, operator, fixed, above, scratch)
            if change <= max(0.1 * cost, 1e-15 * float(above.max())) or deadline.has_passed():
                break
        kernels.settle_chance(arrays, above, 0.0)
        mixes = mixes_at(game, above, fixed)[1]
        if cost > 0.0 and is_proper(game, mixes):
            proved = best_response(game, mixes, 1, deadline=deadline).guaranteed
            if proved[: game.live].sum() < high[: game.live].sum():
                high, columns = proved, mixes
    found = _proved_lower(game, above, deadline)
    if found is not None and found[0][: game.live].sum() > low[: game.live].sum():
        low, rows = found
    return low, rows, high, columns


def _proved_lower(game: RecursiveGame, values: Floats, deadline: Deadline) -> ProvedBound | None:
    """Lower values until, under player 0's best mixes, no column makes them fall on average; None if that takes long.

    Chance moves count as lower bounds of their means. Columns that change nothing have no rounding to fear.
    """
    structure, fixed, bound = game.structure, np.zeros(game.nodes, np.uint8), values.copy()
    owner = np.repeat(np.arange(game.choices), np.diff(structure.first))
    row, column = action_indices(game)
    answers, starts = int(game.mix_starts(1)[-1]), game.mix_starts(1)[:-1]
    for _ in range(MOST_TESTS):
        kernels.settle_chance(structure.arrays, bound, -1.0)
        mixes = mixes_at(game, bound, fixed)[0]
        parts = mixes[row] * (bound[structure.successors] - bound[owner] + structure.stage)
        sizes = mixes[row] * (np.abs(bound[structure.successors] - bound[owner]) + structure.stage)
        gains = np.bincount(column, parts, minlength=answers)
        risky = np.bincount(column, parts < 0.0, minlength=answers) > 0
        gains -= np.where(risky, 64 * kernels.ROUNDING * np.bincount(column, sizes, minlength=answers), 0.0)
        worst = np.minimum.reduceat(gains, starts)
        if (worst >= 0.0).all():
            return bound, mixes
        if deadline.has_passed():
            return None
        bound[: game.choices] += np.where(worst < 0.0, 1.001 * worst, 0.0)
    return None


def _proved_upper(
    game: RecursiveGame, columns: Floats, deadline: Deadline, must_end: bool, enough: Floats
) -> tuple[Floats | None, Floats]:
    """What the best response to player 1's strategy earns at most; None if that may be infinite.

    The share of all columns that proves least is taken, or the first that proves *enough*.
    """
    counts = np.diff(game.mix_starts(1))
    even = np.repeat(1.0 / counts, counts)
    best, best_mixes = None, columns
    for share in LEAST_SHARES:
        mixes = (1.0 - share) * columns + share * even
        if must_end and not is_proper(game, mixes):
            continue
        try:
            found = best_response(game, mixes, 1, deadline=deadline).guaranteed
        except BadGame:  # rewards could be earned for ever
            continue
        if best is None or found[: game.live].sum() < best[: game.live].sum():
            best, best_mixes = found, mixes
        if (found <= enough)[: game.live].all():
            break
    return best, best_mixes
