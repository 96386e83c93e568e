"""The value of a matrix game in rational numbers, by Gale, Kuhn and Tucker's linear program and Bland's rule."""

from fractions import Fraction


def matrix_value(matrix: list[list[Fraction]]) -> Fraction:
    """What the row player can guarantee.

    All entries are raised above 0. Then 1 / value is the largest sum of y >= 0 with A y <= 1 for every row.
    """
    lift = 1 - min(min(row) for row in matrix)
    rows, columns = len(matrix), len(matrix[0])
    table = [
        [entry + lift for entry in row] + [Fraction(int(place == number)) for place in range(rows)] + [Fraction(1)]
        for number, row in enumerate(matrix)
    ]
    gains = [Fraction(1)] * columns + [Fraction(0)] * (rows + 1)
    basis = [columns + number for number in range(rows)]
    while True:
        entering = next((place for place in range(columns + rows) if gains[place] > 0), None)
        if entering is None:
            return 1 / -gains[-1] - lift
        limits = [
            (row[-1] / row[entering], basis[number], number) for number, row in enumerate(table) if row[entering] > 0
        ]
        leaving = min(limits)[2]
        pivot = table[leaving][entering]
        table[leaving] = [entry / pivot for entry in table[leaving]]
        for number, row in enumerate(table):
            if number != leaving and row[entering]:
                factor = row[entering]
                table[number] = [entry - factor * other for entry, other in zip(row, table[leaving], strict=True)]
        factor = gains[entering]
        gains = [entry - factor * other for entry, other in zip(gains, table[leaving], strict=True)]
        basis[leaving] = entering
