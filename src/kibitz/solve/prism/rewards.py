"""Expected rewards until a goal is reached: certified bounds where play may go in circles.

Rewards are at least 0, and a play that never reaches the goal counts as infinite (`F`). So the player who minimises
must reach it with probability 1; where they cannot, the value is infinite. *Lower bound:* what is earned in n rounds,
for every n, less a little for rounding. *Upper bound:* the best response to a strategy that reaches the goal whatever
the other does.
"""

import numpy as np

from kibitz.core.errors import BadGame
from kibitz.solve.prism.arena import Arena, Flags
from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.game.policies import Policy
from kibitz.solve.recursive.proofs.responses import best_response
from kibitz.solve.recursive.proofs.solution import ProvedPolicy, Solution
from kibitz.solve.recursive.values import kernels
from kibitz.solve.recursive.values.chains import mixes_at
from kibitz.solve.recursive.values.kernels import scratch_arrays
from kibitz.solve.recursive.values.operators import Deadline, Operator

MARGIN = 1024 * 2.0**-53
"""What every round costs in the lower bound, in units of the largest value: more than rounding can hide."""
FIRST_SWEEPS = 64
MOST_SWEEPS = 2_000_000
LEAST_SHARES = (0.0, 1e-12, 1e-9, 1e-6)
"""Shares of all columns mixed into the minimising strategy, tried one after another, so that it reaches the goal."""


def forced_states(arena: Arena, goal: Flags) -> tuple[Flags, Flags]:
    """The states from which the column player reaches the goal with probability 1, and the columns that keep it so.

    Columns are counted through all states.
    """
    rows, columns = arena.row_of_pairs(), arena.column_of_pairs()
    count, lines = int(arena.width.sum()), int(arena.height.sum())
    line_owner = np.repeat(np.arange(arena.states), arena.height)
    inside = np.ones(arena.states, bool)
    while True:
        risky = np.zeros(count, bool)
        risky[columns[~arena.all_in(inside)]] = True
        reached = goal.copy()
        while True:
            near = np.zeros(lines, bool)
            near[rows[~risky[columns] & arena.any_in(reached)]] = True
            blocked = np.zeros(arena.states, bool)
            blocked[line_owner[~near]] = True
            more = reached | (inside & ~blocked)
            if (more == reached).all():
                break
            reached = more
        if (reached == inside).all():
            kept = ~risky
            resting = ~inside | goal  # nothing is played there, but every state keeps its columns
            kept |= np.repeat(resting, arena.width)
            return inside, kept
        inside = reached


def is_proper(game: RecursiveGame, columns: Floats) -> bool:
    """Whether play ends with probability 1 under player 1's strategy, whatever player 0 does."""
    structure = game.structure
    owner = np.repeat(np.arange(game.choices), np.diff(structure.first))
    width = structure.columns.astype(np.int64)[owner]
    offset = np.arange(len(owner)) - structure.first[owner]
    used = columns[game.mix_starts(1)[owner] + offset % width] > 0.0
    row = game.mix_starts(0)[owner] + offset // width
    row_owner = np.repeat(np.arange(game.choices), np.diff(game.mix_starts(0)))
    mover = np.repeat(np.arange(game.live - game.choices), np.diff(structure.chance_first))
    closed = np.ones(game.nodes, bool)
    closed[game.live :] = False
    while True:
        leaving = np.zeros(len(row_owner), bool)
        leaving[row[used & ~closed[structure.successors]]] = True
        staying = np.zeros(game.choices, bool)
        staying[row_owner[~leaving]] = True
        kept = closed.copy()
        kept[: game.choices] &= staying
        moves = np.ones(game.live - game.choices, bool)
        moves[mover[~closed[structure.chance_successors]]] = False
        kept[game.choices : game.live] &= moves
        if (kept == closed).all():
            return not bool(closed.any())
        closed = kept


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
    held_rows, held_columns = rows, columns
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
        low, held_rows = values.copy(), rows
        proved, mixes = _proved_upper(game, columns, deadline, must_end)
        if proved is not None and proved[: game.live].sum() < high[: game.live].sum():
            high, held_columns = proved, mixes
        deadline.tell(f"widest interval {float((high - low).max()):.3g} after {sweeps:,} sweeps")
        if float((high - low)[: game.live].max(initial=0.0)) <= width or change <= 1e-15 * scale:
            break
        planned *= 2
    policies = (
        ProvedPolicy(Policy(0, game.mix_starts(0), held_rows), low),
        ProvedPolicy(Policy(1, game.mix_starts(1), held_columns), high),
    )
    return Solution(
        game,
        low,
        high,
        given=lambda: policies,
        methods=("rewards round by round", "best responses"),
        seconds=deadline.elapsed_seconds(),
    )


def _proved_upper(
    game: RecursiveGame, columns: Floats, deadline: Deadline, must_end: bool
) -> tuple[Floats | None, Floats]:
    """What the best response to player 1's strategy earns at most; None if that may be infinite."""
    counts = np.diff(game.mix_starts(1))
    even = np.repeat(1.0 / counts, counts)
    for share in LEAST_SHARES:
        mixes = (1.0 - share) * columns + share * even
        if must_end and not is_proper(game, mixes):
            continue
        try:
            return best_response(game, mixes, 1, deadline=deadline).guaranteed, mixes
        except BadGame:  # rewards could be earned for ever
            continue
    return None, columns
