"""Solve matrix games: both players choose at once, one the row, one the column; the entry is player 0's payoff."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kibitz.core.errors import BadGame
from kibitz.solve.exact import solve_exactly
from kibitz.solve.matrix_kernels import solve_batch, solve_one

Floats = NDArray[np.float64]
GAP = 1e-12
"""The largest gap, in units of the matrix's range, that is accepted without exact numbers."""
FITTING = 2.0**100
"""Matrices with entries up to this, and not all below its reciprocal, are solved in doubles."""


class MatrixSolution(msgspec.Struct, frozen=True):
    """The value of a matrix game and an optimal strategy of each player; *gap* is how far they are from optimal."""

    value: float
    row: tuple[float, ...]
    column: tuple[float, ...]
    gap: float


class MatrixSolutions(msgspec.Struct, frozen=True):
    """The same for many games of one shape, as arrays with one game per row."""

    values: Floats
    rows: Floats
    columns: Floats
    gaps: Floats


def matrix_game(matrix: ArrayLike) -> MatrixSolution:
    """Solve the linear programs (3.5) and (3.6) of Keffer (2013).

    >>> matrix_game([[1, -1], [-1, 1]])
    MatrixSolution(value=0.0, row=(0.5, 0.5), column=(0.5, 0.5), gap=0.0)
    """
    entries = np.ascontiguousarray(checked_matrix(matrix))
    mixes = np.empty(sum(entries.shape))
    value, gap, least, most = solve_one(entries, mixes)
    if gap <= GAP * (most - least) and 1.0 / FITTING <= max(most, -least) <= FITTING:  # else it needs more care
        shares = mixes.tolist()
        return MatrixSolution(value, tuple(shares[: len(entries)]), tuple(shares[len(entries) :]), gap)
    found = matrix_games([entries])
    return MatrixSolution(
        float(found.values[0]), tuple(found.rows[0].tolist()), tuple(found.columns[0].tolist()), float(found.gaps[0])
    )


def matrix_games(matrices: ArrayLike) -> MatrixSolutions:
    """Solve many games of one shape, an array of games by rows by columns."""
    games = np.ascontiguousarray(matrices, np.float64)
    if games.ndim != 3 or 0 in games.shape[1:]:
        raise BadGame("matrices", f"they must be an array of games by rows by columns, not of shape {games.shape}")
    if not np.isfinite(games).all():
        raise BadGame("matrices", f"an entry of game {int(np.argwhere(~np.isfinite(games))[0][0])} is not a number")
    count, rows, columns = games.shape
    found = MatrixSolutions(np.empty(count), np.empty((count, rows)), np.empty((count, columns)), np.empty(count))
    solve_batch(
        games.reshape(count, rows * columns), rows, columns, found.values, found.rows, found.columns, found.gaps
    )
    top, bottom = (games.max((1, 2)), games.min((1, 2))) if count else (found.gaps, found.gaps)
    sizes = np.maximum(top, -bottom)
    fitting = (sizes == 0.0) | ((sizes >= 1.0 / FITTING) & (sizes <= FITTING))
    with np.errstate(over="ignore"):
        doubtful = ~fitting | ~(found.gaps <= GAP * (top - bottom))
    for game in np.flatnonzero(doubtful):
        exact = solve_exactly([[Fraction(float(entry)) for entry in row] for row in games[game]])
        found.values[game] = float(exact.value)
        found.rows[game], found.columns[game] = [*map(float, exact.row)], [*map(float, exact.column)]
        found.gaps[game] = nash_gap(games[game], found.rows[game], found.columns[game])
    return found


def checked_matrix(matrix: ArrayLike) -> Floats:
    """A matrix of numbers as an array; raises BadGame for anything else."""
    try:
        entries = np.asarray(matrix, np.float64)
    except (TypeError, ValueError):
        raise BadGame("the matrix", "its rows must be of equal length and hold numbers only") from None
    if entries.ndim != 2 or not entries.size:
        raise BadGame("the matrix", f"it must have rows of numbers, not the shape {entries.shape}")
    return entries


def nash_gap(matrix: ArrayLike, row: Sequence[float] | Floats, column: Sequence[float] | Floats) -> float:
    """The sum of what each player could gain by deviating alone; 0 at an equilibrium (3.4)."""
    entries: Any = checked_matrix(matrix)
    return float((entries @ np.asarray(column)).max() - (np.asarray(row) @ entries).min())
