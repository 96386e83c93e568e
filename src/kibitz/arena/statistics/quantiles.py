"""Quantiles of Student's t and of the normal distribution."""

from functools import lru_cache
from statistics import NormalDist

NORMAL = NormalDist()


@lru_cache(maxsize=4096)
def student_quantile(share: float, freedom: int) -> float:
    """The *share* quantile of Student's t with *freedom* >= 1 degrees of freedom.

    >>> round(student_quantile(0.975, 9), 6)
    2.262157
    """
    from scipy.special import stdtrit  # it takes longer to import than most commands take to run

    return float(stdtrit(freedom, share))
