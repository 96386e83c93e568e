"""The marks of one answer: measures of a belief or a prediction against the truth."""

from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kibitz.arena.statistics.estimates import Floats
from kibitz.core.actions import Distribution
from kibitz.core.insight import UNKNOWN

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
    best: float
    """1 if the truth is among the likeliest, however many are tied with it."""
    spread: float
    """Number of labels tied for likeliest."""
    rank: float
    """The rank of the truth, 1 for the first; tied labels share their mean rank."""
    true: float = 1.0
    """Number of labels that are true at once."""


FIELD = {name: number for number, name in enumerate(Mark._fields)}
"""The column of each part of a mark."""


def belief_mark(belief: Mapping[str, float], truth: str, seen: Collection[str], top: int) -> Mark:
    """The mark of a belief; *seen* are all labels that are true in some record. `belief_marks` is its twin.

    The probability of `unknown` is spread evenly over the labels seen that are not named, so that a belief in
    `unknown` alone gets the mark of the uniform belief.

    >>> belief_mark({"a": 0.5, "b": 0.3, "unknown": 0.2}, "c", seen=("a", "c", "d"), top=2).probability
    0.1
    """
    named = {label: share for label, share in belief.items() if label != UNKNOWN}
    others = max(sum(label not in named for label in seen), 1) if UNKNOWN in belief else 0
    share = belief[UNKNOWN] / others if others else 0.0
    known = truth in named or others > 0
    return mark(named.values(), named.get(truth, share), known, top, others, share)


def belief_marks(held: Floats, labels: Sequence[str], truths: Sequence[str], seen: Collection[str], top: int) -> Floats:
    """The marks of many beliefs, twin of `belief_mark`; an empty belief has none, which is nan.

    A row for each belief, a column for each label, nan if it is not named.
    """
    if not labels:
        return np.full((len(held), len(Mark._fields)), np.nan)
    place = {label: number for number, label in enumerate(labels)}
    empty = np.isnan(held).all(axis=1)
    apart = np.isnan(held[:, place[UNKNOWN]]) if UNKNOWN in place else np.ones(len(held), dtype=bool)
    spread = np.where(apart, 0.0, held[:, place[UNKNOWN]]) if UNKNOWN in place else np.zeros(len(held))
    columns = [number for label, number in place.items() if label != UNKNOWN]
    named = np.where(np.isnan(held), -1.0, held)[:, columns]  # less than any probability
    common = [place[label] for label in seen if label in place and label != UNKNOWN]
    others = np.where(apart, 0, np.maximum(len(seen) - (~np.isnan(held[:, common])).sum(axis=1), 1))
    share = spread / np.maximum(others, 1)
    at = np.array([place.get(truth, -1) if truth != UNKNOWN else -1 for truth in truths], dtype=np.int64)
    own = np.where(at >= 0, held[np.arange(len(held)), at], np.nan)
    given = np.where(np.isnan(own), share, own)
    known = ~np.isnan(own) | ~apart
    above, below = given * (1.0 + LEVEL), given * (1.0 - LEVEL)
    ahead = (named > above[:, None]).sum(axis=1) + np.where(share > above, others, 0)
    tied = ((named >= below[:, None]) & (named <= above[:, None])).sum(axis=1)
    tied += np.where((share >= below) & (share <= above), others, 0)
    first, among = (np.where(known, np.clip((k - ahead) / np.maximum(tied, 1), 0.0, 1.0), 0.0) for k in (1, top))
    positive = np.maximum(named, 0.0)
    brier = (positive**2).sum(axis=1) + others * share**2 - 2.0 * given + 1.0
    most = np.maximum(positive.max(axis=1, initial=0.0), share)
    level = most * (1.0 - LEVEL)
    spread = (named >= level[:, None]).sum(axis=1) + np.where(share >= level, others, 0)
    size = (named >= 0.0).sum(axis=1) + others
    rank = np.where(known, ahead + (np.maximum(tied, 1) + 1) / 2, size + 1)
    found = np.column_stack((given, first, among, brier, most, known & (ahead == 0), spread, rank, np.ones(len(held))))
    found[empty] = np.nan
    return found


def set_marks(
    held: Floats, labels: Sequence[str], truths: Sequence[tuple[str, ...]], seen: Collection[str], top: int
) -> Floats:
    """The marks of many beliefs if several labels may be true at once: the marks of `belief_marks`, combined.

    Ideally each true label gets the same probability. The probabilities, and the precision of the likeliest set, add
    up; the other measures are means.
    """
    found = np.full((len(held), len(FIELD)), np.nan)
    for count in set(map(len, truths)):
        rows = [row for row, own in enumerate(truths) if len(own) == count]
        every = [belief_marks(held[rows], labels, [truths[row][n] for row in rows], seen, top) for n in range(count)]
        marks = np.mean(every, axis=0)
        marks[:, [FIELD["probability"], FIELD["first"], FIELD["true"]]] *= count
        marks[:, FIELD["brier"]] -= 1.0 - 1.0 / count
        found[rows] = marks
    return found


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
    brier = 1.0 / true - share
    return Mark(both, both, min(1.0, top * share), brier, share, 1.0, options, (options + 1) / 2, true)


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
    places = max(tied, 1)
    first, among = ((min(1.0, max(0.0, (k - ahead) / places))) if known else 0.0 for k in (1, top))
    level = most * (1.0 - LEVEL)
    spread = sum(each >= level for each in named) + (others if share >= level else 0)
    rank = ahead + (places + 1) / 2 if known else len(named) + others + 1
    best = float(known and ahead == 0)
    return Mark(probability, first, among, squares - 2.0 * probability + 1.0, most, best, spread, rank)


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
