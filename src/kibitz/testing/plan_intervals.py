"""Do the intervals of sampled plan recognition hold the exact probabilities? Measured where both can be computed."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kibitz.models.plans.assumptions import Assumptions
from kibitz.models.plans.library import Observation, PlanLibrary
from kibitz.models.plans.recogniser import Recogniser

ROUNDING = 1e-9
OPEN = 1e-3
"""A probability is open if it is at least so far from 0 and 1: others are easily held."""


class IntervalCheck(NamedTuple):
    """A probability of a goal after some observations: exact, sampled with its interval, and by the beam alone."""

    exact: float
    sampled: float
    low: float
    high: float
    beam: float
    bound: float
    """The most by which the beam alone is known to be wrong."""
    time: int

    @property
    def is_held(self) -> bool:
        """Whether the interval holds the exact probability."""
        return self.low - ROUNDING <= self.exact <= self.high + ROUNDING

    @property
    def is_open(self) -> bool:
        """Whether the exact probability is neither almost 0 nor almost 1."""
        return OPEN < self.exact < 1.0 - OPEN

    @property
    def width(self) -> float:
        return self.high - self.low


def interval_checks(
    library: PlanLibrary,
    observations: Sequence[Observation],
    story: Assumptions,
    *,
    beam: int,
    seed: int = 0,
    most_forests: int = 20_000,
) -> list[IntervalCheck]:
    """A check for each goal after each observation, once the beam has dropped something, while exactness is cheap."""
    exact, plain = Recogniser(library, story), Recogniser(library, story, beam=beam)
    sampled = Recogniser(library, story, beam=beam, sample=beam, rng=np.random.default_rng(seed))
    found: list[IntervalCheck] = []
    for time, each in enumerate(observations, 1):
        for watching in (exact, plain, sampled):
            watching.observe(each)
        if exact.forest_count > most_forests or not exact.is_explained:
            break
        if sampled.method == "exact":
            continue
        truth, goals, alone = exact.goals(), sampled.goals(), plain.goals()
        found += [
            IntervalCheck(truth[goal], goals[goal], low, high, alone[goal], sampled.bound, time)
            for goal, (low, high) in sampled.intervals().items()
        ]
    return found


class Coverage(NamedTuple):
    """How often intervals held the exact probability, and how wide they were in the median."""

    checks: int
    held: float
    width: float
    error: float
    """The mean error of the sampled probabilities."""
    beam_error: float
    """The mean error of the beam alone."""


def coverage_of(checks: Sequence[IntervalCheck]) -> Coverage:
    """The figures of some checks."""
    return Coverage(
        len(checks),
        float(np.mean([each.is_held for each in checks])),
        float(np.median([each.width for each in checks])),
        float(np.mean([abs(each.exact - each.sampled) for each in checks])),
        float(np.mean([abs(each.exact - each.beam) for each in checks])),
    )
