"""Cross-validation of learners on example tables, by row, by game and by agent, with intervals by game."""

from collections.abc import Iterator, Mapping, Sequence
from math import log

import msgspec
import numpy as np

from kibitz_lab.arena.scoring.calibration import calibration
from kibitz_lab.arena.scoring.resampling import Resampling
from kibitz_lab.arena.statistics import Estimate, mean_interval
from kibitz_lab.arena.statistics.intervals import NOTHING
from kibitz_lab.learn.decision_tree import C45
from kibitz_lab.learn.evaluation import LEAST_SHARE, Evaluation, cross_validation
from kibitz_lab.learn.example_tables import ExampleTable, Grouping
from kibitz_lab.learn.learner import Learner
from kibitz_lab.learn.naive_bayes import NaiveBayes
from kibitz_lab.learn.shrinkage import ShrunkTree

LEARNERS: Mapping[str, Learner] = {
    "c4.5": C45(),
    "shrunk c4.5": ShrunkTree(),
    "naive bayes": NaiveBayes(),
}
FOLDS: Mapping[Grouping, int | None] = {"row": 10, "game": 10, "agent": None}
"""Ten folds of rows, as usual; ten of whole games, whose rows are dependent; and one agent left out at a time."""
RESAMPLES = 500


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a learner on held-out rows."""

    table: str
    learner: str
    left_out: Grouping
    """The unit that is held out: row, game or agent."""
    rows: int
    labels: tuple[str, ...]
    shares: tuple[float, ...]
    """The share of each label, for comparison with the accuracy."""
    accuracy: Estimate
    log_loss: Estimate
    calibration_error: Estimate
    confusion: tuple[tuple[float, ...], ...]
    """The rows by truth (row) and prediction (column)."""


def validations(tables: Sequence[ExampleTable]) -> Iterator[Validation]:
    """Validations of trees on every table, by every unit with enough groups; shrunk trees for held-out agents."""
    for table in tables:
        for left_out, folds in FOLDS.items():
            if len(table.groups(left_out)) >= (folds or 2) and len({row.label for row in table.rows}) > 1:
                yield validate_learner(table, "shrunk c4.5" if left_out == "agent" else "c4.5", left_out)


def validate_learner(table: ExampleTable, learner: str, left_out: Grouping) -> Validation:
    """One learner on one table."""
    groups = len(table.groups(left_out))
    folds = min(FOLDS[left_out] or groups, groups)  # fewer if there are not enough groups
    evaluation = cross_validation(LEARNERS[learner], table.examples(left_out), folds=folds)
    games = np.unique([row.game for row in table.rows], return_inverse=True)[1].ravel()
    resampling = Resampling(int(games.max()) + 1, resamples=RESAMPLES)
    error = calibration(evaluation.hits, evaluation.shares.max(axis=1), games, resampling).error
    return Validation(
        table=table.layout.name,
        learner=learner,
        left_out=left_out,
        rows=len(table.rows),
        labels=tuple(map(str, evaluation.labels)),
        shares=tuple(evaluation.label_shares.values()),
        accuracy=mean_interval(evaluation.hits, games, bounds=(0.0, 1.0)),
        log_loss=mean_interval(evaluation.log_losses, games, bounds=(0.0, -log(LEAST_SHARE))),
        calibration_error=error or NOTHING,
        confusion=confusion(evaluation),
    )


def confusion(evaluation: Evaluation) -> tuple[tuple[float, ...], ...]:
    """The confusion matrix as plain numbers."""
    return tuple(tuple(row) for row in evaluation.confusion.tolist())
