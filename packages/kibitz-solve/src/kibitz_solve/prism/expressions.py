"""Expressions of PRISM: renamed, expanded, and turned into Python for speed."""

import ast
from collections.abc import Callable, Iterator, Mapping
from math import ceil, floor, log
from operator import mod
from typing import Any, NamedTuple, TypeAlias

import msgspec
from lark import Token, UnexpectedCharacters
from lark.tree import Meta

from kibitz.core.errors import BadGame, KibitzError, advice

Value: TypeAlias = int | float | bool
MOST_NESTED = 200


class Expression(msgspec.Struct, frozen=True):
    """A number, a name or an operation; *at* is its first word, and *source* the file it is from.

    The operator of a leaf says what it is: `value`, `name`, `primed` (a variable after this round), `label`, or `mark`
    (whether a state is in a set that was computed before).
    """

    operator: str
    operands: tuple["Expression", ...] = ()
    leaf: Any = None
    at: Token | None = None
    source: str = ""
    depth: int = 1

    def __post_init__(self) -> None:
        """Count the levels of nesting; all that reads expressions recurses, so their number is limited."""
        depth = 1 + max((each.depth for each in self.operands), default=0)
        if depth > MOST_NESTED:
            raise expression_error(self, "an expression is nested too deeply")
        msgspec.structs.force_setattr(self, "depth", depth)

    def parts(self) -> Iterator["Expression"]:
        """This expression and all in it."""
        yield self
        for operand in self.operands:
            yield from operand.parts()

    def map_parts(self, change: "Callable[[Expression], Expression | None]") -> "Expression":
        """The same expression with parts replaced where *change* says so."""
        changed = change(self)
        if changed is not None:
            return changed
        if not self.operands:
            return self
        operands = tuple(each.map_parts(change) for each in self.operands)
        if all(new is old for new, old in zip(operands, self.operands, strict=True)):
            return self
        return msgspec.structs.replace(self, operands=operands)


TRUE = Expression("value", leaf=True)


class Function(NamedTuple):
    """A function of PRISM: the least and the most arguments, and what computes it."""

    least: int
    most: int
    compute: Callable[..., Any]


def half_up(value: float) -> int:
    """`round` of PRISM: halves go up."""
    return floor(value + 0.5)


FUNCTIONS = {
    "min": Function(1, 99, min),
    "max": Function(1, 99, max),
    "floor": Function(1, 1, floor),
    "ceil": Function(1, 1, ceil),
    "round": Function(1, 1, half_up),
    "pow": Function(2, 2, pow),
    "mod": Function(2, 2, mod),
    "log": Function(2, 2, log),
}
PATHS = ("X", "F", "G", "U", "W", "R")
PROPERTIES = (*PATHS, "property")
"""Operators that stand in properties only."""


