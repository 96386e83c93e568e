"""A learned program: a tree of tests, or rules in order with a default, over named variables.

Every leaf holds its label and the shares of all labels, so a program answers with a label or with a distribution.
If a value is missing, a tree follows all branches by their weight (Quinlan 1993, ch. 3), and a rule does not apply.
A test compares an expression with a number, or a nominal variable with one of its words.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np

from kibitz.core.errors import BadProgram, UnknownName, printable
from kibitz_lab.learn.examples import Column, Examples, Expression, Flags, Floats, Ints, Label, coded_row, number

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


INDENT = "    "
Decoded = TypeVar("Decoded")


class Leaf(msgspec.Struct, frozen=True, tag="leaf"):
    """An answer: its label, the shares of all labels of the program, and the weight of its examples."""

    label: Label
    shares: tuple[float, ...]
    weight: float = 0.0
    """The weight of the examples that reached the leaf."""
    errors: float = 0.0
    """The weight of those for which the label is wrong."""


class Split(msgspec.Struct, frozen=True, tag="split"):
    """Two branches, by a condition."""

    condition: Condition
    yes: "Tree"
    no: "Tree"
    share: float
    """The share of the weight that goes to *yes* if the value is missing."""


class Choice(msgspec.Struct, frozen=True, tag="choice"):
    """A branch for every word of a nominal variable."""

    variable: str
    values: tuple[str, ...]
    branches: tuple["Tree", ...]
    shares: tuple[float, ...]
    """The share of the weight for each branch if the value is missing."""


Tree = Leaf | Split | Choice


class Rule(msgspec.Struct, frozen=True):
    """An answer that applies if all conditions hold."""

    conditions: tuple[Condition, ...]
    leaf: Leaf


class RuleList(msgspec.Struct, frozen=True, tag="rules"):
    """The first rule that applies answers; if none does, the default."""

    rules: tuple[Rule, ...]
    default: Leaf


Body = Leaf | Split | Choice | RuleList


class Size(NamedTuple):
    """The size of a program: answers (leaves, or rules and the default), tests, and the most tests on a path."""

    answers: int
    tests: int
    depth: int


class Program(msgspec.Struct, frozen=True):
    """A program written by a learner."""

    learner: str
    columns: tuple[Column, ...]
    labels: tuple[Label, ...]
    body: Leaf | Split | Choice | RuleList

    def predict(self, row: Mapping[str, Any] | Sequence[Any]) -> Label:
        """The label of one row, given by name or in the order of the columns."""
        shares = self.shares(row)
        return self.labels[shares.index(max(shares))]

    def distribution(self, row: Mapping[str, Any] | Sequence[Any]) -> dict[Label, float]:
        """The share of every label for one row."""
        return dict(zip(self.labels, self.shares(row), strict=True))

    def shares(self, row: Mapping[str, Any] | Sequence[Any]) -> list[float]:
        """The shares in the order of the labels."""
        shares: list[float] = self.coded_distributions(np.array([coded_row(self.columns, row)]))[0].tolist()
        return shares

    def distributions(self, examples: Examples) -> Floats:
        """The shares of every label for every example."""
        return self.coded_distributions(self.matrix(examples))

    def coded_distributions(self, values: Floats) -> Floats:
        """The same for rows of coded values, nan where one is missing."""
        found = _Evaluation(self, values)
        found.add(self.body, np.arange(len(values)), np.ones(len(values)))
        return found.shares

    def predictions(self, examples: Examples) -> Ints:
        """The places of the likeliest labels among `labels`."""
        found: Ints = self.distributions(examples).argmax(axis=1)
        return found

    def matrix(self, examples: Examples) -> Floats:
        """The columns of the program, in its order and with its codes for words."""
        given = {column.name: column for column in examples.columns}
        made = np.empty((len(examples), len(self.columns)))
        for place, column in enumerate(self.columns):
            if column.name not in given:
                raise UnknownName("column", column.name, list(given))
            made[:, place] = examples.by_name[column.name]
            words = given[column.name].values
            if words != column.values:
                recoded = np.array([column.encode_value(word, f"column {column.name!r}") for word in words])
                known = ~np.isnan(made[:, place])
                made[known, place] = recoded[made[known, place].astype(np.int64)]
        return made

    @property
    def size(self) -> Size:
        """The number of answers and tests, and the depth."""
        if isinstance(self.body, RuleList):
            lengths = [len(rule.conditions) for rule in self.body.rules]
            return Size(len(lengths) + 1, sum(lengths), sum(lengths))
        return tree_size(self.body)

    def lines(self) -> list[str]:
        """The program as pseudo-code."""
        if isinstance(self.body, RuleList):
            return [*(rule_line(rule) for rule in self.body.rules), f"otherwise {answer(self.body.default)}"]
        return list(tree_lines(self.body, ""))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def to_json(self) -> bytes:
        """The program as JSON; features are written as text."""
        return msgspec.json.format(msgspec.json.encode(self, enc_hook=str), indent=1)

    @classmethod
    def from_json(cls, text: bytes | str, source: object = "program") -> "Program":
        """Read a program that `to_json` wrote; errors name *source*."""
        made = decode_program(text, cls, source)
        for fault in made.faults():
            raise BadProgram(source, fault)
        return made

    def faults(self) -> Iterator[str]:
        """The faults of a program that was not written by a learner."""
        known = {column.name: column for column in self.columns}
        for leaf in leaves(self.body):
            if len(leaf.shares) != len(self.labels) or leaf.label not in self.labels:
                yield f"a leaf says {leaf.label!r} with {len(leaf.shares)} shares, but the labels are {self.labels}"
        for condition in conditions(self.body):
            unknown = [name for name in condition.feature.variables if name not in known]
            if unknown:
                yield f"condition {condition} names {unknown[0]!r}, which is not a column"
            elif isinstance(condition.bound, str) and condition.bound not in known[str(condition.feature)].values:
                yield f"condition {condition} names a value that its column does not have"
        for choice in choices(self.body):
            column = known.get(choice.variable)
            ways = {len(choice.values), len(choice.branches), len(choice.shares)}
            if column is None or column.values != choice.values or len(ways) > 1:
                yield f"the branches for {choice.variable!r} are not one for each value of that column"


class _Evaluation:
    """The evaluation of a program for many rows at once: each branch for the rows that reach it."""

    def __init__(self, program: Program, values: Floats) -> None:
        self.columns = {column.name: values[:, place] for place, column in enumerate(program.columns)}
        self.words = {column.name: column.values for column in program.columns}
        self.shares = np.zeros((len(values), len(program.labels)))

    def add(self, body: Body, rows: Ints, weights: Floats) -> None:
        """Add what a part of the program answers for *rows*, each with the *weight* that reaches it."""
        if not len(rows):
            return
        match body:
            case Leaf():
                self.shares[rows] += weights[:, None] * np.array(body.shares)
            case Split():
                holds = self.truths(body.condition, rows)
                self.add_branch(body.yes, rows, weights, holds == 1.0, np.isnan(holds), body.share)
                self.add_branch(body.no, rows, weights, holds == 0.0, np.isnan(holds), 1.0 - body.share)
            case Choice():
                chosen = self.columns[body.variable][rows]
                for word, (branch, share) in enumerate(zip(body.branches, body.shares, strict=True)):
                    self.add_branch(branch, rows, weights, chosen == word, np.isnan(chosen), share)
            case RuleList():
                left = np.ones(len(rows), np.bool_)
                for rule in body.rules:
                    applies = left.copy()
                    for condition in rule.conditions:
                        applies &= self.truths(condition, rows) == 1.0
                    self.add(rule.leaf, rows[applies], weights[applies])
                    left &= ~applies
                self.add(body.default, rows[left], weights[left])

    def add_branch(self, branch: Tree, rows: Ints, weights: Floats, taken: Flags, missing: Flags, share: float) -> None:
        """Add a branch for the rows that take it, and with its *share* for those whose value is missing."""
        reached = taken | missing if share > 0.0 else taken
        self.add(branch, rows[reached], np.where(missing, weights * share, weights)[reached])

    def truths(self, condition: Condition, rows: Ints) -> Floats:
        """Whether a condition holds: 1, or 0, or nan where a value it needs is missing."""
        feature, bound = condition.feature, condition.bound
        if isinstance(bound, str):
            condition = Condition(feature, condition.operator, float(self.words[str(feature)].index(bound)))
        values = feature.evaluate({name: self.columns[name][rows] for name in feature.variables})
        found: Floats = np.where(np.isnan(values), np.nan, condition.compare_value(values))
        return found


def answer(leaf: Leaf) -> str:
    """A leaf in words: its label, and how often that was wrong."""
    wrong = f", {leaf.errors:g} wrong" if leaf.errors > 1e-9 else ""
    return f"{leaf.label} ({leaf.weight:g} cases{wrong})"


def tree_lines(tree: Tree, indent: str) -> Iterator[str]:
    """A tree as indented pseudo-code."""
    if isinstance(tree, Leaf):
        yield f"{indent}{answer(tree)}"
    elif isinstance(tree, Split):
        yield f"{indent}if {tree.condition.words()}:"
        yield from tree_lines(tree.yes, indent + INDENT)
        yield f"{indent}otherwise:"
        yield from tree_lines(tree.no, indent + INDENT)
    else:
        for value, branch in zip(tree.values, tree.branches, strict=True):
            yield f"{indent}if {tree.variable} is {value}:"
            yield from tree_lines(branch, indent + INDENT)


def rule_line(rule: Rule) -> str:
    """A rule in words."""
    tested = " and ".join(condition.words() for condition in rule.conditions)
    return f"if {tested}: {answer(rule.leaf)}" if tested else f"always {answer(rule.leaf)}"


def branches(tree: Tree) -> tuple[Tree, ...]:
    """The trees directly below."""
    if isinstance(tree, Split):
        return tree.yes, tree.no
    return tree.branches if isinstance(tree, Choice) else ()


def nodes(body: Tree | RuleList) -> Iterator[Tree]:
    """Every node of a tree, or every answer of a list."""
    if isinstance(body, RuleList):
        yield from (rule.leaf for rule in body.rules)
        yield body.default
        return
    yield body
    for branch in branches(body):
        yield from nodes(branch)


def with_leaves(body: Body, change: Callable[[Leaf], Leaf]) -> Body:
    """The same tests with every answer changed."""

    def change_tree(tree: Tree) -> Tree:
        if isinstance(tree, Split):
            return msgspec.structs.replace(tree, yes=change_tree(tree.yes), no=change_tree(tree.no))
        if isinstance(tree, Choice):
            return msgspec.structs.replace(tree, branches=tuple(change_tree(branch) for branch in tree.branches))
        return change(tree)

    if not isinstance(body, RuleList):
        return change_tree(body)
    rules = tuple(Rule(rule.conditions, change(rule.leaf)) for rule in body.rules)
    return RuleList(rules, change(body.default))


def leaves(body: Tree | RuleList) -> Iterator[Leaf]:
    """Every answer."""
    return (node for node in nodes(body) if isinstance(node, Leaf))


def choices(body: Tree | RuleList) -> Iterator[Choice]:
    """Every node with a branch for each word."""
    return (node for node in nodes(body) if isinstance(node, Choice))


def conditions(body: Tree | RuleList) -> Iterator[Condition]:
    """Every condition."""
    if isinstance(body, RuleList):
        return (condition for rule in body.rules for condition in rule.conditions)
    return (node.condition for node in nodes(body) if isinstance(node, Split))


def paths(tree: Tree) -> Iterator[tuple[tuple[Condition, ...], Leaf]]:
    """Every leaf with the conditions that lead to it."""
    if isinstance(tree, Leaf):
        yield (), tree
    elif isinstance(tree, Split):
        for condition, branch in ((tree.condition, tree.yes), (tree.condition.opposite(), tree.no)):
            yield from (((condition, *path), leaf) for path, leaf in paths(branch))
    else:
        for value, branch in zip(tree.values, tree.branches, strict=True):
            chosen = Condition(Expression.of(tree.variable), "==", value)
            yield from (((chosen, *path), leaf) for path, leaf in paths(branch))


def tree_size(tree: Tree) -> Size:
    """Leaves, tests and depth of a tree."""
    below = [tree_size(branch) for branch in branches(tree)]
    if not below:
        return Size(1, 0, 0)
    return Size(
        sum(size.answers for size in below), 1 + sum(size.tests for size in below), 1 + max(s.depth for s in below)
    )


def decode_program(text: bytes | str, kind: type[Decoded], source: object) -> Decoded:
    """Decode JSON that holds a program, or is one; features are read from text."""
    try:
        return msgspec.json.decode(text, type=kind, dec_hook=_expression)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadProgram(source, printable(str(error))) from None


def _expression(kind: type, text: Any) -> Expression:
    """Reads features, the only objects in a program that JSON does not know."""
    if kind is Expression and isinstance(text, str):
        return Expression.of(text)
    raise BadProgram("program", f"a feature must be text, not {text!r}")
