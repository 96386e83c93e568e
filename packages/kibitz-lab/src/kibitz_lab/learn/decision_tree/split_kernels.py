"""Split search as kernels: all features of a node in one call, and one step of a hyperplane."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

GAIN, SPLIT_INFO, BELOW, ABOVE, MERITS = range(5)
"""The columns that `write_merits` writes for each feature; the last two are the codes of a threshold's neighbours."""
NO_GAIN = -1.0
"""The gain of a feature that allows no test."""


class FeatureCodes(NamedTuple):
    """The values of all features as codes: their places among the distinct values of the feature, -1 if missing."""

    codes: Annotated[Codes, "int32[:, ::1]"]
    """A row per feature, a column per example."""
    sizes: Annotated[Ints, "int64[::1]"]
    """How many distinct values each feature has."""
    nominal: Annotated[NDArray[np.uint8], "uint8[::1]"]


class LabelledCases(NamedTuple):
    """The examples of a node: their numbers, their labels, and the fraction of each that reached the node."""

    rows: Annotated[Ints, "int64[::1]"]
    labels: Annotated[Ints, "int64[::1]"]
    weights: Annotated[Floats, "float64[::1]"]
    label_count: int


@kernel("float64(float64[:], float64)")
def total_entropy(counts: Floats, total: float) -> float:
    """The entropy of *counts* in bits, times their *total*."""
    if total <= 0.0:
        return 0.0
    bits = total * np.log2(total)
    for count in counts:
        if count > 0.0:
            bits -= count * np.log2(count)
    return float(max(bits, 0.0))


@kernel("float64(float64, float64)")
def branch_bits(size: float, total: float) -> float:
    """The contribution of a branch of that size to the split information."""
    return float(-size / total * np.log2(size / total)) if size > 0.0 else 0.0


@kernel("int64(int32[::1], int64, int64[::1], int64[::1], int64[::1])")
def fill_bins(codes: Codes, size: int, rows: Ints, bins: Ints, code_of: Ints) -> int:
    """Write the bin of each of *rows* (-1: missing) and the code of each bin, in order; return how many bins there are.

    With few values, every code is a bin. With more values than rows, the codes are sorted, and those present get a bin.
    """
    count = len(rows)
    if size <= 4 * count:
        for place in range(count):
            bins[place] = codes[rows[place]]
        for code in range(size):
            code_of[code] = code
        return size
    found = np.empty(count, np.int64)
    for place in range(count):
        found[place] = codes[rows[place]]
    order = np.argsort(found)
    used, last = 0, np.int64(-1)
    for place in order:
        code = found[place]
        if code < 0:
            bins[place] = -1
            continue
        if code != last:
            code_of[used] = code
            used += 1
            last = code
        bins[place] = used - 1
    return used


@kernel("int64(FeatureCodes, LabelledCases, float64, boolean, float64[:, ::1])")
def write_merits(features: FeatureCodes, cases: LabelledCases, least: float, penalised: bool, out: Floats) -> int:
    """Write the merit of the best test of every feature; return how many features allow one."""
    codes, sizes, nominal = features.codes, features.sizes, features.nominal
    rows, labels, weights, number = cases.rows, cases.labels, cases.weights, cases.label_count
    count = len(rows)
    total = 0.0
    for weight in weights:
        total += weight
    room = 1
    for feature in range(len(codes)):
        room = max(room, min(sizes[feature], 4 * count))
    bins, code_of = np.empty(count, np.int64), np.empty(room + count, np.int64)
    table, sums = np.empty((room + count, number)), np.empty(room + count)
    low, high = np.empty(number), np.empty(number)
    possible = 0
    for feature in range(len(codes)):
        # 1. Count the labels of every value.
        used = fill_bins(codes[feature], sizes[feature], rows, bins, code_of)
        table[:used] = 0.0
        sums[:used] = 0.0
        low[:] = 0.0
        high[:] = 0.0
        known = 0.0
        for place in range(count):
            if bins[place] >= 0:
                table[bins[place], labels[place]] += weights[place]
                sums[bins[place]] += weights[place]
                high[labels[place]] += weights[place]
                known += weights[place]
        everything = total_entropy(high, known)
        out[feature, GAIN] = NO_GAIN
        # 2. A nominal feature has one test: a branch for every value.
        if nominal[feature]:
            left, info, heavy = 0.0, branch_bits(total - known, total), 0
            for value in range(used):
                left += total_entropy(table[value], sums[value])
                info += branch_bits(sums[value], total)
                heavy += sums[value] >= least
            if heavy >= 2:
                out[feature, GAIN], out[feature, SPLIT_INFO] = (everything - left) / total, info
                possible += 1
            continue
        # 3. A numeric feature has one between every two neighbouring values.
        best, best_low, below, lower, thresholds = -1.0, 0.0, -1, 0.0, -1
        for value in range(used):
            if sums[value] <= 0.0:
                continue
            thresholds += 1
            if below >= 0 and lower >= least and known - lower >= least:
                gain = everything - total_entropy(low, lower) - total_entropy(high, known - lower)
                if gain > best + 1e-12 * total:
                    best, best_low = gain, lower
                    out[feature, BELOW], out[feature, ABOVE] = code_of[below], code_of[value]
            for label in range(number):
                low[label] += table[value, label]
                high[label] -= table[value, label]
            lower += sums[value]
            below = value
        if best >= 0.0:
            cost = np.log2(thresholds) / total if penalised else 0.0
            out[feature, GAIN] = best / total - cost
            info = branch_bits(best_low, total) + branch_bits(known - best_low, total)
            out[feature, SPLIT_INFO] = info + branch_bits(total - known, total)
            possible += 1
    return possible


@kernel("float64(float64[::1], float64[::1], int64[::1], float64[::1], int64, float64, float64[::1])")
def best_step(
    heights: Floats, slopes: Floats, labels: Ints, weights: Floats, number: int, least: float, between: Floats
) -> float:
    """The largest gain, in bits, of the tests `height + step * slope <= 0` over all steps; write the steps around it.

    `NO_GAIN` if there is no test.
    """
    count = len(heights)
    turns = np.empty(count)
    low, high = np.zeros(number), np.zeros(number)
    lower, total = 0.0, 0.0
    for place in range(count):
        turns[place] = -heights[place] / slopes[place] if slopes[place] != 0.0 else np.inf
        total += weights[place]
        if slopes[place] > 0.0 or (slopes[place] == 0.0 and heights[place] <= 0.0):  # where the step is -inf
            low[labels[place]] += weights[place]
            lower += weights[place]
        else:
            high[labels[place]] += weights[place]
    all_labels = low + high
    everything = total_entropy(all_labels, total)
    order = np.argsort(turns)
    best = -1.0
    for position in range(count - 1):
        place = order[position]
        if turns[place] == np.inf:
            break
        weight = weights[place] if slopes[place] > 0.0 else -weights[place]
        low[labels[place]] -= weight
        high[labels[place]] += weight
        lower -= weight
        here, there = turns[place], turns[order[position + 1]]
        if there == np.inf:
            break
        if there - here <= 1e-9 * max(1.0, abs(here)) or lower < least or total - lower < least:
            continue
        gain = everything - total_entropy(low, lower) - total_entropy(high, total - lower)
        if gain > best + 1e-12 * total:
            best = gain
            between[0], between[1] = here, there
    return best / total if best >= 0.0 else NO_GAIN
