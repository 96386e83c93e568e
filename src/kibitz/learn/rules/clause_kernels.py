"""The hot loop of rule learning as a kernel: what every literal would leave of a clause's cover."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel("int64(uint8[:, ::1], int64[::1], float64[::1], float64[::1], float64[:, ::1])")
def tally(truths: NDArray[np.uint8], covered: Ints, right: Floats, wrong: Floats, out: Floats) -> int:
    """Write the right and the wrong weight among *covered* for which each literal holds; return how many rows.

    `truths[row, literal]`; literals are the inner loop, which the compiler can then vectorise. Twin of
    `search.remaining_weights`.
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
