"""Conditions as people write them: `abs(x) < abs(y)` for `abs(x) - abs(y) <= -1`."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from kibitz_lab.learn.examples import ABSOLUTE, DIFFERENCE, MULTIPLE, VARIABLE, Expression, number, variable
from kibitz_lab.learn.programs.program import Condition, Operator

TURNED: dict[Operator, Operator] = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!="}
STRICTER: dict[tuple[Operator, float], Operator] = {
    ("<=", -1.0): "<",
    (">", -1.0): ">=",
    (">=", 1.0): ">",
    ("<", 1.0): "<=",
}
"""For whole numbers, at most -1 means below 0."""

Terms = list[tuple[float, Expression]]


class Comparison(NamedTuple):
    """Both sides of a comparison as text."""

    left: str
    operator: Operator
    right: str

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


def terms(expression: Expression) -> Terms:
    """An expression as a sum of variables and absolute values, each times a factor that is not 0.

    >>> [(factor, str(part)) for factor, part in terms(Expression.of("2*(u - v) - abs(x - y) + u"))]
    [(3.0, 'u'), (-2.0, 'v'), (-1.0, 'abs(x - y)')]
    """
    stack: list[tuple[Terms, Expression]] = []
    for operation, argument in expression.steps:
        if operation == VARIABLE:
            part = variable(str(argument))
            stack.append(([(1.0, part)], part))
        elif operation == MULTIPLE:
            inner, whole = stack.pop()
            factor = float(argument)
            stack.append(([(factor * each, part) for each, part in inner], factor * whole))
        elif operation == ABSOLUTE:
            part = abs(stack.pop()[1])
            stack.append(([(1.0, part)], part))
        else:
            (right, right_whole), (left, left_whole) = stack.pop(), stack.pop()
            less = operation == DIFFERENCE
            joined = [*left, *((-factor if less else factor, part) for factor, part in right)]
            stack.append((joined, left_whole - right_whole if less else left_whole + right_whole))
    return merge_terms(stack.pop()[0])


def merge_terms(found: Terms) -> Terms:
    """Equal parts added up, without those that cancel out."""
    total: dict[Expression, float] = {}
    for factor, part in found:
        total[part] = total.get(part, 0.0) + factor
    return [(factor, part) for part, factor in total.items() if factor != 0.0]


def balance_condition(condition: Condition, *, whole: bool) -> Comparison:
    """The same comparison without negative terms; *whole* says that all variables are whole numbers."""
    if isinstance(condition.bound, str):
        return Comparison(str(condition.feature), condition.operator, json.dumps(condition.bound, ensure_ascii=False))
    found, operator, bound = terms(condition.feature), condition.operator, condition.bound
    if not found:
        return Comparison("0", operator, number(bound))
    if all(factor < 0.0 for factor, _ in found):
        found, operator, bound = [(-factor, part) for factor, part in found], TURNED[operator], 0.0 - bound
    if whole and all(factor.is_integer() for factor, _ in found) and (operator, bound) in STRICTER:
        operator, bound = STRICTER[operator, bound], 0.0
    left, right = [term for term in found if term[0] > 0.0], [(-factor, part) for factor, part in found if factor < 0.0]
    return Comparison(added_up(left, 0.0), operator, added_up(right, bound))


def added_up(found: Sequence[tuple[float, Expression]], constant: float) -> str:
    """A sum as text."""
    if not found:
        return number(constant)
    text = str(Expression.weighted_sum(*zip(*found, strict=True)))
    if constant == 0.0:
        return text
    return f"{text} {'+' if constant > 0.0 else '-'} {number(abs(constant))}"
