"""Examples to learn from: columns of numbers or words, a weight, and for every row the labels that would be right.

A row's target is one label, or a set of labels of which any is right, from which the learner takes the one that keeps
its program small. Every learner chooses labels by `choose_labels` and `best_label`, so all of them accept such sets.

Features are expressions over named numbers: `abs(x) - abs(y)`, `2*u - v`.
An expression is a short program for a stack machine. It prints as Python, is read back from that, and is evaluated over
one row and over whole columns by the same steps.
"""

import ast
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from keyword import iskeyword
from math import inf, isfinite, nan
from typing import Any, NamedTuple, NoReturn

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kibitz.core.errors import BadExamples, BadProgram, short_list, short_repr

VARIABLE, MULTIPLE, ABSOLUTE, SUM, DIFFERENCE = range(5)
LOOSE, TIGHT, ATOM = range(3)
"""The binding strength of a text: a sum, a product, a word."""
LARGEST = 1e15
"""The largest number in an expression; whole numbers up to it are exact."""


class Step(NamedTuple):
    """One step of the stack machine; a variable has its name, a multiple its factor."""

    operation: int
    argument: str | float = 0.0


class Expression:
    """A value computed from variables by absolute values, sums, differences and multiples.

    >>> x, y = Expression.of("x"), Expression.of("y")
    >>> gap = abs(x) - abs(y)
    >>> print(gap, gap.evaluate({"x": -3, "y": 1}), gap == Expression.of("abs(x) - abs(y)"))
    abs(x) - abs(y) 2 True
    """

    __slots__ = ("steps",)

    def __init__(self, steps: tuple[Step, ...]) -> None:
        self.steps = steps

    @classmethod
    def of(cls, text: str) -> "Expression":
        """Parse an expression of names, `abs`, `+`, `-`, and `*` with a number."""
        try:
            body = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            _refuse(text)
        found = _read(body, text)
        return found if isinstance(found, Expression) else _refuse(text)

    @classmethod
    def weighted_sum(cls, factors: Sequence[float], parts: Sequence["Expression"]) -> "Expression":
        """The sum of *parts*, each times its factor, without those times 0; at least one must remain."""
        terms = [(factor, part) for factor, part in zip(factors, parts, strict=True) if factor != 0.0]
        total = terms[0][0] * terms[0][1]
        for factor, part in terms[1:]:
            total = total + factor * part if factor > 0.0 else total - (-factor) * part
        return total

    @property
    def variables(self) -> tuple[str, ...]:
        """The names it needs, each once, in order of appearance."""
        named = (str(step.argument) for step in self.steps if step.operation == VARIABLE)
        return tuple(dict.fromkeys(named))

    @property
    def complexity(self) -> int:
        """How many steps it takes."""
        return len(self.steps)

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """Its value for these values of the variables: numbers, or columns of them."""
        stack: list[Any] = []
        for operation, argument in self.steps:
            if operation == VARIABLE:
                stack.append(values[str(argument)])
            elif operation == MULTIPLE:
                stack.append(argument * stack.pop())
            elif operation == ABSOLUTE:
                stack.append(abs(stack.pop()))
            else:
                right, left = stack.pop(), stack.pop()
                stack.append(left + right if operation == SUM else left - right)
        return stack.pop()

    def __str__(self) -> str:
        stack: list[tuple[str, int]] = []
        for operation, argument in self.steps:
            if operation == VARIABLE:
                stack.append((str(argument), ATOM))
            elif operation == MULTIPLE:
                factor = "-" if argument == -1.0 else f"{number(float(argument))}*"
                stack.append((factor + _bracket_text(stack.pop(), ATOM), TIGHT))
            elif operation == ABSOLUTE:
                stack.append((f"abs({stack.pop()[0]})", ATOM))
            else:
                right, left = stack.pop(), stack.pop()
                sign, least = ("+", LOOSE) if operation == SUM else ("-", TIGHT)
                stack.append((f"{left[0]} {sign} {_bracket_text(right, least)}", LOOSE))
        return stack.pop()[0]

    def __repr__(self) -> str:
        return f"Expression.of({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self.steps == other.steps

    def __hash__(self) -> int:
        return hash(self.steps)

    def __abs__(self) -> "Expression":
        return Expression((*self.steps, Step(ABSOLUTE)))

    def __add__(self, other: "Expression") -> "Expression":
        return Expression((*self.steps, *other.steps, Step(SUM)))

    def __sub__(self, other: "Expression") -> "Expression":
        return Expression((*self.steps, *other.steps, Step(DIFFERENCE)))

    def __rmul__(self, factor: float) -> "Expression":
        return self if factor == 1.0 else Expression((*self.steps, Step(MULTIPLE, float(factor))))


