"""Matrix games in exact rational numbers: the readable reference, and the fallback where rounding would decide."""

from collections.abc import Sequence
from fractions import Fraction

Matrix = Sequence[Sequence[Fraction]]
Mix = tuple[Fraction, ...]


def solve_exactly(matrix: Matrix) -> tuple[Fraction, Mix, Mix]:
    """The value and an optimal strategy of each player.

    Dantzig's simplex method (1951) in a condensed tableau with Bland's rule: the rows' slacks label its side, the
    columns its top, and every pivot exchanges two of them.
    """
    rows, columns = len(matrix), len(matrix[0])
    low = min(min(row) for row in matrix)
    tableau = [[entry - low + 1 for entry in row] + [Fraction(1)] for row in matrix]
    tableau.append([Fraction(-1)] * columns + [Fraction(0)])
    side, top = [-1 - row for row in range(rows)], list(range(columns))
    while True:
        entering = [column for column in range(columns) if tableau[rows][column] < 0]
        if not entering:
            break
        chosen = min(entering, key=lambda column: top[column])
        candidates = [row for row in range(rows) if tableau[row][chosen] > 0]
        out = min(candidates, key=lambda row: (tableau[row][columns] / tableau[row][chosen], side[row]))
        _pivot(tableau, out, chosen)
        side[out], top[chosen] = top[chosen], side[out]
    worth = 1 / tableau[rows][columns]
    held = {label: tableau[row][columns] for row, label in enumerate(side)}
    costs = {label: tableau[rows][column] for column, label in enumerate(top)}
    row_mix = tuple(costs.get(-1 - row, Fraction(0)) * worth for row in range(rows))
    column_mix = tuple(held.get(column, Fraction(0)) * worth for column in range(columns))
    return worth + low - 1, row_mix, column_mix


def _pivot(tableau: list[list[Fraction]], out: int, chosen: int) -> None:
    """Exchange row *out* and column *chosen*."""
    pivot = tableau[out][chosen]
    tableau[out] = [entry / pivot for entry in tableau[out]]
    tableau[out][chosen] = 1 / pivot
    for row, entries in enumerate(tableau):
        if row != out:
            factor = entries[chosen]
            tableau[row] = [entry - factor * other for entry, other in zip(entries, tableau[out], strict=True)]
            tableau[row][chosen] = -factor / pivot
