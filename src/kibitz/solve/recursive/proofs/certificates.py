"""Proved bounds: they rely on no convergence, only on what a strategy earns against every response.

*Lower bound.* A vector, and for player 0 a strategy per state, such that against every column the vector does not fall
on average in one round, and rises where it is above 0. Then play cannot stay for ever where it is above 0, and player 0
earns what the vector says. *Upper bound.* The same from player 1's side; if no payoff is below 0, that is any vector
that no sweep raises. `graph_kernels.find_unproved` tests this in floating point with a margin for rounding; where it
cannot decide, rational numbers do.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.proofs import graph_kernels
from kibitz.solve.recursive.values import kernels
from kibitz.solve.recursive.values.chains import mixes_at
from kibitz.solve.recursive.values.operators import Deadline

Marks = NDArray[np.uint8]
ROUNDS = 200
"""How often states with an unproved bound are put back before the attempt is given up."""
EXACT_STATES = 20_000
"""The most states to check in rational numbers."""


def raised_lower(game: RecursiveGame, low: Floats, candidate: Floats, known: Marks) -> Floats:
    """The lower bound *low*, raised to *candidate* wherever a proof succeeds. No end pays less than 0."""

    def unproved_nodes(vector: Floats) -> NDArray[np.bool_]:
        kernels.settle_chance(game.structure.arrays, vector, -1.0)
        np.maximum(vector, low, out=vector)
        return _unproved_nodes(game, vector, mixes_at(game, vector, known)[0], 0, known)

    return _put_back(game, np.maximum(low, candidate), low, unproved_nodes)


def lowered_upper(game: RecursiveGame, high: Floats, candidate: Floats, known: Marks) -> Floats:
    """The upper bound *high*, lowered to *candidate* wherever a proof succeeds. No end pays less than 0."""

    def unproved_nodes(vector: Floats) -> NDArray[np.bool_]:
        kernels.settle_chance(game.structure.arrays, vector, 1.0)
        np.minimum(vector, high, out=vector)
        return _unproved_nodes(game, vector, mixes_at(game, vector, known)[1], 1, known)

    return _put_back(game, np.minimum(high, candidate), high, unproved_nodes)


def _unproved_nodes(game: RecursiveGame, vector: Floats, mixes: Floats, player: int, known: Marks) -> NDArray[np.bool_]:
    failed = np.zeros(game.choices, np.uint8)
    graph_kernels.find_unproved(game.structure.arrays, vector, mixes, player, known, failed)
    return failed.astype(bool)


def _put_back(
    game: RecursiveGame,
    vector: Floats,
    proved: Floats,
    unproved: Callable[[Floats], NDArray[np.bool_]],
) -> Floats:
    """Put states whose new bound is not proved back to the old one until all bounds are proved.

    The old bound stays proved beside better ones, because better bounds of its successors only help a state.
    """
    vector[game.live :] = proved[game.live :]
    for _ in range(ROUNDS):
        failed = unproved(vector) & (vector[: game.choices] != proved[: game.choices])
        if not failed.any():
            return vector
        vector[: game.choices][failed] = proved[: game.choices][failed]
    return proved


def snapped_upper(
    game: RecursiveGame, high: Floats, estimate: Floats, known: Marks, reach: float, deadline: Deadline
) -> tuple[Floats, Floats]:
    """The upper bound *high*, lowered to simple fractions just above *estimate* where rational numbers prove them.

    The second array is player 1's strategy, which proves the new bounds. No end pays less than 0.
    """
    active = [int(node) for node in np.flatnonzero(known[: game.live] == 0)]
    bound, top = high.copy(), Fraction(float(game.high.max(initial=0.0)))
    for node in active:
        near = Fraction(max(float(estimate[node]), 0.0)) / top
        bound[node] = min(high[node], _rounded_up(simplest(near, near + Fraction(reach)) * top))
    while True:
        columns = mixes_at(game, bound, known)[1]
        graph_kernels.write_pure_columns(game.structure.arrays, bound, columns)
        failed = [node for node in active if bound[node] < high[node] and not _holds(game, node, bound, columns)]
        bound[failed] = high[failed]
        if not failed:
            return bound, columns
        if deadline.has_passed():
            return high, columns


def _holds(game: RecursiveGame, node: int, bound: Floats, columns: Floats) -> bool:
    """Whether player 1's strategy keeps the bound from rising on average here, in rational numbers."""
    structure, here = game.structure, Fraction(float(bound[node]))
    if node >= game.choices:
        first, last = structure.chance_first[node - game.choices : node - game.choices + 2]
        lines, odds = structure.chance_successors[None, first:last], structure.chance_odds[first:last]
    else:
        first, last = structure.first[node : node + 2]
        lines = structure.successors[first:last].reshape(game.shape(node))
        start, end = game.mix_starts(1)[node : node + 2]
        odds = columns[start:end]
    shares = [Fraction(float(share)) for share in odds]
    return all(
        sum(
            (share * (Fraction(float(bound[after])) - here) for share, after in zip(shares, line, strict=True)),
            Fraction(),
        )
        <= 0
        for line in lines
    )


def _rounded_up(number: Fraction) -> float:
    near = float(number)
    return near if Fraction(near) >= number else float(np.nextafter(near, np.inf))


def limits(estimate: Floats, reach: float) -> Floats:
    """The likely limits of discounted values: the simplest fractions up to *reach* further from 0."""
    sizes, places = np.unique(np.abs(estimate), return_inverse=True)  # many states have equal values
    found = [float(simplest(Fraction(float(size)), Fraction(float(size) + reach))) for size in sizes]
    signs = np.where(estimate < 0.0, -1.0, 1.0)
    return np.array(found)[places] * signs


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator from *low* to *high*, neither below 0 (Stern and Brocot's tree)."""
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    base = low.numerator // low.denominator
    return base + 1 / simplest(1 / (high - base), 1 / (low - base))
