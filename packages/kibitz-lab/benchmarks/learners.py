"""Readable learners against scikit-learn: training on whole tables, prediction, accuracy."""

import time
from functools import cache

import numpy as np

from kibitz_lab.learn.decision_tree import C45
from kibitz_lab.learn.evaluation import evaluate_classifier
from kibitz_lab.learn.examples import Examples
from kibitz_lab.learn.feature_grammar import Grammar
from kibitz_lab.learn.programs import Program
from kibitz_lab.learn.rules import DecisionList, Progol
from kibitz_lab.testing.benchmark import Bench

ROWS, COLUMNS, TIMES = 15_000, 40, 20
EXACT = C45(least=1.0, confidence=None)
RELEASE_8 = C45(penalised=True)
"""For measured numbers, as C4.5 has done since 1996."""


def measure(bench: Bench) -> None:
    name = "sklearn"
    bench.ratio("table_training_vs_scikit_learn", our_table, their_table, least=0.5, needs=name, unit="× scikit-learn")
    bench.ratio("measured_training_vs_scikit_learn", our_fit, their_fit, least=0.2, needs=name, unit="× scikit-learn")
    bench.ratio("batch_vs_scikit_learn", our_batch, their_batch, least=0.2, needs=name, unit="× scikit-learn")
    bench.figure("table_training", [seconds(EXACT) for _ in range(bench.runs)], "s", most=5.0)
    bench.figure("progol_training", [seconds(Progol())], "s")
    bench.figure("decision_list_training", [seconds(DecisionList())], "s")
    bench.figure("accuracy_less_than_scikit_learns", points_behind(), "points", most=1.0)


@cache
def table() -> Examples:
    """Hero and bear on a line, 15,025 states (Keffer 2013, eq. 3.17)."""
    hits, places = np.arange(1, 6), np.arange(-12, 13)
    u, v, x, y = (column.ravel() for column in np.meshgrid(hits, hits, places, places, indexing="ij"))
    going_on = (x != 0) | (y == 0)
    u, v, x, y = u[going_on], v[going_on], x[going_on], y[going_on]
    won = (abs(x) < abs(y)) | ((abs(x) == abs(y)) & (u > v)) | ((abs(x) > abs(y)) & (u > v + 1))
    return Examples.of({"u": u, "v": v, "x": x, "y": y}, np.where(won, "win", "lose"))


@cache
def table_features():  # type: ignore[no-untyped-def]
    features = Grammar().features(table())
    return features, np.stack([table().feature_values(feature) for feature in features], 1)


@cache
def measured(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Continuous features, most of them noise, and three labels."""
    from sklearn.datasets import make_classification

    return make_classification(ROWS, COLUMNS, n_informative=8, n_classes=3, random_state=seed)


@cache
def examples(seed: int = 0) -> Examples:
    x, y = measured(seed)
    return Examples.of({f"f{column}": x[:, column] for column in range(COLUMNS)}, y)


def tree(**options):  # type: ignore[no-untyped-def]
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(criterion="entropy", random_state=0, **options)


def our_table() -> float:
    EXACT.learn(table(), table_features()[0])
    return 1.0


def their_table() -> float:
    tree().fit(table_features()[1], table().allowed.argmax(axis=1))
    return 1.0


def our_fit() -> float:
    RELEASE_8.learn(examples())
    return 1.0


def their_fit() -> float:
    tree(min_samples_leaf=2).fit(*measured())
    return 1.0


@cache
def ours() -> Program:
    return RELEASE_8.learn(examples())


@cache
def theirs():  # type: ignore[no-untyped-def]
    return tree(min_samples_leaf=2).fit(*measured())


def our_batch() -> float:
    return float(sum(len(ours().coded_distributions(measured()[0])) for _ in range(TIMES)))


def their_batch() -> float:
    return float(sum(len(theirs().predict_proba(measured()[0])) for _ in range(TIMES)))


def seconds(learner) -> float:  # type: ignore[no-untyped-def]
    """Of the processor, to learn the table with the features of the grammar."""
    start = time.process_time()
    learner.learn(table(), table_features()[0])
    return time.process_time() - start


def points_behind() -> list[float]:
    """By how many points scikit-learn's tree is right more often on new rows, on three sets of data."""
    found = []
    for seed in range(3):
        x, y = measured(seed)
        half = ROWS // 2
        score = tree(min_samples_leaf=2).fit(x[:half], y[:half]).score(x[half:], y[half:])
        data = examples(seed)
        program = RELEASE_8.learn(data.subset(np.arange(half)))
        found.append(100.0 * (score - evaluate_classifier(program, data.subset(np.arange(half, ROWS))).accuracy))
    return found
