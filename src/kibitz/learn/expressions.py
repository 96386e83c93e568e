"""Expressions over named numbers: `abs(x) - abs(y)`, `2*u - v`.

An expression is a short program for a stack machine. It prints as Python, is read back from that, and is evaluated over
one row and over whole columns by the same steps; `programs.flat_kernels.value_of` is the twin inside kernels.
"""

import ast
from collections.abc import Mapping, Sequence
from keyword import iskeyword
from typing import Any, NamedTuple, NoReturn

from kibitz.core.errors import BadProgram, short_repr

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
