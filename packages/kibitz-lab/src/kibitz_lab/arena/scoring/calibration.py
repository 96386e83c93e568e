"""Calibration: of the answers given with a confidence of 70 %, are 70 % right?"""

import msgspec
import numpy as np

from kibitz_lab.arena.scoring.resampling import Resampling
from kibitz_lab.arena.statistics.intervals import Counts, Estimate, Floats

BINS = 10
"""Number of equally wide bins, so that the diagrams of all models share their axis; the last one includes 1."""


class Bin(msgspec.Struct, frozen=True):
    """The answers whose confidence lies from *low* to *high*."""

    low: float
    high: float
    events: int
    confidence: float | None
    """Their mean confidence."""
    accuracy: Estimate | None
    """How often their likeliest label was right."""


class Calibration(msgspec.Struct, frozen=True):
    """The reliability diagram, and how far it is from the diagonal on average over the answers."""

    error: Estimate | None
    bins: list[Bin]
    floor: float | None = None
    """The mean error that chance alone gives a calibrated model with as many answers; None from a single match."""


def bin_of(shares: Floats, bins: int = BINS) -> Counts:
    """The bin that each share from 0 to 1 falls into."""
    return np.clip((shares * bins).astype(np.int64), 0, bins - 1)


def gaps(counts: Floats, right: Floats, confidence: Floats) -> Floats:
    """For every bin, accuracy minus confidence, weighted by its share of all answers; the bins in the last axis.

    The sizes of the gaps add up to the expected calibration error (Naeini and others 2015).
    """
    found: Floats = (right - confidence) / np.maximum(counts.sum(axis=-1, keepdims=True), 1e-300)
    return found


def calibration(right: Floats, confidence: Floats, units: Counts, resampling: Resampling) -> Calibration:
    """The calibration of answers: the probability that the leading label was right, and the confidence in it.

    An error is never negative, so chance makes it larger, in the sample and once more in every resample, and the usual
    intervals miss a true error near 0. Ours reaches as far as all gaps together move in 95 of 100 resamples: errors
    differ by no more than that, whatever the true gaps are. The *floor* is the mean of these moves: what a
    calibrated model would show at this size.
    """
    bins = bin_of(confidence)
    sums = [
        np.bincount(units * BINS + bins, column, minlength=resampling.units * BINS).reshape(-1, BINS)
        for column in (np.ones(len(right)), right, confidence)
    ]
    counts, hits, given = (each.sum(axis=0) for each in sums)
    accuracy = resampling.estimates([(right, (0.0, 1.0))], units, bins, BINS)
    means = np.divide(given, counts, out=np.zeros(BINS), where=counts > 0)
    found = [
        Bin(i / BINS, (i + 1) / BINS, int(counts[i]), float(means[i]) if counts[i] else None, accuracy[i][0])
        for i in range(BINS)
    ]
    if len(right) == 0:
        return Calibration(None, found)
    seen = gaps(counts, hits, given)
    error = float(np.abs(seen).sum())
    blocks = len(np.unique(units))
    reach, floor = 1.0, None
    if blocks > 1:
        again = gaps(*(resampling.totals(each.astype(np.float64)) for each in sums))
        moves = np.abs(again - seen).sum(axis=-1)
        reach, floor = float(np.quantile(moves, resampling.level)), float(moves.mean())
    held = Estimate(error, error - reach, error + reach, len(right), blocks, resampling.level).within((0.0, 1.0))
    return Calibration(held, found, floor)
