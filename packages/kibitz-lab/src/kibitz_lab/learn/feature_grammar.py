"""Makes features from variables: |a|, a - b, a + b, |a| - |b|, and so on to a depth, without duplicates.

Two features are duplicates if their values on all rows are equal, up to their sign; the simplest one stays. A small
grammar helps a learner more than a better algorithm: with it the value of a game may be a tree of five leaves where the
bare variables need hundreds.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz_lab.learn.examples import Examples, Expression, variable

DECIMALS = 9
"""Values that agree to this many decimals count as equal."""


class Grammar(msgspec.Struct, frozen=True):
    """Which features are made of the numeric variables.

    Depth 0 is the variables themselves, depth 1 adds |a|, a - b and a + b, depth 2 adds |a| - |b|, |a| + |b|, |a - b|
    and |a + b|, and depth 3 the absolute values of sums and differences of absolute values.
    """

    depth: Annotated[int, msgspec.Meta(ge=0, le=3)] = 2
    sums: bool = True
    extra: tuple[str, ...] = ()
    """Further features as text; all columns of the data are variables already."""

    def features(self, examples: Examples) -> tuple[Expression, ...]:
        """The features for *examples*, simplest first, without constants and repetitions; nominal variables stay."""
        nominal = [variable(column.name) for column in examples.columns if column.values]
        names = [column.name for column in examples.columns if not column.values]
        wanted = [Expression.of(text) for text in self.extra]
        signed = {name for name in names if np.nanmin(examples.by_name[name], initial=0.0) < 0.0}
        return (*nominal, *distinct([*self.expressions(names, signed), *wanted], examples))

    def expressions(self, names: Sequence[str], signed: Collection[str]) -> Iterator[Expression]:
        """All features made of variables, simplest first; one that is not *signed* is its own absolute value."""
        plain = [variable(name) for name in names]
        absolutes = [abs(part) if name in signed else part for name, part in zip(names, plain, strict=True)]
        pairs, joined = list(self.pairs(plain)), list(self.pairs(absolutes))
        layers = [plain, [*absolutes, *pairs], [*joined, *map(abs, pairs)], [*map(abs, joined)]]
        for layer in layers[: self.depth + 1]:
            yield from layer

    def pairs(self, parts: Sequence[Expression]) -> Iterator[Expression]:
        """The differences of every two of *parts*, then their sums."""
        yield from (left - right for left, right in combinations(parts, 2))
        if self.sums:
            yield from (left + right for left, right in combinations(parts, 2))


def distinct(features: Iterable[Expression], examples: Examples) -> list[Expression]:
    """The features without constants and duplicates; the first of equal ones stays."""
    seen: set[bytes] = set()
    kept = []
    for feature in features:
        key = fingerprint(examples.feature_values(feature))
        if key and key not in seen:
            seen.add(key)
            kept.append(feature)
    return kept


def fingerprint(values: NDArray[np.float64]) -> bytes:
    """A key that is equal for columns that are equal up to their sign; empty for constants."""
    rounded = np.round(values, DECIMALS) + 0.0
    known = rounded[~np.isnan(rounded)]
    if len(known) == 0 or (known == known[0]).all():
        return b""
    sign = np.sign(known[np.nonzero(known)[0][0]])
    return bytes((rounded * sign + 0.0).tobytes())
