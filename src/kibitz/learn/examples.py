"""Examples to learn from: columns of numbers or words, a weight, and for every row the labels that would be right.

A row's target is one label; or a set of labels of which any is right, from which the learner takes the one that keeps
its program small; or a mapping from labels to shares, a mixed strategy, which becomes one weighted example per label.
Every learner chooses labels by `chosen` and `best_label`, so all of them accept such sets.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from math import inf, isfinite, nan
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kibitz.core.errors import BadExamples, short_list, short_repr
from kibitz.learn.expressions import Expression, variable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Label = str | int
Value = float | str | None
Target = Label | AbstractSet[Label] | Mapping[Label, float]


class Column(msgspec.Struct, frozen=True):
    """A variable: a number, or one of some words."""

    name: str
    values: tuple[str, ...] = ()
    """The words; empty for a number."""

    def encode_value(self, value: object, where: str) -> float:
        """A value as a number: a word's place among the words, nan for a missing value (None)."""
        if value is None or value is np.ma.masked:
            return nan
        if self.values:
            if value in self.values:
                return float(self.values.index(str(value)))
            raise BadExamples(where, f"{self.name} is {short_repr(value)}; known: {short_list(self.values)}")
        if not isinstance(value, (int, float, np.number, np.bool_)):
            raise BadExamples(where, f"{self.name} is {short_repr(value)}, not a number; use None for a missing value")
        if isfinite(value):
            return float(value)
        raise BadExamples(where, f"{self.name} is {float(value)}; use finite numbers, and None for missing values")


