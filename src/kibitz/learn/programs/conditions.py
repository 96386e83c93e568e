"""The tests of programs: an expression compared with a number, or a nominal variable with one of its words."""

import operator
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from kibitz.learn.expressions import Expression, number

Operator = Literal["<=", ">", ">=", "<", "==", "!="]
OPERATORS: tuple[Operator, ...] = ("<=", ">", ">=", "<", "==", "!=")
OPPOSITE: dict[Operator, Operator] = {"<=": ">", ">": "<=", ">=": "<", "<": ">=", "==": "!=", "!=": "=="}
IN_WORDS = {"<=": "is at most", ">": "is above", ">=": "is at least", "<": "is below", "==": "is", "!=": "is not"}
COMPARED = {
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


class Condition(msgspec.Struct, frozen=True):
    """`abs(x) - abs(y) <= 0`, or `colour == 'red'`."""

    feature: Expression
    operator: Operator
    bound: float | str

    def holds(self, row: Mapping[str, Any]) -> bool | None:
        """Whether it holds for a row; None if a value it needs is missing (None)."""
        if any(row[name] is None for name in self.feature.variables):
            return None
        return bool(self.compare_value(self.feature.evaluate(row)))

    def compare_value(self, value: Any) -> Any:
        """The comparison of a value, or of a whole column of them, with the bound."""
        return COMPARED[self.operator](value, self.bound)

    def opposite(self) -> "Condition":
        """The negated condition."""
        return Condition(self.feature, OPPOSITE[self.operator], self.bound)

    @property
    def shown_bound(self) -> str:
        """The bound as Python writes it."""
        return repr(self.bound) if isinstance(self.bound, str) else number(self.bound)

    def __str__(self) -> str:
        return f"{self.feature} {self.operator} {self.shown_bound}"

    def words(self) -> str:
        """In plain words: `abs(x) - abs(y) is at most 0`."""
        bound = self.bound if isinstance(self.bound, str) else number(self.bound)
        return f"{self.feature} {IN_WORDS[self.operator]} {bound}"


def without_repetition(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The same conjunction, with only the tightest of several bounds of a feature on the same side, in first place."""
    kept: dict[tuple[Expression, str, object], Condition] = {}
    for condition in conditions:
        upper, ordered = condition.operator in ("<=", "<"), condition.operator not in ("==", "!=")
        key = (condition.feature, condition.operator, None if ordered else condition.bound)
        if key not in kept or (ordered and upper == (condition.bound < kept[key].bound)):  # type: ignore[operator]
            kept[key] = condition
    return tuple(kept.values())
