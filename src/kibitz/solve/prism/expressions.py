"""Expressions of PRISM: read from words, renamed, expanded, and turned into Python for speed."""

import ast
from collections.abc import Callable, Iterator, Mapping
from math import ceil, floor, log
from typing import Any, TypeAlias

import msgspec

from kibitz.core.errors import BadGame, KibitzError, advice
from kibitz.solve.prism.tokens import Token, Words, error_at

Value: TypeAlias = int | float | bool


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
        return msgspec.structs.replace(self, operands=tuple(each.map_parts(change) for each in self.operands))


TRUE = Expression("value", leaf=True)
LEVELS = (("<=>",), ("=>",), ("|",), ("&",))
RELATIONS, COMPARISONS, SUMS, PRODUCTS = ("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/")
FUNCTIONS = {"min": (1, 99), "max": (1, 99), "floor": (1, 1), "ceil": (1, 1), "round": (1, 1), "pow": (2, 2)}
FUNCTIONS |= {"mod": (2, 2), "log": (2, 2)}


class ExpressionReader:
    """Reads expressions; *primary*, if given, reads what else may stand for a value, or returns None."""

    def __init__(self, words: Words, primary: Callable[[], Expression | None] | None = None) -> None:
        self.words, self.primary = words, primary

    def read(self) -> Expression:
        """An expression: `condition ? one : other`, or simpler."""
        start = self.words.next
        first = self._binary(0)
        if not self.words.skip("?"):
            return first
        one = self.read()
        self.words.expect(":", "in `condition ? one : other`")
        return self._operation("?", (first, one, self.read()), start)

    def _operation(self, operator: str, operands: tuple[Expression, ...], at: Token) -> Expression:
        return Expression(operator, operands, at=at, source=self.words.source)

    def _leaf(self, kind: str, leaf: Any, at: Token) -> Expression:
        return Expression(kind, leaf=leaf, at=at, source=self.words.source)

    def _binary(self, level: int) -> Expression:
        """Operations from `<=>`, which binds least, to `&`."""
        if level == len(LEVELS):
            return self._negation()
        start = self.words.next
        found = self._binary(level + 1)
        while self.words.sees(*LEVELS[level]):
            operator = self.words.take().text
            found = self._operation(operator, (found, self._binary(level + 1)), start)
        return found

    def _negation(self) -> Expression:
        start = self.words.next
        if self.words.skip("!"):
            return self._operation("!", (self._negation(),), start)
        return self._chain((RELATIONS, COMPARISONS, SUMS, PRODUCTS), 0)

    def _chain(self, levels: tuple[tuple[str, ...], ...], level: int) -> Expression:
        """Operations from `=` to `/`, from left to right."""
        if level == len(levels):
            return self._signed_term()
        start = self.words.next
        found = self._chain(levels, level + 1)
        while self.words.sees(*levels[level]):
            operator = self.words.take().text
            found = self._operation(operator, (found, self._chain(levels, level + 1)), start)
        return found

    def _signed_term(self) -> Expression:
        start = self.words.next
        if self.words.skip("-"):
            return self._operation("negative", (self._signed_term(),), start)
        if self.words.sees("!"):
            return self._negation()
        return self.read_primary()

    def read_primary(self) -> Expression:
        """A number, a name, a call, or an expression in parentheses."""
        found = self.primary() if self.primary is not None else None
        if found is not None:
            return found
        token = self.words.next
        if token.kind == "number":
            self.words.take()
            whole = token.text.isdigit()
            return self._leaf("value", int(token.text) if whole else float(token.text), token)
        if self.words.skip("("):
            inside = self.read()
            self.words.expect(")", f"after {token.words}" if token.line == self.words.next.line else "")
            return inside
        if token.kind == "text":
            self.words.take()
            return self._leaf("label", token.text[1:-1], token)
        if token.kind == "name":
            return self._named_term()
        raise self.words.error(f"expected an expression, not {token.words}")

    def _named_term(self) -> Expression:
        token = self.words.take()
        if token.text in ("true", "false"):
            return self._leaf("value", token.text == "true", token)
        if token.text == "func" and self.words.skip("("):
            token = self.words.expect_name("a function")
            self.words.expect(",")
            return self._call(token)
        if token.text in FUNCTIONS and self.words.skip("("):
            return self._call(token)
        if self.words.skip("'"):
            return self._leaf("primed", token.text, token)
        if self.words.sees("("):
            raise self.words.error(f"no function {token.text!r}; {advice(token.text, FUNCTIONS)}", token)
        return self._leaf("name", token.text, token)

    def _call(self, function: Token) -> Expression:
        if function.text not in FUNCTIONS:
            raise self.words.error(f"no function {function.text!r}; {advice(function.text, FUNCTIONS)}", function)
        operands = [self.read()]
        while self.words.skip(","):
            operands.append(self.read())
        self.words.expect(")", f"after the arguments of {function.text!r}")
        least, most = FUNCTIONS[function.text]
        if not least <= len(operands) <= most:
            raise self.words.error(f"{function.text!r} takes {least} arguments, not {len(operands)}", function)
        return self._operation(function.text, tuple(operands), function)


