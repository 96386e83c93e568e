"""Fixed strategies: what both players do at given values, and the Markov chain that results."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame
from kibitz_solve.recursive.values import kernels
from kibitz_solve.recursive.values.kernels import Marks, scratch_arrays

DUST = 1e-13
"""Smaller shares are what rounding leaves."""
ENDING = 1.0 - 2.0**-51
"""Play goes on with at most this probability: equations that rounding makes singular have crashed the solver."""


def mixes_at(game: RecursiveGame, values: Floats, skipped: Marks) -> tuple[Floats, Floats]:
    """Both players' strategies at the matrices of *values*, state after state; 0 for skipped states."""
    rows, columns = np.zeros(game.mix_starts(0)[-1]), np.zeros(game.mix_starts(1)[-1])
    kernels.write_mixes(game.structure.arrays, values, skipped, rows, columns, scratch_arrays(*game.largest_shape()))
    return rows, columns


def without_small_shares(mixes: Floats, least: Floats, starts: NDArray[np.int64]) -> Floats:
    """The strategies without shares below *least*; a state whose shares are all so small keeps them."""
    kept = np.where(mixes < least, 0.0, mixes)
    counts = np.diff(starts)
    sums = np.add.reduceat(kept, starts[:-1])
    whole = np.repeat(sums > 0.0, counts)
    kept = np.where(whole, kept, mixes)
    sums = np.repeat(np.add.reduceat(kept, starts[:-1]), counts)
    normalised: Floats = np.divide(kept, sums, out=np.zeros_like(kept), where=sums > 0.0)
    return normalised


def without_dust(mixes: Floats, starts: NDArray[np.int64]) -> Floats:
    """The strategies without the tiny shares that rounding leaves: such exits make equations singular."""
    return without_small_shares(mixes, np.full(len(mixes), DUST), starts) if len(mixes) else mixes


def joint_moves(
    game: RecursiveGame, rows: Floats, columns: Floats, active: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64], Floats]:
    """The transitions from the active nodes when both strategies are fixed.

    Three arrays, one entry per transition: the index of the active node, the probability, and the next node; and the
    stage payoff of each active node.
    """
    structure = game.structure
    states, moves = active[active < game.choices], active[active >= game.choices] - game.choices
    source, pair, row, column = pairs_of(game, states)
    odds = rows[game.mix_starts(0)[states][source] + row] * columns[game.mix_starts(1)[states][source] + column]
    stage = np.zeros(len(active))
    if len(structure.stage):
        stage[: len(states)] = np.bincount(source, odds * structure.stage[pair], minlength=len(states))
    mover, outcome = entries_of_rows(structure.chance_first, moves)
    chosen = np.concatenate([source, len(states) + mover])
    likely = np.concatenate([odds, structure.chance_odds[outcome]])
    after = np.concatenate([structure.successors[pair], structure.chance_successors[outcome]]).astype(np.int64)
    kept = likely > 0.0
    return chosen[kept], likely[kept], after[kept], stage


def newton_values(game: RecursiveGame, values: Floats, fixed: Marks, discount: float, cost: float = 0.0) -> Floats:
    """The values of states when both players keep for ever what they do at *values* (Pollatschek and Avi-Itzhak 1969).

    *values* of chance moves are the means of their outcomes; those returned are the old ones.
    """
    from scipy.sparse import csr_array

    structure, active = game.structure, np.flatnonzero(fixed[: game.choices] == 0)
    source, odds, after, stage = joint_moves(game, *mixes_at(game, values, fixed), active)
    expected = stage + np.bincount(source, odds * values[after], minlength=len(active))
    leads = csr_array((odds, (source, after)), shape=(len(active), game.nodes))
    moves, through = leads[:, active], leads[:, game.choices : game.live]
    if through.nnz:
        chance = (structure.chance_odds, structure.chance_successors, structure.chance_first)
        outcomes = csr_array(chance, shape=(game.live - game.choices, game.nodes))
        while through.nnz:  # chance moves that lead to others
            leads = csr_array(through @ outcomes)
            moves, through = moves + leads[:, active], leads[:, game.choices : game.live]
    change = solved_chain(csr_array(discount * moves), discount * expected - cost - values[active])
    improved = values.copy()
    improved[active] += np.where(np.isfinite(change), change, 0.0)
    return improved


def policy_values(game: RecursiveGame, rows: Floats, columns: Floats) -> Floats:
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
    index = np.cumsum(ending) - 1
    lasting = np.flatnonzero(ending[: game.live])
    inner = (after < game.live) & ending[source] & ending[after]
    ends = after >= game.live
    shape = (len(lasting), len(lasting))
    moves = csr_array((odds[inner], (index[source[inner]], index[after[inner]])), shape=shape)
    paid = np.bincount(source[ends], odds[ends] * game.low[after[ends] - game.live], minlength=game.live) + stage
    values = game.start(game.low)
    values[lasting] = solved_chain(moves, paid[lasting])
    return values


def pairs_of(
    game: RecursiveGame, states: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of actions of some states: the state's index among them, the pair's index, its row and its column."""
    structure = game.structure
    source, pair = entries_of_rows(structure.first, states)
    offset, width = pair - structure.first[states][source], structure.columns[states].astype(np.int64)[source]
    return source, pair, offset // width, offset % width


def entries_of_rows(
    first: NDArray[np.int32] | NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All entries of the chosen rows of a ragged table: the row's index in *chosen*, and the entry's index."""
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
            values = spsolve(identity(len(paid), format="csc") - ENDING * moves.tocsc(), paid)
        except RuntimeError:  # too near to singular to be factorised
            return np.full(len(paid), np.nan)
    return np.atleast_1d(np.asarray(values, np.float64))
