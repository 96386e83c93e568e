"""Turns clauses into a program: what every rule answers, and which rules and conditions can be left out."""

from typing import NamedTuple

import numpy as np

from kibitz_lab.learn.examples import Examples, Flags, Ints
from kibitz_lab.learn.programs import Leaf, Program, Rule, RuleList
from kibitz_lab.learn.rules.literals import Background


class LabelledClause(NamedTuple):
    """A clause, as places of its literals in the background, and the label it stands for."""

    literals: tuple[int, ...]
    label: int


class Theory(NamedTuple):
    """Sayings in order, and the label if none applies."""

    background: Background
    sayings: tuple[LabelledClause, ...]
    default: int

    @property
    def labels(self) -> list[int]:
        """The labels of all sayings and the default."""
        return [*(saying.label for saying in self.sayings), self.default]

    @property
    def length(self) -> int:
        """The number of literals of all sayings."""
        return sum(1 + len(saying.literals) for saying in self.sayings)

    def deciding(self) -> Ints:
        """The number of the saying that decides each example; the default has the number after the last."""
        found = np.full(self.background.holds.shape[1], len(self.sayings))
        for place in range(len(self.sayings) - 1, -1, -1):
            found[self.background.covered_examples(self.sayings[place].literals)] = place
        return found

    def right(self) -> Flags:
        """Whether it is right for each example."""
        allowed = self.background.examples.allowed
        return np.asarray(allowed[np.arange(len(allowed)), np.array(self.labels)[self.deciding()]], np.bool_)

    def cost(self) -> tuple[float, int]:
        """The weight of the examples it is wrong for, then its length."""
        return round(float(self.background.examples.weights[~self.right()].sum()), 6), self.length

    def without(self, place: int, literal: int | None = None) -> "Theory":
        """The theory without one saying, or without one of its literals."""
        before, here, after = self.sayings[:place], self.sayings[place], self.sayings[place + 1 :]
        if literal is None:
            return self._replace(sayings=(*before, *after))
        shorter = tuple(each for each in here.literals if each != literal)
        return self._replace(sayings=(*before, here._replace(literals=shorter), *after))


def plain_theory(background: Background) -> Theory:
    """The theory that always gives the label that is right most often."""
    examples = background.examples
    default, _ = examples.best_label(np.arange(len(examples)), examples.weights)
    return Theory(background, (), default)


def shorten_theory(theory: Theory) -> Theory:
    """The theory without superfluous sayings and literals."""
    errors, _ = theory.cost()
    place = 0
    while place < len(theory.sayings):
        literals = theory.sayings[place].literals
        smaller = [theory.without(place), *(theory.without(place, each) for each in literals if len(literals) > 1)]
        as_good = next((each for each in smaller if each.cost()[0] <= errors), None)
        theory, place = (theory, place + 1) if as_good is None else (as_good, place)
    return theory


def theory_program(learner: str, theory: Theory) -> Program:
    """The theory as a program; its leaves hold the label shares of the examples they decide."""
    decided, examples = theory.deciding(), theory.background.examples
    answers = [leaf(examples, np.flatnonzero(decided == place), label) for place, label in enumerate(theory.labels)]
    rules = []
    for saying, answer in zip(theory.sayings, answers, strict=False):
        rules.append(Rule(tuple(theory.background.literals[literal] for literal in saying.literals), answer))
    return Program(learner, examples.columns, examples.labels, RuleList(tuple(rules), answers[-1]))


def leaf(examples: Examples, rows: Ints, label: int) -> Leaf:
    """The answer for *rows*: rows for which the label is right count for it, the others for their own right label."""
    weights = examples.weights[rows]
    right = examples.allowed[rows, label]
    counts = np.bincount(np.where(right, label, examples.choose_labels(rows, weights)), weights, len(examples.labels))
    if len(rows) == 0:
        counts[label] = 1.0
    shares = tuple((counts / counts.sum()).tolist())
    return Leaf(examples.labels[label], shares, float(weights.sum()), float(weights[~right].sum()))