class Examples:
    """Rows of coded values with the labels allowed for each; make them with `of` or `of_rows`."""

    def __init__(
        self,
        columns: tuple[Column, ...],
        values: Floats,
        labels: tuple[Label, ...],
        allowed: Flags,
        weights: Floats,
        groups: Ints,
    ) -> None:
        """*values* holds nan for missing ones; rows of one of the *groups* are not independent of each other."""
        self.columns, self.values, self.labels = columns, values, labels
        self.allowed, self.weights, self.groups = allowed, weights, groups

    @classmethod
    def of(
        cls,
        columns: Mapping[str, ArrayLike | Sequence[Value]],
        targets: Sequence[Target] | NDArray[Any],
        *,
        labels: Sequence[Label] | None = None,
        words: Mapping[str, Sequence[str]] | None = None,
        weights: ArrayLike | None = None,
        groups: Sequence[Any] | None = None,
    ) -> "Examples":
        """Examples from named columns and a target per row.

        Columns of text are nominal; *words* lists their values, in case the data lack some. *labels* fixes the
        labels and their order. With it, *targets* may be a matrix of flags, a row per example.
        """
        if not columns:
            raise BadExamples("examples", "there are no columns; give at least one variable")
        made, coded = zip(
            *(_column(name, given, (words or {}).get(name)) for name, given in columns.items()), strict=True
        )
        count = len(coded[0])
        for column, values in zip(made, coded, strict=True):
            _same_length(f"column {column.name!r}", len(values), count)
        if count == 0:
            raise BadExamples("examples", "there are no rows; give at least one")
        _same_length("targets", len(targets), count)
        known, origin, allowed, shares = _targets(targets, labels)
        weighed = _weights(weights, count)[origin] * shares
        blocks = np.arange(count) if groups is None else _groups(groups, count)
        return cls(made, np.ascontiguousarray(np.stack(coded, 1)[origin]), known, allowed, weighed, blocks[origin])

    @classmethod
    def of_rows(
        cls, names: Sequence[str], rows: Sequence[Sequence[Value]], targets: Sequence[Target], **options: Any
    ) -> "Examples":
        """Examples from rows of values, one for every name; *options* as for `of`."""
        if len(set(names)) < len(names):
            raise BadExamples("examples", f"two columns have the same name; given: {short_list(names)}")
        for place, row in enumerate(rows):
            if len(row) != len(names):
                raise BadExamples(f"row {place}", f"{len(row)} values, but {len(names)} columns")
        return cls.of({name: [row[column] for row in rows] for column, name in enumerate(names)}, targets, **options)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<Examples: {len(self)} rows, {len(self.columns)} columns, {len(self.labels)} labels>"

    def subset(self, rows: Ints, weights: Floats | None = None) -> "Examples":
        """Some of the rows, with other weights if given."""
        weighed = self.weights[rows] if weights is None else weights
        return Examples(self.columns, self.values[rows], self.labels, self.allowed[rows], weighed, self.groups[rows])

    @cached_property
    def by_name(self) -> dict[str, Floats]:
        """Every column as an array of its own."""
        return {column.name: np.ascontiguousarray(self.values[:, at]) for at, column in enumerate(self.columns)}

    def feature_values(self, feature: Expression, rows: Ints | None = None) -> Floats:
        """The values of a feature, in all rows or in some."""
        names = feature.variables
        for name in names:
            if name not in self.by_name:
                raise BadExamples(f"feature {feature}", f"no column {name!r}; known: {short_list(list(self.by_name))}")
        used = {name: self.by_name[name] if rows is None else self.by_name[name][rows] for name in names}
        return np.asarray(feature.evaluate(used), np.float64)

    def words(self, feature: Expression) -> tuple[str, ...]:
        """The words of a nominal variable; empty for all other features."""
        name = str(feature)
        return next((column.values for column in self.columns if column.name == name), ())

    def variables(self) -> tuple[Expression, ...]:
        """The columns as features."""
        return tuple(variable(column.name) for column in self.columns)

    @cached_property
    def patterns(self) -> tuple[Flags, Ints]:
        """The different sets of allowed labels, and which of them each row has."""
        if self.allowed.sum(axis=1).max() == 1:  # the common case, and fast
            return np.eye(len(self.labels), dtype=np.bool_), self.allowed.argmax(axis=1)
        packed, pattern = np.unique(np.packbits(self.allowed, axis=1), axis=0, return_inverse=True)
        return np.unpackbits(packed, axis=1, count=len(self.labels)).astype(np.bool_), pattern.ravel()

    @cached_property
    def support(self) -> Floats:
        """The weight of the rows for which each label is right."""
        total: Floats = self.weights @ self.allowed
        return total

    def choose_labels(self, rows: Ints, weights: Floats) -> Ints:
        """A right label for each of *rows*, as few different ones as a greedy cover finds.

        The label that is right for most comes first, then the one for most of the others: within log2(e) bits of the
        least entropy there is (Halperin & Karp 2005).
        """
        table, pattern = self.patterns
        here = pattern[rows]
        left = np.bincount(here, weights, len(table))
        open_ = np.bincount(here, minlength=len(table)) > 0
        label_of = np.full(len(table), -1)
        while open_.any():
            needed = np.asarray(table[open_].any(axis=0), np.bool_)
            label = self.most_supported(np.where(open_, left, 0.0) @ table, needed)
            label_of[open_ & table[:, label]] = label
            open_ &= ~table[:, label]
        return label_of[here]

    def best_label(self, rows: Ints, weights: Floats) -> tuple[int, float]:
        """The label that is right for most of *rows*, and the weight of those for which it is wrong."""
        table, pattern = self.patterns
        support: Floats = np.bincount(pattern[rows], weights, len(table)).astype(np.float64) @ table
        label = self.most_supported(support)
        return label, max(float(weights.sum() - support[label]), 0.0)

    def most_supported(self, support: Floats, among: Flags | None = None) -> int:
        """The label of the greatest weight; of equals the one that is right for most of all rows."""
        ranked = support if among is None else np.where(among, support, -inf)
        most = np.flatnonzero(ranked >= ranked.max() - 1e-9)
        return int(most[self.support[most].argmax()])


def coded_row(columns: Sequence[Column], row: Mapping[str, Any] | Sequence[Any]) -> list[float]:
    """One row as numbers; a mapping may hold further entries."""
    if not isinstance(row, Mapping):
        if len(row) != len(columns):
            raise BadExamples("row", f"{len(row)} values, but {len(columns)} columns")
        row = {column.name: value for column, value in zip(columns, row, strict=True)}
    for column in columns:
        if column.name not in row:
            raise BadExamples("row", f"it has no {column.name!r}; use None for a missing value")
    return [column.encode_value(row[column.name], "row") for column in columns]


def _column(name: str, given: ArrayLike | Sequence[Value], words: Sequence[str] | None) -> tuple[Column, Floats]:
    variable(name)  # refuses names that programs cannot use
    if words is None and isinstance(given, np.ndarray) and given.dtype.kind in "biuf":
        values = np.ma.filled(np.ma.asarray(given).astype(np.float64), nan)
        bad = ~np.isfinite(values) & ~np.ma.getmaskarray(given)
        if values.ndim == 1 and not bad.any():
            return Column(name), values
    entries = list(given)  # type: ignore[arg-type]
    texts = {value for value in entries if isinstance(value, str)}
    column = Column(name, tuple(words or sorted(texts)))
    return column, np.array(
        [column.encode_value(value, f"row {place}") for place, value in enumerate(entries)], np.float64
    )