def rename(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The expression with variables and constants renamed."""

    def change(part: Expression) -> Expression | None:
        if part.operator in ("name", "primed") and part.leaf in names:
            return msgspec.structs.replace(part, leaf=names[part.leaf])
        return None

    return expression.map_parts(change)


def expand(expression: Expression, formulas: Mapping[str, Expression]) -> Expression:
    """The expression with formulas replaced by what they stand for."""
    return expression.map_parts(lambda part: formulas.get(part.leaf) if part.operator == "name" else None)


COMPARE: dict[str, type[ast.cmpop]] = {"=": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt}
COMPARE |= {">=": ast.GtE, "<=>": ast.Eq}
CALCULATE: dict[str, type[ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div}
JOIN: dict[str, type[ast.boolop]] = {"&": ast.And, "|": ast.Or}


def python_tree(
    expression: Expression, indices: Mapping[str, int], constants: Mapping[str, Value], primed: bool = False
) -> ast.expr:
    """The expression in Python: variables are `s[index]`, *primed* ones `n[index]`, constants their values."""
    if expression.operator == "value":
        return ast.Constant(expression.leaf)
    if expression.operator in ("name", "primed"):
        return _name_tree(expression, indices, constants, primed)
    if expression.operator == "mark":
        return ast.Subscript(ast.Name("m", ast.Load()), ast.Constant(expression.leaf), ast.Load())
    if expression.operator == "label":
        raise expression_error(expression, f'the label "{expression.leaf}" has no meaning here')
    if expression.operator in PROPERTIES:
        raise expression_error(expression, "a property has no meaning here")
    parts = [python_tree(each, indices, constants, primed) for each in expression.operands]
    match expression.operator:
        case "?":
            return ast.IfExp(*parts)
        case "!":
            return ast.UnaryOp(ast.Not(), parts[0])
        case "negative":
            return ast.UnaryOp(ast.USub(), parts[0])
        case "=>":
            return ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), parts[0]), parts[1]])
        case "&" | "|" as operator:
            return ast.BoolOp(JOIN[operator](), parts)
        case operator if operator in COMPARE:
            return ast.Compare(parts[0], [COMPARE[operator]()], [parts[1]])
        case operator if operator in CALCULATE:
            return ast.BinOp(parts[0], CALCULATE[operator](), parts[1])
        case "min" | "max" if len(parts) == 1:
            return parts[0]
        case operator:
            return ast.Call(ast.Name(operator, ast.Load()), parts, [])


def _name_tree(
    expression: Expression, indices: Mapping[str, int], constants: Mapping[str, Value], primed: bool
) -> ast.expr:
    name = expression.leaf
    if name in indices:
        if expression.operator == "primed" and not primed:
            raise expression_error(expression, f"{name}' is read in updates only, after what assigns it")
        state = ast.Name("s" if expression.operator == "name" else "n", ast.Load())
        return ast.Subscript(state, ast.Constant(indices[name]), ast.Load())
    if expression.operator == "primed":
        raise expression_error(expression, f"{name}' is not a variable; {advice(name, indices)}")
    if name in constants:
        return ast.Constant(constants[name])
    raise expression_error(expression, f"nothing is called {name!r}; {advice(name, [*indices, *constants])}")


def error_at(source: str, at: Token | Meta | UnexpectedCharacters | None, why: str) -> BadGame:
    """The error for a place in a file."""
    return BadGame(f"{source}:{at.line}:{at.column}" if at is not None else source, why)


def expression_error(expression: Expression, why: str) -> BadGame:
    """The error for an expression."""
    return error_at(expression.source, expression.at, why)


def function_of(
    expression: Expression, indices: Mapping[str, int], constants: Mapping[str, Value], arguments: str = "s"
) -> Callable[..., Any]:
    """The expression as a function of a state; what goes wrong in it is an error at its place."""
    names = [ast.arg(each) for each in arguments.split()]
    head = ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
    tree = ast.Expression(ast.Lambda(head, python_tree(expression, indices, constants, "n" in arguments.split())))
    code = compile(ast.fix_missing_locations(tree), expression.source, "eval")
    known = {name: function.compute for name, function in FUNCTIONS.items()}
    found: Callable[..., Any] = eval(code, {**known, "__builtins__": {}})
    return found


def value_of(expression: Expression, constants: Mapping[str, Value]) -> Value:
    """The value of an expression without variables."""
    found: Value = checked_value(expression, lambda: function_of(expression, {}, constants)(()))
    return found


def checked_value(expression: Expression, compute: Callable[[], Any]) -> Any:
    """What *compute* returns; arithmetic that goes wrong is an error at the expression."""
    try:
        return compute()
    except KibitzError:
        raise
    except ZeroDivisionError:
        raise expression_error(expression, "it divides by 0") from None
    except (OverflowError, ValueError, TypeError) as error:
        raise expression_error(expression, f"it cannot be computed: {error}") from None


def checked_truth(expression: Expression, compute: Callable[[], Any]) -> bool:
    """What *compute* returns, which must be true or false."""
    found = checked_value(expression, compute)
    if not isinstance(found, bool):
        raise expression_error(expression, f"it must be true or false, but is {found}")
    return found
