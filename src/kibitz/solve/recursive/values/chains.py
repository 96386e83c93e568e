"""Fixed strategies: what both players do at given values, and the Markov chain that results."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.values import kernels
from kibitz.solve.recursive.values.kernels import Marks, scratch_arrays

ENDING = 1.0 - 2.0**-51
"""Play goes on with at most this probability: equations that rounding makes singular have crashed the solver."""


def mixes_at(game: RecursiveGame, values: Floats, skipped: Marks) -> tuple[Floats, Floats]:
    """Both players' strategies at the matrices of *values*, state after state; 0 for skipped states."""
    rows, columns = np.zeros(game.mix_starts(0)[-1]), np.zeros(game.mix_starts(1)[-1])
    kernels.write_mixes(game.structure.arrays, values, skipped, rows, columns, scratch_arrays(*game.largest_shape()))
    return rows, columns


def joint_moves(
    game: RecursiveGame, rows: Floats, columns: Floats, active: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64], Floats]:
    """The transitions from the active nodes when both strategies are fixed.

    Three arrays, one entry per transition: the active node (by its place), the probability, and the next node; and the
    stage payoff of each active node.
    """
    structure = game.structure
    states, moves = active[active < game.choices], active[active >= game.choices] - game.choices
    source, pair = entries_of_rows(structure.first, states)
    offset, width = pair - structure.first[states][source], structure.columns[states].astype(np.int64)[source]
    row_starts, column_starts = game.mix_starts(0)[states], game.mix_starts(1)[states]
    odds = rows[row_starts[source] + offset // width] * columns[column_starts[source] + offset % width]
    stage = np.zeros(len(active))
    if len(structure.stage):
        stage[: len(states)] = np.bincount(source, odds * structure.stage[pair], minlength=len(states))
    mover, outcome = entries_of_rows(structure.chance_first, moves)
    chosen = np.concatenate([source, len(states) + mover])
    likely = np.concatenate([odds, structure.chance_odds[outcome]])
    after = np.concatenate([structure.successors[pair], structure.chance_successors[outcome]]).astype(np.int64)
    kept = likely > 0.0
    return chosen[kept], likely[kept], after[kept], stage


def held_values(game: RecursiveGame, rows: Floats, columns: Floats) -> Floats:
    """Player 0's expected payoff at every node when both strategies are fixed; play that never ends earns 0."""
    from scipy.sparse import csr_array

    active = np.arange(game.live)
    source, odds, after, stage = joint_moves(game, rows, columns, active)
    ending = np.arange(game.nodes) >= game.live
    while True:
        more = source[ending[after] & ~ending[source]]
        if not len(more):
            break
        ending[more] = True
    place = np.cumsum(ending) - 1
    lasting = np.flatnonzero(ending[: game.live])
    inner = (after < game.live) & ending[source] & ending[after]
    ends = after >= game.live
    shape = (len(lasting), len(lasting))
    moves = csr_array((odds[inner], (place[source[inner]], place[after[inner]])), shape=shape)
    paid = np.bincount(source[ends], odds[ends] * game.low[after[ends] - game.live], minlength=game.live) + stage
    values = game.start(game.low)
    values[lasting] = solved_chain(moves, paid[lasting])
    return values


def entries_of_rows(
    first: NDArray[np.int32] | NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All entries of the chosen rows of a ragged table: the row's place in *chosen*, and the entry's index."""
    counts = (first[chosen + 1] - first[chosen]).astype(np.int64)
    source = np.repeat(np.arange(len(chosen)), counts)
    begins = first[chosen].astype(np.int64) - (np.cumsum(counts) - counts)
    return source, begins[source] + np.arange(len(source))


def solved_chain(moves: Any, paid: Floats) -> Floats:
    """The value of a Markov chain: the solution of `values = paid + moves @ values`, not finite if there is none."""
    from scipy.sparse import identity
    from scipy.sparse.linalg import spsolve

    if not len(paid):
        return np.empty(0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # the caller checks the answer
        try:
            found = spsolve(identity(len(paid), format="csc") - ENDING * moves.tocsc(), paid)
        except RuntimeError:  # too near to singular to be factorised
            return np.full(len(paid), np.nan)
    return np.atleast_1d(np.asarray(found, np.float64))
