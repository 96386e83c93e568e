"""Background predicates: the conditions that rules may use, and the examples for which each holds.

A mode declares a comparison, `feature operator #constant`: its constants, and how often a clause may use it. Features
come from the grammar over the variables; they are the terms that functions such as `abs` and `-` would introduce.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from kibitz_lab.learn.discretisation import Discretisation
from kibitz_lab.learn.examples import Examples, Expression, Flags, Floats, Ints
from kibitz_lab.learn.programs import Condition
from kibitz_lab.learn.programs.program import Operator

Truths = NDArray[np.uint8]


class Mode(Struct, frozen=True):
    """A declared predicate: a comparison of numeric features with constants."""

    operator: Operator
    constants: tuple[float, ...] = (0.0, 1.0, -1.0, 2.0, -2.0)
    cuts: Annotated[int, Meta(ge=0, le=64)] = 0
    """How many more constants to take from the data for each feature, at its quantiles."""
    recall: Annotated[int, Meta(ge=1)] = 4
    """The most literals of this mode in a clause."""


MODES = (Mode("<="), Mode(">="), Mode("=="))
MEASURED = (Mode("<=", (), 16), Mode(">", (), 16))
"""The modes for measured numbers, for which no constant is known beforehand."""


class Background(Struct, frozen=True):
    """Conditions, the mode each comes from (-1: a word of a nominal variable), and a row of truths for each.

    Examples that literals and labels cannot distinguish are merged into one, with their total weight.
    """

    literals: tuple[Condition, ...]
    modes: Ints
    holds: Truths
    examples: Examples

    def covered_examples(self, literals: Sequence[int]) -> Flags:
        """Whether all of some literals hold, for every example."""
        return np.asarray(self.holds[list(literals)].all(axis=0), np.bool_)


def background(examples: Examples, features: Sequence[Expression], modes: Sequence[Mode]) -> Background:
    """All literals that hold for some examples but not all; of those that hold for the same, the simplest."""
    seen: set[bytes] = set()
    literals, mode_of, rows = [], [], []
    for condition, mode, truths in declared_literals(examples, features, modes):
        key = np.packbits(truths).tobytes()
        if key not in seen and 0 < truths.sum() < len(truths):
            seen.add(key)
            literals.append(condition)
            mode_of.append(mode)
            rows.append(truths)
    if not literals:
        return Background((), np.empty(0, np.int64), np.empty((0, len(examples)), np.uint8), examples)
    holds = np.stack(rows)
    first, merged = group_examples(examples, holds)
    return Background(tuple(literals), np.array(mode_of, np.int64), np.ascontiguousarray(holds[:, first]), merged)


def group_examples(examples: Examples, holds: Truths) -> tuple[Ints, Examples]:
    """The first example of every distinguishable kind, and these with the total weight of their kind."""
    told = np.packbits(np.concatenate([holds.T, examples.allowed], axis=1), axis=1)
    kinds = np.ascontiguousarray(told).view(np.dtype((np.void, told.shape[1]))).ravel()
    _, first, kind = np.unique(kinds, return_index=True, return_inverse=True)
    order = np.argsort(first)  # in the order of the data
    weights = np.bincount(kind.ravel(), examples.weights).astype(np.float64)[order]
    return first[order], examples.subset(first[order], weights)


def declared_literals(
    examples: Examples, features: Sequence[Expression], modes: Sequence[Mode]
) -> Iterator[tuple[Condition, int, Truths]]:
    """Every literal with its mode and the examples for which it holds; a missing value makes it false."""
    for feature in features:
        values = examples.feature_values(feature)
        known = ~np.isnan(values)
        words = examples.words(feature)
        for code, word in enumerate(words):
            yield Condition(feature, "==", word), -1, (values == code).astype(np.uint8)
        for place, mode in enumerate(() if words else modes):
            for constant in constants(mode, values[known]):
                condition = Condition(feature, mode.operator, constant)
                yield condition, place, (condition.compare_value(values) & known).astype(np.uint8)


def constants(mode: Mode, values: Floats) -> list[float]:
    """The constants of a mode for a feature; whole numbers if the feature has whole values."""
    found = list(mode.constants)
    if mode.cuts and len(values):
        edges = Discretisation.from_values("", values, most=mode.cuts + 1).edges
        whole = bool((values == np.rint(values)).all())
        up = mode.operator in (">=", "<")
        found += [float(np.ceil(edge) if up else np.floor(edge)) if whole else edge for edge in edges]
    return list(dict.fromkeys(found))
