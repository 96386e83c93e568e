"""Matrix games in whole numbers, where rounding would decide: Dantzig's simplex method (1951) without fractions."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

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
