"""Simple shares: mixtures rounded to parts of a whole, and shares as people write them."""

from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

WHOLES = (*range(2, 17), 20, 25, 50, *(base * 10**power for power in range(2, 7) for base in (1, 2, 5)))
"""The denominators to try for shares, small ones first."""
PLAIN = 16
"""The largest denominator with which a share is shown as a fraction."""


def round_shares(shares: Floats, whole: int) -> tuple[Floats, Floats]:
    """Shares rounded to parts of a whole; then the same with at least one part for each share.

    >>> [mix.tolist() for mix in round_shares(np.array([0.96, 0.04]), 10)]
    [[1.0, 0.0], [0.9, 0.1]]
    """
    parts = np.floor(shares * whole + 1e-9)
    missing = int(whole - parts.sum())
    parts[np.argsort(parts - shares * whole, kind="stable")[:missing]] += 1
    lost = (parts == 0) & (shares > 0.0)
    raised = np.where(lost, 1.0, parts)
    raised[parts.argmax()] -= lost.sum()
    return parts / whole, (raised if raised.min() >= 0.0 else parts) / whole


def share_text(share: float) -> str:
    """A share as people write it.

    >>> share_text(0.999), share_text(2 / 3)
    ('99.9 %', '2/3')
    """
    fraction = plain_fraction(share)
    return f"{100.0 * share:.10g} %" if fraction is None else str(fraction)


def plain_fraction(number: float) -> Fraction | None:
    """A number as a fraction with a small denominator, if it is one."""
    fraction = Fraction(number).limit_denominator(PLAIN)
    return fraction if float(fraction) == number else None
