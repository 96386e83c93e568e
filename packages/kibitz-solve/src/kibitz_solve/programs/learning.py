"""Learn a readable program from a solved game, with one of four learners, over variables or a small grammar."""

from fractions import Fraction
from typing import Literal, TypeAlias, get_args

import numpy as np

from kibitz.core.errors import UnknownName
from kibitz_lab.learn.decision_tree import C45, Oblique
from kibitz_lab.learn.examples import Examples, Expression, number
from kibitz_lab.learn.feature_grammar import Grammar
from kibitz_lab.learn.programs import Program
from kibitz_lab.learn.programs.program import conditions, leaves
from kibitz_lab.learn.rules import DecisionList, Mode, Progol
from kibitz_solve.programs.answers import answers_of, matters, right_answers
from kibitz_solve.programs.lessons import PLAIN, Columns, Lesson, plain_fraction
from kibitz_solve.programs.written_program import Answers, Kind, What, WrittenProgram, with_sure_leaves

LearnerName: TypeAlias = Literal["c45", "oblique", "progol", "foidl"]
KINDS: tuple[Kind, ...] = ("str", "float", "int")
DEPTH = 2
"""Default depth of the grammar."""
WEIGHT = 10.0
"""The weight of an example, large enough that even a rule for a single state pays for its length."""
CONSTANTS = tuple(float(sign * size) for size in range(11) for sign in (1, -1) if size or sign == 1)
"""The most thresholds that rules compare with."""
NEAR = 1e-6
"""A value is right if its distance from the interval is at most this."""
MODES = (Mode("<=", CONSTANTS), Mode(">=", CONSTANTS), Mode("==", CONSTANTS))
LEARNERS: dict[LearnerName, C45 | Oblique | Progol | DecisionList] = {
    "c45": C45(least=1.0, confidence=None),
    "oblique": Oblique(tree=C45(least=1.0, confidence=None, criterion="gain")),
    "progol": Progol(modes=MODES, nodes=100),
    "foidl": DecisionList(modes=MODES),
}
"""The four learners, each set to fit as closely as it can: the examples have no noise."""


def learn_program(
    lesson: Lesson,
    learner: LearnerName = "c45",
    *,
    what: What = "actions",
    depth: int = DEPTH,
) -> WrittenProgram:
    """Learn a program from *lesson*.

    *depth* is the depth of the feature grammar, 0 for the variables alone; of the programs for all depths up to it, the
    smallest is returned.
    """
    if learner not in LEARNERS:
        raise UnknownName("learner", learner, get_args(LearnerName))
    examples, answers = examples_of(lesson) if what == "actions" else value_examples(lesson)
    lesson.tell(f"learning from {len(examples):,} states")
    made = [LEARNERS[learner].learn(examples, features(examples, each)) for each in range(depth + 1)]
    program = with_sure_leaves(min(made, key=cost))
    used = {str(label): answers[str(label)] for label in program.labels}
    return WrittenProgram(repr(lesson.game), lesson.player, what, kinds_of(lesson.columns), program, used)


def features(examples: Examples, depth: int) -> tuple[Expression, ...] | None:
    """The features of a grammar of that depth; the variables if it makes none, as for a single state."""
    return Grammar(depth=depth).features(examples) or None


def cost(program: Program) -> tuple[float, int, int]:
    """The weight of the examples a program gets wrong, its number of answers, and the steps of its tests."""
    wrong = sum(leaf.errors for leaf in leaves(program.body))
    return round(wrong, 6), program.size.answers, sum(1 + each.feature.complexity for each in conditions(program.body))


def examples_of(lesson: Lesson) -> tuple[Examples, Answers]:
    """The states in which the player's choice matters, each with all its right answers."""
    answers = answers_of(lesson)
    nodes, right = right_answers(lesson, answers)
    taught = right.any(axis=1)
    kept = np.flatnonzero(taught & matters(lesson))
    if not len(kept):
        kept = np.flatnonzero(taught)
    columns = {name: [values[nodes[index]] for index in kept] for name, values in lesson.columns.items()}
    weights = np.full(len(kept), WEIGHT)
    meanings: Answers = {label: dict(mix) for label, mix in answers.items()}
    words = {name: sorted({*map(str, column)}) for name, column in lesson.columns.items() if isinstance(column[0], str)}
    return Examples.of(columns, right[kept], labels=list(answers), words=words, weights=weights), meanings


def value_examples(lesson: Lesson) -> tuple[Examples, Answers]:
    """All states, each with its value for player 0."""
    values = [simple_value(low, high) for low, high in zip(*bounds(lesson), strict=True)]
    labels = [value_text(value) for value in values]
    meanings: Answers = dict(zip(labels, values, strict=True))
    return Examples.of(lesson.columns, labels, weights=np.full(len(values), WEIGHT)), meanings


def bounds(lesson: Lesson) -> tuple[list[float], list[float]]:
    """Lower and upper bounds of all states' values for player 0."""
    solution = lesson.solution
    low, high = (each[: len(lesson)] + solution.game.infinite_play for each in (solution.low, solution.high))
    return low.tolist(), high.tolist()


def simple_value(low: float, high: float) -> float:
    """A fraction with a small denominator in the interval, if there is one, else its middle."""
    middle = (low + high) / 2.0
    fraction = float(Fraction(middle).limit_denominator(PLAIN))
    return fraction if low - NEAR <= fraction <= high + NEAR else round(middle, 6)


def value_text(value: float) -> str:
    """The label of a value."""
    fraction = plain_fraction(value)
    return number(value) if fraction is None else str(fraction)


def kinds_of(columns: Columns) -> dict[str, Kind]:
    """The type of each variable; of several types, the one that can hold all values."""
    found: dict[str, Kind] = {}
    for name, values in columns.items():
        kinds = {type(value).__name__ for value in values}
        found[name] = next(kind for kind in KINDS if kind in kinds)
    return found
