"""Solve matrix games, in doubles and in whole numbers: one chooses the row, one the column; player 0 gets the entry."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kibitz.core.errors import BadGame
from kibitz_lab.equilibria.matrix_kernels import solve_batch, solve_one

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


Basis = tuple[tuple[int, ...], tuple[int, ...]]
"""The rows and the columns, equally many, that both players mix."""


class ExactGame(NamedTuple):
    """A solved game: the shares of the basis and the value, all to be divided by *total*."""

    rows: list[int]
    columns: list[int]
    total: int
    value: int
    basis: Basis


class ExactMatrixSolution(NamedTuple):
    """The value of a matrix game and an optimal strategy of each player, in rational numbers."""

    value: Fraction
    row: list[Fraction]
    column: list[Fraction]


def solve_integers(matrix: Sequence[Sequence[int]], basis: Basis | None = None) -> ExactGame:
    """Solve a game of whole numbers; the search for its basis begins at the one given, if the players can mix it."""
    tableau = Tableau(matrix)
    if basis is not None and not tableau.enter_basis(basis):
        tableau = Tableau(matrix)
    tableau.optimise()
    return tableau.solution()


def solve_exactly(matrix: Sequence[Sequence[Fraction]]) -> ExactMatrixSolution:
    """Solve a game of rational numbers."""
    unit = lcm(*(entry.denominator for row in matrix for entry in row))
    found = solve_integers([[int(entry * unit) for entry in row] for row in matrix])
    row, column = [Fraction(0)] * len(matrix), [Fraction(0)] * len(matrix[0])
    for mix, chosen, weights in zip((row, column), found.basis, (found.rows, found.columns), strict=True):
        for action, weight in zip(chosen, weights, strict=True):
            mix[action] = Fraction(weight, found.total)
    return ExactMatrixSolution(Fraction(found.value, found.total * unit), row, column)


class Tableau:
    """A condensed tableau: the slacks of rows label its side and columns its top, until some are exchanged.

    Entries are whole numbers in units of 1 / *unit*, so that divisions leave no remainder (Edmonds 1967).
    """

    def __init__(self, matrix: Sequence[Sequence[int]]) -> None:
        self.lift = 1 - min(map(min, matrix))  # makes all entries positive
        self.lines = [[*(entry + self.lift for entry in row), 1] for row in matrix]
        self.lines.append([-1] * len(matrix[0]) + [0])
        self.side, self.top = [-1 - row for row in range(len(matrix))], list(range(len(matrix[0])))
        self.unit = 1

    def enter_basis(self, basis: Basis) -> bool:
        """Exchange the rows and columns of a basis; return whether both players can mix them."""
        rows, columns = basis
        for column in columns:
            row = next((row for row in rows if self.side[row] < 0 and self.lines[row][column]), None)
            if row is None:
                return False
            self.exchange(row, column)
        return all(line[-1] >= 0 for line in self.lines)

    def optimise(self) -> None:
        """Exchange columns by Bland's rule, which cannot cycle, each for the first row to reach 0."""
        while improving := [column for column in range(len(self.top)) if self.lines[-1][column] < 0]:
            column = min(improving, key=self.top.__getitem__)
            rows = [row for row in range(len(self.side)) if self.lines[row][column] > 0]
            limits = {row: (Fraction(self.lines[row][-1], self.lines[row][column]), self.side[row]) for row in rows}
            self.exchange(min(rows, key=limits.__getitem__), column)

    def exchange(self, out: int, chosen: int) -> None:
        """Exchange a row and a column."""
        pivot, line = self.lines[out][chosen], self.lines[out]
        for row, entries in enumerate(self.lines):
            if row != out:
                factor = entries[chosen]
                changed = zip(entries, line, strict=True)
                self.lines[row] = [(entry * pivot - factor * other) // self.unit for entry, other in changed]
                self.lines[row][chosen] = -factor
        line[chosen], self.unit = self.unit, pivot
        if pivot < 0:
            self.lines, self.unit = [[-entry for entry in entries] for entries in self.lines], -pivot
        self.side[out], self.top[chosen] = self.top[chosen], self.side[out]

    def solution(self) -> ExactGame:
        """The solution at the optimum."""
        total = self.lines[-1][-1]
        rows = {-1 - label: self.lines[-1][place] for place, label in enumerate(self.top) if label < 0}
        columns = {label: self.lines[place][-1] for place, label in enumerate(self.side) if label >= 0}
        basis = tuple(sorted(rows)), tuple(sorted(columns))
        mixes = [rows[row] for row in basis[0]], [columns[column] for column in basis[1]]
        return ExactGame(*mixes, total, self.unit - self.lift * total, basis)
