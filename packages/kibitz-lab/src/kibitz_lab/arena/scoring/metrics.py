"""The marks of one answer: measures of a belief or a prediction against the truth."""

from collections.abc import Collection, Mapping, Sequence
from math import isfinite, isnan
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kibitz.core.actions import Distribution
from kibitz.core.insight import UNKNOWN
from kibitz_lab.arena.statistics.intervals import Floats

LEVEL = 1e-9
"""Relative difference below which probabilities are tied."""
ROUNDING = 1e-6
"""Tolerance for the sum of probabilities."""


class Mark(NamedTuple):
    """An answer against the truth."""

    probability: float
    """The probability given to the truth."""
    first: float
    """The probability that the truth comes first if ties are broken at random."""
    among: float
    """The probability that it is among the first *top*."""
    brier: float
    """The squared distance to certainty of the truth, 0 to 2."""
    confidence: float
    """The largest probability given to any label."""


def belief_mark(belief: Mapping[str, float], truths: Sequence[str], seen: Collection[str], top: int) -> Mark:
    """The mark of a belief; *seen* are all labels that are true in some record.

    The probability of `unknown` is spread evenly over the labels seen that are not named, so that a belief in
    `unknown` alone gets the mark of the uniform belief. If several labels are true at once, the best answer gives each
    the same probability: their probabilities add up, the other measures are means.

    >>> belief_mark({"a": 0.5, "b": 0.3, "unknown": 0.2}, ["c"], seen=("a", "c", "d"), top=2).probability
    0.1
    """
    named = {label: share for label, share in belief.items() if label != UNKNOWN}
    others = max(sum(label not in named for label in seen), 1) if UNKNOWN in belief else 0
    share = belief[UNKNOWN] / others if others else 0.0
    marks = [
        mark(named.values(), named.get(truth, share), truth in named or others > 0, top, others, share)
        for truth in truths
    ]
    if len(marks) == 1:
        return marks[0]
    count = len(marks)
    probability, first, among, brier, confidence = (sum(column) / count for column in zip(*marks, strict=True))
    return Mark(probability * count, first * count, among, brier - 1.0 + 1.0 / count, confidence)


def belief_marks(
    held: Floats, labels: Sequence[str], truths: Sequence[Sequence[str]], seen: Collection[str], top: int
) -> Floats:
    """The marks of many beliefs: a row for each, a column for each label, nan if it is not named.

    An empty belief has no mark, which is nan.
    """
    none = Mark(*[np.nan] * len(Mark._fields))
    marks = []
    for row, true in zip(held.tolist(), truths, strict=True):
        belief = {label: share for label, share in zip(labels, row, strict=True) if not isnan(share)}
        marks.append(belief_mark(belief, true, seen, top) if belief else none)
    return np.array(marks, dtype=np.float64).reshape(-1, len(none))


def prediction_mark(expected: Distribution, action: int, top: int) -> Mark:
    """The mark of a prediction; actions that share the rest evenly are counted, not listed.

    >>> prediction_mark(Distribution({7: 0.5}, range(1_000_001), rest=0.5), 7, top=1).confidence
    0.5
    """
    others = max(expected.others(), 0)
    known = action in expected.named or action in expected.legal
    share = expected.share_of_others()
    check(expected.named.values(), others * share)
    return mark(expected.named.values(), expected.probability(action), known, top, others, share)


def uniform_mark(options: int, top: int, true: int = 1) -> Mark:
    """The mark of a uniform answer over *options* labels, of which *true* are true."""
    share, both = 1.0 / options, true / options
    return Mark(both, both, min(1.0, top * share), 1.0 / true - share, share)


def mark(
    named: Collection[float], probability: float, known: bool, top: int, others: int = 0, share: float = 0.0
) -> Mark:
    """The mark of a truth that was given *probability*, among those *named* and as many *others* of one *share*."""
    above, below = probability * (1.0 + LEVEL), probability * (1.0 - LEVEL)
    ahead = tied = 0
    squares = most = 0.0
    for each in named:
        squares += each * each
        if each > most:
            most = each
        if each > above:
            ahead += 1
        elif each >= below:
            tied += 1
    if others:
        squares += others * share * share
        most = max(most, share)
        if share > above:
            ahead += others
        elif share >= below:
            tied += others
    first, among = (min(1.0, max(0.0, (k - ahead) / max(tied, 1))) if known else 0.0 for k in (1, top))
    return Mark(probability, first, among, squares - 2.0 * probability + 1.0, most)


def check(named: Collection[float], rest: float = 0.0) -> None:
    """Raise ValueError unless these are probabilities that add up to 1."""
    total, least = sum(named) + rest, min(min(named, default=0.0), rest)
    if not isfinite(total) or abs(total - 1.0) > ROUNDING:
        raise ValueError(f"its probabilities add up to {total:g}")
    if least < -ROUNDING:
        raise ValueError(f"it gave a probability of {least:g}")


def leading(belief: Mapping[str, float]) -> list[str]:
    """The likeliest labels, several if they are tied."""
    level = max(belief.values()) * (1.0 - LEVEL)
    return [label for label, share in belief.items() if share >= level]


def label_of(truth: Any) -> str | None:
    """A truth of a record as a label: text unchanged, anything else as JSON; None is no truth."""
    if truth is None or isinstance(truth, str):
        return truth
    if is_set(truth):
        truth = sorted(truth)
    return msgspec.json.encode(truth).decode()


def is_set(truth: Any) -> bool:
    """Whether a truth is a list of distinct texts, which may all be true at once."""
    texts = isinstance(truth, list) and bool(truth) and all(isinstance(each, str) for each in truth)
    return texts and len(set(truth)) == len(truth)


def true_labels(label: str, named: Collection[str]) -> tuple[str, ...]:
    """The true labels of the truth *label*: itself, or those it lists if no belief names the list.

    >>> true_labels('["hunt","run"]', named=("hold", "hunt", "run"))
    ('hunt', 'run')
    """
    if not label.startswith("[") or label in named:
        return (label,)
    try:
        found = msgspec.json.decode(label)
    except msgspec.DecodeError:
        return (label,)
    return tuple(found) if is_set(found) else (label,)