def variable(name: str) -> Expression:
    """The variable of that name, which must be a valid Python name."""
    if not name.isidentifier() or iskeyword(name) or name == "abs":
        raise BadProgram(
            f"variable {short_repr(name)}", "a variable needs a valid Python name, and not that of a function"
        )
    return Expression((Step(VARIABLE, name),))


def number(value: float) -> str:
    """A number in its shortest exact form."""
    return str(int(value)) if float(value).is_integer() and abs(value) < LARGEST else repr(float(value))


def _bracket_text(part: tuple[str, int], least: int) -> str:
    text, closeness = part
    return text if closeness >= least else f"({text})"


def _read(node: ast.expr, text: str) -> "Expression | float":
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and abs(value) <= LARGEST:
            return float(value)
        case ast.Name(id=name):
            return variable(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -1.0 * _read(operand, text)
        case ast.Call(func=ast.Name(id="abs"), args=[argument], keywords=[]):
            inner = _read(argument, text)
            return abs(inner) if isinstance(inner, Expression) else _refuse(text)
        case ast.BinOp(left=left, op=operator, right=right):
            return _join_operands(_read(left, text), operator, _read(right, text), text)
    return _refuse(text)


def _join_operands(
    left: "Expression | float", operator: ast.operator, right: "Expression | float", text: str
) -> Expression:
    match operator, left, right:
        case ast.Add(), Expression(), Expression():
            return left + right
        case ast.Sub(), Expression(), Expression():
            return left - right
        case ast.Mult(), float(), Expression():
            return left * right
        case ast.Mult(), Expression(), float():
            return right * left
    return _refuse(text)


def _refuse(text: str) -> NoReturn:
    raise BadProgram(f"feature {short_repr(text)}", "write it with names, abs(), +, - and numbers times something")


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Label = str | int
Value = float | str | None
Target = Label | AbstractSet[Label]


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
    """Rows of coded values with the labels allowed for each; make them with `of`."""

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
        known, allowed = _targets(targets, labels)
        blocks = np.arange(count) if groups is None else _groups(groups, count)
        return cls(made, np.stack(coded, 1), known, allowed, _weights(weights, count), blocks)

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
) -> tuple[tuple[Label, ...], Flags]:
    """The labels, and those that are allowed in every row."""
    if isinstance(targets, np.ndarray) and targets.ndim == 2:
        if labels is None or targets.shape[1] != len(labels):
            why = f"a matrix of {targets.shape[1]} columns needs as many labels=; name one for each"
            raise BadExamples("targets", why)
        known, allowed = tuple(labels), targets.astype(np.bool_)
    elif isinstance(targets, np.ndarray) and targets.dtype.kind in "iuU" and labels is None:
        distinct, places = np.unique(targets, return_inverse=True)
        return tuple(distinct.tolist()), np.eye(len(distinct), dtype=np.bool_)[places.ravel()]
    else:
        given = targets.tolist() if isinstance(targets, np.ndarray) else targets
        rows = [_labels(target, place) for place, target in enumerate(given)]
        seen = sorted({label for row in rows for label in row}, key=lambda label: (isinstance(label, str), label))
        known = tuple(seen if labels is None else labels)
        code = {label: place for place, label in enumerate(known)}
        allowed = np.zeros((len(rows), len(known)), np.bool_)
        for place, row in enumerate(rows):
            for label in row:
                if label not in code:
                    names = short_list([str(each) for each in known])
                    raise BadExamples(f"row {place}", f"unknown label {short_repr(label)}; known: {names}")
                allowed[place, code[label]] = True
    if not allowed.any(axis=1).all():
        raise BadExamples(f"row {int(np.argmin(allowed.any(axis=1)))}", "no label is allowed; name at least one")
    return known, allowed


def _labels(target: Any, place: int) -> list[Label]:
    """The labels of a target."""
    return [_label(each, place) for each in (target if isinstance(target, (AbstractSet, list, tuple)) else [target])]


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