def _targets(
    targets: Sequence[Target] | NDArray[Any], labels: Sequence[Label] | None
) -> tuple[tuple[Label, ...], Ints, Flags, Floats]:
    """The labels; then for every example its row, the labels allowed, and its share of the row's weight."""
    if isinstance(targets, np.ndarray) and targets.ndim == 2:
        return _targets_from_flags(targets, labels)
    if isinstance(targets, np.ndarray) and targets.dtype.kind in "iuU" and labels is None:
        distinct, place = np.unique(targets, return_inverse=True)
        one_each = np.eye(len(distinct), dtype=np.bool_)[place.ravel()]
        return tuple(distinct.tolist()), np.arange(len(targets)), one_each, np.ones(len(targets))
    rows = [_weighted_sets(target, place) for place, target in enumerate(_target_list(targets))]
    seen = {label for row in rows for allowed, _ in row for label in allowed}
    known = tuple(sorted(seen, key=lambda label: (isinstance(label, str), label))) if labels is None else tuple(labels)
    code = {label: place for place, label in enumerate(known)}
    origin = np.array([place for place, row in enumerate(rows) for _ in row], np.int64)
    allowed = np.zeros((len(origin), len(known)), np.bool_)
    names = short_list([str(label) for label in known])
    for example, labels_of in enumerate(labels_ for row in rows for labels_, _ in row):
        for label in labels_of:
            if label not in code:
                raise BadExamples(f"row {origin[example]}", f"unknown label {short_repr(label)}; known: {names}")
            allowed[example, code[label]] = True
    return known, origin, allowed, np.array([share for row in rows for _, share in row], np.float64)


def _targets_from_flags(
    flags: NDArray[Any], labels: Sequence[Label] | None
) -> tuple[tuple[Label, ...], Ints, Flags, Floats]:
    if labels is None or flags.shape[1] != len(labels):
        raise BadExamples("targets", f"a matrix of {flags.shape[1]} columns needs as many labels=; name one for each")
    allowed = flags.astype(np.bool_)
    if not allowed.any(axis=1).all():
        raise BadExamples(f"row {int(np.argmin(allowed.any(axis=1)))}", "no label is allowed; name at least one")
    return tuple(labels), np.arange(len(flags)), allowed, np.ones(len(flags))


def _target_list(targets: Sequence[Target] | NDArray[Any]) -> Iterable[Any]:
    return targets.tolist() if isinstance(targets, np.ndarray) else targets


def _weighted_sets(target: Any, place: int) -> list[tuple[frozenset[Label], float]]:
    """A target as sets of labels with their shares of the row's weight."""
    if isinstance(target, Mapping):
        total = sum(target.values())
        if not all(share >= 0.0 for share in target.values()) or abs(total - 1.0) > 1e-6:
            raise BadExamples(f"row {place}", f"the shares of its labels add up to {total:g}, not to 1")
        return [(frozenset({_label(label, place)}), share / total) for label, share in target.items() if share > 0.0]
    if isinstance(target, (AbstractSet, list, tuple)):
        if not target:
            raise BadExamples(f"row {place}", "no label is allowed; name at least one")
        return [(frozenset(_label(label, place) for label in target), 1.0)]
    return [(frozenset({_label(target, place)}), 1.0)]


def _label(label: Any, place: int) -> Label:
    if isinstance(label, (bool, np.bool_)) or not isinstance(label, (str, int, np.integer)):
        raise BadExamples(f"row {place}", f"{short_repr(label)} is not a label; use text or whole numbers")
    return label if isinstance(label, str) else int(label)


def _weights(weights: ArrayLike | None, count: int) -> Floats:
    if weights is None:
        return np.ones(count)
    made = np.asarray(weights, np.float64)
    _same_length("weights", len(made), count)
    wrong = np.flatnonzero(~((made > 0.0) & np.isfinite(made)))
    if len(wrong):
        raise BadExamples(f"row {wrong[0]}", f"its weight is {made[wrong[0]]:g}; weights are finite and above 0")
    return made


def _groups(groups: Sequence[Any], count: int) -> Ints:
    _same_length("groups", len(groups), count)
    number: dict[Any, int] = {}
    return np.array([number.setdefault(group, len(number)) for group in groups], np.int64)


def _same_length(what: str, length: int, count: int) -> None:
    if length != count:
        raise BadExamples(what, f"{length} entries, but {count} rows")
