"""Bounds that are simple fractions, proved in rational numbers."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.proofs import graph_kernels
from kibitz.solve.recursive.values.chains import mixes_at
from kibitz.solve.recursive.values.operators import Deadline

Marks = NDArray[np.uint8]


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


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator from *low* to *high*, neither below 0 (Stern and Brocot's tree)."""
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    base = low.numerator // low.denominator
    return base + 1 / simplest(1 / (high - base), 1 / (low - base))
