"""Programs as flat arrays for kernels; a list of rules becomes a chain of tests."""

from typing import NamedTuple

import numpy as np

from kibitz.learn.examples import Floats, Ints
from kibitz.learn.expressions import MULTIPLE, VARIABLE, Expression
from kibitz.learn.programs import flat_kernels
from kibitz.learn.programs.conditions import OPERATORS, Condition
from kibitz.learn.programs.program import Choice, Leaf, Program, RuleList, Split, Tree


class FlatProgram(NamedTuple):
    """The arrays in the order in which kernels take them."""

    nodes: Ints
    bounds: Floats
    steps: Ints
    factors: Floats
    children: Ints
    parts: Floats
    answers: Floats

    def room(self) -> tuple[Floats, Ints, Floats]:
        """Working space for `flat_kernels.shares_of`."""
        return np.empty(len(self.steps) + 1), np.empty(len(self.nodes) + 1, np.int64), np.empty(len(self.nodes) + 1)

    def distributions(self, rows: Floats) -> Floats:
        """The shares of all labels for every row of coded values."""
        out = np.empty((len(rows), self.answers.shape[1]))
        flat_kernels.all_shares(*self, np.ascontiguousarray(rows), *self.room(), out)
        return out


def flatten_program(program: Program) -> FlatProgram:
    """The arrays of a program."""
    builder = Builder(program)
    builder.place(program.body)
    return builder.flat_program()


class Builder:
    """Lays out nodes one after another; every row begins at the first."""

    def __init__(self, program: Program) -> None:
        self.column = {column.name: place for place, column in enumerate(program.columns)}
        self.words = {column.name: column.values for column in program.columns}
        self.nodes: list[list[int]] = []
        self.bounds: list[float] = []
        self.steps: list[tuple[int, int]] = []
        self.factors: list[float] = []
        self.children: list[int] = []
        self.parts: list[float] = []
        self.answers: list[tuple[float, ...]] = []

    def flat_program(self) -> FlatProgram:
        steps = np.array(self.steps, np.int64).reshape(-1, 2)
        ways = np.array(self.children, np.int64), np.array(self.parts)
        nodes, bounds = np.array(self.nodes, np.int64), np.array(self.bounds)
        return FlatProgram(nodes, bounds, steps, np.array(self.factors), *ways, np.array(self.answers))

    def place(self, body: Tree | RuleList) -> int:
        """Lay out a node and all below it; return its place."""
        if isinstance(body, Leaf):
            self.answers.append(body.shares)
            return self.node(flat_kernels.LEAF, answer=len(self.answers) - 1)
        if isinstance(body, Split):
            at = self.test(body.condition, (body.share, 1.0 - body.share))
            self.link(at, 0, self.place(body.yes))
            self.link(at, 1, self.place(body.no))
            return at
        if isinstance(body, Choice):
            at = self.node(flat_kernels.BY_VALUE, feature=Expression.of(body.variable), parts=body.shares)
            for way, branch in enumerate(body.branches):
                self.link(at, way, self.place(branch))
            return at
        return self.chain(body)

    def chain(self, rules: RuleList) -> int:
        """Lay out rules: if a test fails, or its value is missing, the next rule is tried."""
        first = len(self.nodes)
        failing: list[int] = []
        for rule in rules.rules:
            start = len(self.nodes)
            for at in failing:
                self.link(at, 1, start)
            failing = []
            for condition in rule.conditions:
                failing.append(self.test(condition, (0.0, 1.0)))
                self.link(failing[-1], 0, failing[-1] + 1)
            self.place(rule.leaf)
        default = self.place(rules.default)
        for at in failing:
            self.link(at, 1, default)
        return first

    def test(self, condition: Condition, parts: tuple[float, ...]) -> int:
        """Lay out a comparison, whose children are linked later."""
        bound = condition.bound
        if isinstance(bound, str):
            bound = float(self.words[str(condition.feature)].index(bound))
        return self.node(flat_kernels.AT_MOST + OPERATORS.index(condition.operator), bound, condition.feature, parts)

    def node(
        self,
        kind: int,
        bound: float = 0.0,
        feature: Expression | None = None,
        parts: tuple[float, ...] = (),
        answer: int = 0,
    ) -> int:
        """Lay out one node; return its place."""
        start = len(self.steps)
        for operation, argument in feature.steps if feature is not None else ():
            self.steps.append((operation, self.column[str(argument)] if operation == VARIABLE else 0))
            self.factors.append(float(argument) if operation == MULTIPLE else 1.0)
        self.nodes.append([kind, start, len(self.steps), len(self.children), len(parts), answer])
        self.bounds.append(bound)
        self.parts += parts
        self.children += [0] * len(parts)
        return len(self.nodes) - 1

    def link(self, at: int, way: int, child: int) -> None:
        """Link a child to a node."""
        self.children[self.nodes[at][flat_kernels.FIRST_CHILD] + way] = child
