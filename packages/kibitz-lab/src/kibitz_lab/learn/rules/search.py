"""The best clause: best-first search over conjunctions of literals by compression (Muggleton 1995).

A clause that is right for the weight p and wrong for n compresses the examples by p - n - its length. A refinement can
reach at most p less its length, so the search misses nothing within its budget of nodes.
"""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from kibitz.core.kernels import kernel
from kibitz_lab.learn.examples import Flags, Floats, Ints
from kibitz_lab.learn.rules.literals import Background, Mode, Truths

SLIGHT = 1e-9


class Clause(NamedTuple):
    """Literals by their places in the background, and the weight of the examples it is right and wrong for."""

    literals: tuple[int, ...]
    right: float
    wrong: float

    @property
    def compression(self) -> float:
        """The compression: what stating the clause saves over listing the examples."""
        return self.right - self.wrong - len(self.literals)


class ClauseLimits(NamedTuple):
    """The limits of a search: literals of a clause, nodes expanded, and the share of errors of a clause."""

    length: int
    nodes: int
    noise: float


@kernel("int64(uint8[:, ::1], int64[::1], float64[::1], float64[::1], float64[:, ::1])")
def tally(truths: Truths, covered: Ints, right: Floats, wrong: Floats, out: Floats) -> int:
    """Write the right and the wrong weight among *covered* for which each literal holds; return how many rows.

    `truths[row, literal]`; literals are the inner loop, which the compiler can then vectorise.
    """
    number = truths.shape[1]
    out[:] = 0.0
    for row in covered:
        if right[row] > 0.0:
            weight = right[row]
            for literal in range(number):
                out[0, literal] += weight * truths[row, literal]
        if wrong[row] > 0.0:
            weight = wrong[row]
            for literal in range(number):
                out[1, literal] += weight * truths[row, literal]
    return len(covered)


def best_clause(
    background: Background, modes: tuple[Mode, ...], usable: Ints, right: Floats, wrong: Floats, limits: ClauseLimits
) -> Clause | None:
    """The clause of most compression made of *usable* literals, None if none compresses; the first of equals."""
    best: Clause | None = None
    most = 0.0
    counting = (right > 0.0) | (wrong > 0.0)
    truths = np.ascontiguousarray(background.holds[usable].T)
    found = np.empty((2, len(usable)))
    seen: set[tuple[int, ...]] = set()
    waiting: list[tuple[float, int, tuple[int, ...], float]] = [(0.0, 0, (), float(right.sum()))]
    for _ in range(limits.nodes):
        if not waiting:
            break
        # 1. Take the most promising clause, and drop it if it can no longer beat the best.
        _, length, chosen, reach = heappop(waiting)
        if reach - length - 1 <= most + SLIGHT:
            continue
        # 2. Count what it covers with every other literal.
        tally(truths, np.flatnonzero(background.covered_examples(chosen) & counting), right, wrong, found)
        scores = found[0] - found[1] - (length + 1)
        scores[~allowed_literals(background, modes, chosen, usable)] = -np.inf
        # 3. Keep the best that is right often enough.
        fit = np.where(found[1] <= limits.noise * found.sum(axis=0) + SLIGHT, scores, -np.inf)
        if len(fit) and fit.max() > most + SLIGHT:
            place = int(np.flatnonzero(fit >= fit.max() - SLIGHT)[0])
            most = float(fit[place])
            best = Clause(tuple(sorted((*chosen, int(usable[place])))), *found[:, place].tolist())
        # 4. Queue those that may yet be better, each once.
        if length + 1 == limits.length:
            continue
        hopeful = (found[0] - (length + 2) > most + SLIGHT) & (found[1] > SLIGHT) & np.isfinite(scores)
        for place in np.flatnonzero(hopeful).tolist():
            longer = tuple(sorted((*chosen, int(usable[place]))))
            if longer not in seen:
                seen.add(longer)
                heappush(waiting, (-float(scores[place]), length + 1, longer, float(found[0, place])))
    return best


def allowed_literals(background: Background, modes: tuple[Mode, ...], chosen: tuple[int, ...], literals: Ints) -> Flags:
    """Whether each of *literals* is not in the clause yet and its mode is not used up; words have no mode."""
    used = np.bincount(background.modes[list(chosen)] + 1, minlength=len(modes) + 1)
    free = np.array([True, *(used[place + 1] < mode.recall for place, mode in enumerate(modes))])
    found: Flags = free[background.modes[literals] + 1]
    for literal in chosen:
        found &= literals != literal
    return found
