"""Matches two lists one to one so that the total is greatest: which latent state is which strategy."""

import numpy as np
from numpy.typing import NDArray

MOST = 16
"""Columns; the work doubles with each."""


def best_assignment(scores: NDArray[np.float64]) -> list[int]:
    """For each row the column it gets, no column twice, so that the scores' total is greatest; -1 where none is left.

    Exact, by dynamic programming over the sets of columns taken.

    >>> best_assignment(np.array([[9.0, 8.0], [9.0, 1.0]]))
    [1, 0]
    """
    rows, columns = scores.shape
    if columns > MOST:
        raise ValueError(f"{columns} columns; at most {MOST} can be matched")
    best: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}
    spare = max(0, rows - columns)
    for row in range(rows):
        found: dict[int, tuple[float, list[int]]] = {}
        for taken, (total, chosen) in best.items():
            options = [(taken | 1 << c, float(scores[row, c]), c) for c in range(columns) if not taken >> c & 1]
            if chosen.count(-1) < spare:
                options.append((taken, 0.0, -1))
            for after, score, column in options:
                if after not in found or total + score > found[after][0]:
                    found[after] = (total + score, [*chosen, column])
        best = found
    return max(best.values(), key=lambda each: each[0])[1]