def rename(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The expression with variables and constants renamed."""

    def change(part: Expression) -> Expression | None:
        if part.operator in ("name", "primed") and part.leaf in names:
            return msgspec.structs.replace(part, leaf=names[part.leaf])
        return None

    return expression.map_parts(change)


def expand(expression: Expression, formulas: Mapping[str, Expression]) -> Expression:
    """The expression with formulas replaced by what they stand for."""

    def change(part: Expression) -> Expression | None:
        return formulas.get(part.leaf) if part.operator == "name" else None

    return expression.map_parts(change)


COMPARE: dict[str, type[ast.cmpop]] = {"=": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt}
COMPARE |= {">=": ast.GtE, "<=>": ast.Eq}
CALCULATE: dict[str, type[ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "mod": ast.Mod}
JOIN: dict[str, type[ast.boolop]] = {"&": ast.And, "|": ast.Or}


def power(base: float, exponent: float) -> float:
    """`pow` of PRISM: whole numbers stay whole."""
    found: float = base**exponent
    return found


def logarithm(value: float, base: float) -> float:
    """`log` of PRISM: the logarithm to a base."""
    return log(value) / log(base)


def half_up(value: float) -> int:
    """`round` of PRISM: halves go up."""
    return floor(value + 0.5)


CALLS: dict[str, Any] = {"min": min, "max": max, "floor": floor, "ceil": ceil, "pow": power}
CALLS |= {"log": logarithm, "round": half_up, "__builtins__": {}}


def python_tree(
    expression: Expression, places: Mapping[str, int], constants: Mapping[str, Value], primed: bool = False
) -> ast.expr:
    """The expression in Python: variables are `s[place]`, *primed* ones `n[place]`, constants their values."""
    if expression.operator == "value":
        return ast.Constant(expression.leaf)
    if expression.operator in ("name", "primed"):
        return _name_tree(expression, places, constants, primed)
    if expression.operator == "mark":
        return ast.Subscript(ast.Name("m", ast.Load()), ast.Constant(expression.leaf), ast.Load())
    if expression.operator == "label":
        raise expression_error(expression, f'the label "{expression.leaf}" has no meaning here')
    parts = [python_tree(each, places, constants, primed) for each in expression.operands]
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
    expression: Expression, places: Mapping[str, int], constants: Mapping[str, Value], primed: bool
) -> ast.expr:
    name = expression.leaf
    if name in places:
        if expression.operator == "primed" and not primed:
            raise expression_error(expression, f"{name}' is read in updates only, after what assigns it")
        state = ast.Name("s" if expression.operator == "name" else "n", ast.Load())
        return ast.Subscript(state, ast.Constant(places[name]), ast.Load())
    if expression.operator == "primed":
        raise expression_error(expression, f"{name}' is not a variable; {advice(name, places)}")
    if name in constants:
        return ast.Constant(constants[name])
    raise expression_error(expression, f"nothing is called {name!r}; {advice(name, [*places, *constants])}")


def expression_error(expression: Expression, why: str) -> BadGame:
    """The error for an expression."""
    return error_at(expression.source, expression.at or Token("name", "", 1, 1), why)


def function_of(
    expression: Expression, places: Mapping[str, int], constants: Mapping[str, Value], arguments: str = "s"
) -> Callable[..., Any]:
    """The expression as a function of a state; what goes wrong in it is an error at its place."""
    names = [ast.arg(each) for each in arguments.split()]
    head = ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
    tree = ast.Expression(ast.Lambda(head, python_tree(expression, places, constants, "n" in arguments.split())))
    found: Callable[..., Any] = eval(compile(ast.fix_missing_locations(tree), expression.source, "eval"), dict(CALLS))
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
