"""Parse a program from Python source without running it: `GAME`, `PLAYER` and one function of tests and answers.

It reads what `source` writes, and also what a person changed or wrote by hand in the same parts: `if` with comparisons
of sums joined by `and`, `else`, and `return`. It refuses anything else in the file, and names the line.
"""

import ast
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NoReturn, cast

from kibitz.core.errors import BadProgram
from kibitz.core.files import read_text
from kibitz_lab.learn.examples import LARGEST, Column, Expression, variable
from kibitz_lab.learn.programs import Condition, Leaf, Program, Rule, RuleList, Split, Tree
from kibitz_lab.learn.programs.balance import Terms, merge_terms
from kibitz_lab.learn.programs.program import Operator
from kibitz_solve.programs.answers import label_of
from kibitz_solve.programs.learning import value_text
from kibitz_solve.programs.source import FUNCTIONS, check_suffix, main_lines
from kibitz_solve.programs.written_program import OTHER, Answers, Kind, What, WrittenProgram, with_sure_leaves

MOST_BYTES = 1_000_000
"""Longer files are not programs for people to read."""
KINDS = ("int", "float", "str")
COMPARISONS: dict[type[ast.cmpop], Operator] = {
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Lt: "<",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
Body = Tree | RuleList


def read_program(path: Path | str) -> WrittenProgram:
    """Read a program from a file, without running anything in it."""
    check_suffix(path)
    return read_source(read_text(path, BadProgram, largest=MOST_BYTES, latin=False), path)


def read_source(text: str, source: object = "program") -> WrittenProgram:
    """Parse the program in *text*; errors name *source*."""
    try:
        module = ast.parse(text)
        return Reader(source).module(module)
    except SyntaxError as error:
        raise BadProgram(source, f"it is not valid Python: {error.msg}", error.lineno) from None
    except (ValueError, MemoryError, RecursionError) as error:
        if isinstance(error, BadProgram):
            raise
        raise BadProgram(source, "it is not Python that can be parsed") from None


class Reader:
    """Reads one module."""

    def __init__(self, source: object) -> None:
        self.source = source
        self.kinds: dict[str, Kind] = {}
        self.what: What = "actions"
        self.answers: Answers = {}
        self.words: dict[str, list[str]] = {}

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        raise BadProgram(self.source, why, getattr(node, "lineno", None))

    def module(self, module: ast.Module) -> WrittenProgram:
        """The whole file."""
        constants: dict[str, object] = {}
        body: Body | None = None
        for index, statement in enumerate(module.body):
            match statement:
                case ast.Expr(value=ast.Constant(value=str())) if index == 0:
                    continue
                case ast.Assign(targets=[ast.Name(id="GAME" | "PLAYER" as name)], value=ast.Constant(value=value)):
                    constants[name] = value
                case ast.FunctionDef() if body is None:
                    body = self.function(statement)
                case ast.If() if body is not None and self.is_main(statement):
                    continue
                case _:
                    self.refuse(statement, "only GAME, PLAYER and one function belong here; nothing in it is run")
        game, player = constants.get("GAME"), constants.get("PLAYER")
        if not isinstance(game, str) or not game:
            self.refuse(module, "it does not say which GAME it was written for")
        if isinstance(player, bool) or player not in (0, 1):
            self.refuse(module, "it does not say which PLAYER it plays, 0 or 1")
        if body is None:
            self.refuse(module, f"it has no function named {' or '.join(FUNCTIONS.values())}")
        columns = tuple(Column(name, self.values(name)) for name in self.kinds)
        program = with_sure_leaves(Program("read", columns, tuple(self.answers), body))
        return WrittenProgram(game, int(player), self.what, self.kinds, program, self.answers)

    def values(self, name: str) -> tuple[str, ...]:
        """The words that a variable is compared with, and one for all other words; empty for a number."""
        return (*self.words.get(name, ()), OTHER) if self.kinds[name] == "str" else ()

    def is_main(self, statement: ast.If) -> bool:
        """Whether a statement is the `if __name__ == "__main__"` that makes the module a command."""
        usual = ast.parse("\n".join(main_lines(FUNCTIONS[self.what], self.kinds))).body[0]
        return ast.dump(statement) == ast.dump(usual)

    def function(self, function: ast.FunctionDef) -> Body:
        """The function: its variables, what it answers, and how."""
        names = {name: what for what, name in FUNCTIONS.items()}
        if function.name not in names:
            self.refuse(function, f"the function is named {function.name}, not {' or '.join(names)}")
        self.what = cast(What, names[function.name])
        given = function.args
        if (
            function.decorator_list
            or given.vararg
            or given.kwarg
            or given.kwonlyargs
            or given.posonlyargs
            or given.defaults
        ):
            self.refuse(function, "it takes the variables of a state by their names, and nothing else")
        for argument in given.args:
            if not isinstance(argument.annotation, ast.Name) or argument.annotation.id not in KINDS:
                self.refuse(argument, f"{argument.arg} must be one of {', '.join(KINDS)}")
            self.kinds[argument.arg] = cast(Kind, argument.annotation.id)
        statements = function.body
        if isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Constant):
            statements = statements[1:]
        if is_tree(statements):
            return self.tree(statements)
        rules = self.rules(statements, ())
        if not rules or rules[-1].conditions:
            self.refuse(function, "it may end without an answer; end it with a return")
        first = next(index for index, rule in enumerate(rules) if not rule.conditions)
        return RuleList(tuple(rules[:first]), rules[first].leaf)

    def tree(self, statements: Sequence[ast.stmt]) -> Tree:
        """Statements as a tree: every test is one comparison, and every branch ends in an answer."""
        first, rest = statements[0], statements[1:]
        if isinstance(first, ast.If):
            (condition,) = self.conditions(first.test)
            return Split(condition, self.tree(first.body), self.tree([*first.orelse, *rest]), 0.5)
        return self.leaf(first)

    def rules(self, statements: Sequence[ast.stmt], path: tuple[Condition, ...]) -> list[Rule]:
        """Statements as rules in order; if a test does not hold, the next rule is tried."""
        found: list[Rule] = []
        for statement in statements:
            if not isinstance(statement, ast.If):
                return [*found, Rule(path, self.leaf(statement))]
            found += self.rules(statement.body, (*path, *self.conditions(statement.test)))
            if statement.orelse and not answers_always(statement.body):
                self.refuse(statement, "it has an else, but the branch before it may end without an answer")
            found += self.rules(statement.orelse, path)
            if statement.orelse and answers_always(statement.orelse):
                return found
        return found

    def conditions(self, test: ast.expr) -> list[Condition]:
        """The comparisons of a test, all of which must hold."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return [condition for value in test.values for condition in self.conditions(value)]
        if not isinstance(test, ast.Compare):
            self.refuse(test, "a test is a comparison, or several joined by 'and'")
        sides = [test.left, *test.comparators]
        return [self.condition(*pair, test) for pair in zip(sides, test.ops, sides[1:], strict=False)]

    def condition(self, left: ast.expr, operator: ast.cmpop, right: ast.expr, test: ast.expr) -> Condition:
        """One comparison."""
        sign = COMPARISONS.get(type(operator))
        if sign is None:
            self.refuse(test, "numbers are compared by <, <=, >, >=, == or !=")
        if isinstance(left, ast.Name) and isinstance(right, ast.Constant) and isinstance(right.value, str):
            if self.kinds.get(left.id) != "str" or sign not in ("==", "!="):
                self.refuse(test, f"{left.id} is not a word, so it cannot be compared with {right.value!r}")
            words = self.words.setdefault(left.id, [])
            words += [right.value] if right.value not in words else []
            return Condition(variable(left.id), sign, right.value)
        (ours, constant), (theirs, other) = self.sum(left), self.sum(right)
        terms = merge_terms([*ours, *((-factor, part) for factor, part in theirs)])
        if not terms:
            self.refuse(test, "it compares two constants")
        return Condition(Expression.weighted_sum(*zip(*terms, strict=True)), sign, other - constant)

    def sum(self, node: ast.expr) -> tuple[Terms, float]:
        """A side of a comparison: the terms of its sum, and the constant."""
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return [], self.number(node, value)
            case ast.Name(id=name) if self.kinds.get(name, "str") != "str":
                return [(1.0, variable(name))], 0.0
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return scale_side(self.sum(operand), -1.0)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=right):
                (one, constant), (other, another) = self.sum(left), self.sum(right)
                factor = 1.0 if isinstance(sign, ast.Add) else -1.0
                other, another = scale_side((other, another), factor)
                return [*one, *other], constant + another
            case ast.BinOp(left=ast.Constant(value=int() | float() as value), op=ast.Mult(), right=right):
                return scale_side(self.sum(right), self.number(node, value))
            case ast.Call(func=ast.Name(id="abs"), args=[argument], keywords=[]):
                inner, constant = self.sum(argument)
                if inner and constant == 0.0:
                    return [(1.0, abs(Expression.weighted_sum(*zip(*inner, strict=True))))], 0.0
        return self.refuse(
            node, f"'{ast.unparse(node)[:60]}' is not a sum of numbers, variables of the state and abs() of them"
        )

    def leaf(self, statement: ast.stmt) -> Leaf:
        """An answer."""
        if not isinstance(statement, ast.Return) or statement.value is None:
            self.refuse(statement, "only 'if' and 'return' can be read")
        if self.what == "value":
            value = self.share(statement.value)
            return self.make_leaf(value_text(value), value)
        if not isinstance(statement.value, ast.Dict) or not statement.value.keys:
            self.refuse(statement, 'an answer is written as {"action": probability, ...}')
        mix: dict[str, float] = {}
        for key, value_node in zip(statement.value.keys, statement.value.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str) or key.value in mix:
                self.refuse(statement, "an answer names every action once, as text")
            mix[key.value] = self.share(value_node)
        if min(mix.values()) < 0.0 or abs(sum(mix.values()) - 1.0) > 1e-9:
            self.refuse(
                statement, f"its probabilities must be at least 0 and add up to 1, not to {sum(mix.values()):g}"
            )
        kept = {action: share for action, share in mix.items() if share > 0.0}
        return self.make_leaf(label_of(tuple(kept.items())), kept)

    def make_leaf(self, label: str, answer: dict[str, float] | float) -> Leaf:
        """A leaf; its answer is stored under its label."""
        self.answers[label] = answer
        return Leaf(label, ())

    def share(self, node: ast.expr) -> float:
        """A number: 0.5, or 1 / 3."""
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return self.number(node, value)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.share(operand)
            case ast.BinOp(
                left=ast.Constant(value=int() as upper), op=ast.Div(), right=ast.Constant(value=int() as lower)
            ):
                if lower:
                    return self.number(node, Fraction(upper, lower))
        return self.refuse(node, "a number is written like 0.5 or 1 / 3")

    def number(self, node: ast.expr, value: float | Fraction) -> float:
        """A numeric constant."""
        if not -LARGEST <= value <= LARGEST:
            self.refuse(node, f"a number is at most {LARGEST:g}")
        return float(value)


def is_tree(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements test one comparison at a time, and answer in every branch and at the end."""
    if not statements:
        return False
    first = statements[0]
    if not isinstance(first, ast.If):
        return isinstance(first, ast.Return)
    single = isinstance(first.test, ast.Compare) and len(first.test.ops) == 1
    return single and is_tree(first.body) and is_tree([*first.orelse, *statements[1:]])


def answers_always(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements always return an answer."""
    for statement in statements:
        if not isinstance(statement, ast.If):
            return True
        if statement.orelse and answers_always(statement.body) and answers_always(statement.orelse):
            return True
    return False


def scale_side(side: tuple[Terms, float], factor: float) -> tuple[Terms, float]:
    """A side times a factor."""
    return [(factor * each, part) for each, part in side[0]], factor * side[1]
