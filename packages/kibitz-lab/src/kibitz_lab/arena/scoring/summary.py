"""The figures of a model on a question, each with its interval."""

from math import log

import msgspec
import numpy as np

from kibitz_lab.arena.scoring.calibration import Calibration, bin_of, calibration
from kibitz_lab.arena.scoring.columns import FLOOR, WON, Columns, PlayerAnswers, Question
from kibitz_lab.arena.scoring.resampling import Line, Resampling
from kibitz_lab.arena.scoring.results import ACTION, UNIFORM
from kibitz_lab.arena.statistics.intervals import Bounds, Counts, Estimate, Floats, difference_bounds

BINS = 10
"""Number of parts of a game in the curves."""
MOST = 20
"""Number of largest groups that are shown; the rest form one more."""
OTHERS = "(others)"
GROUPINGS = ("class", "strategy", "outcome", "player")
SHARE: Bounds = (0.0, 1.0)
LOSSES: Bounds = (0.0, -log(FLOOR))
BRIER: Bounds = (0.0, 2.0)


class Figures(msgspec.Struct, frozen=True):
    """The figures of some answers; None if there are no answers for one."""

    events: int
    """Number of answers."""
    games: int
    accuracy: Estimate | None = None
    """How often the truth was the likeliest; ties count by their share."""
    top: Estimate | None = None
    """How often it was among the first *top*."""
    log_loss: Estimate | None = None
    floored: Estimate | None = None
    """The share of answers that gave the truth less than FLOOR, for which log loss uses FLOOR."""
    brier: Estimate | None = None
    convergence: Estimate | None = None
    """The fraction of the game after which the likeliest label stays right to the end; 1 if it never does."""
    unconverged: Estimate | None = None
    """The share of players and games for which it never does."""
    changes: Estimate | None = None
    """Changes of the likeliest label, per player and game."""


class Step(msgspec.Struct, frozen=True):
    """The answers given when a fraction from *low* to *high* of the game had been seen."""

    low: float
    high: float
    events: int
    accuracy: Estimate | None
    log_loss: Estimate | None


class Timing(msgspec.Struct, frozen=True, eq=False):
    """Median times in microseconds. Any two timings are equal: times are not part of the result."""

    observe_median: float | None = None
    answer_median: float | None = None
    """Time of `predict` or `belief`, for one player."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timing)

    def __hash__(self) -> int:
        return 0


class ScoreRow(msgspec.Struct, frozen=True):
    """A model on a question."""

    model: str
    baseline: bool
    """Whether this is the uniform baseline, not a model."""
    figures: Figures
    calibration: Calibration
    steps: list[Step]
    by: dict[str, dict[str, Figures]]
    """The figures by class (the true label), strategy, outcome and player."""
    difference: dict[str, Estimate] | None
    """This model's figures minus the first one's, over the answers that both gave."""
    silent: int
    """Number of missing answers; they count as those of the baseline."""
    broken: int
    """Number of games in which the model raised; its answers up to there count."""
    error: str | None
    """Its first error."""
    timing: Timing


class Marker:
    """Computes the figures, all on the same resamples."""

    def __init__(self, question: Question, resampling: Resampling) -> None:
        self.question, self.games, self.resampling = question, question.games, resampling
        self.labelled = question.question != ACTION

    def row(self, columns: Columns, name: str, first: Columns | None) -> ScoreRow:
        """The row of one model; *first* is the model it is compared with."""
        exact = columns.model == UNIFORM
        sheets = [sheet for sheet in self.games.sheets if columns.model in sheet.errors]
        return ScoreRow(
            name,
            exact,
            self.figures(columns, exact)[0],
            calibration(columns.first, columns.confidence, columns.unit, self.resampling),
            self.steps(columns, exact),
            {by: self.by(columns, by, exact) for by in GROUPINGS},
            None if first is None else self.difference(columns, first),
            columns.silent,
            len(sheets),
            sheets[0].errors[columns.model] if sheets else None,
            self.timing(columns.model),
        )

    def figures(
        self,
        columns: Columns,
        exact: bool,
        groups: Counts | None = None,
        trail_groups: Counts | None = None,
        size: int = 1,
    ) -> list[Figures]:
        """The figures of every group."""
        lines = self.resampling.estimates(events_of(columns), columns.unit, groups, size, exact=exact)
        longer: list[Line] = [[None, None, None]] * size
        if self.labelled:
            trails = columns.trails
            longer = self.resampling.estimates(trails_of(trails), trails.unit, trail_groups, size, exact=exact)
        groups = np.zeros(len(columns.game), dtype=np.int64) if groups is None else groups
        found = []
        for group in range(size):
            inside = groups == group
            games = len(np.unique(columns.game[inside]))
            found.append(Figures(int(inside.sum()), games, *lines[group], *longer[group]))
        return found

    def steps(self, columns: Columns, exact: bool) -> list[Step]:
        """Accuracy and log loss against the fraction of the game that had been seen."""
        bins = bin_of(columns.fraction, BINS)
        chosen = [(columns.first, SHARE), (columns.loss, LOSSES)]
        lines = self.resampling.estimates(chosen, columns.unit, bins, BINS, exact=exact)
        counts = np.bincount(bins, minlength=BINS)
        return [Step(i / BINS, (i + 1) / BINS, int(counts[i]), *lines[i]) for i in range(BINS)]

    def by(self, columns: Columns, by: str, exact: bool) -> dict[str, Figures]:
        """The figures of every group that has answers, the largest first; outcomes and players in their order."""
        groups, trail_groups = columns.groups(by), columns.trails.groups(by)
        names = {
            "class": self.question.labels,
            "strategy": self.games.strategies,
            "outcome": list(WON),
            "player": [str(player) for player in range(self.games.players)],
        }[by]
        counts = np.bincount(groups[groups >= 0], minlength=len(names))
        size = np.zeros(len(names)) if by in ("outcome", "player") else counts
        ranked = sorted(np.flatnonzero(counts).tolist(), key=lambda i: (-size[i], i))
        shown = [names[i] for i in ranked[:MOST]] + ([OTHERS] if len(ranked) > MOST else [])
        place = np.full(len(names) + 1, -1, dtype=np.int64)  # the last is for -1, which belongs to no group
        place[ranked] = np.minimum(np.arange(len(ranked)), MOST)
        found = self.figures(columns, exact, place[groups], place[trail_groups], len(shown)) if shown else []
        return dict(zip(shown, found, strict=True))

    def difference(self, columns: Columns, first: Columns) -> dict[str, Estimate]:
        """Figure by figure, over the answers that both gave."""
        _, mine, other = np.intersect1d(columns.key, first.key, assume_unique=True, return_indices=True)
        names = ["accuracy", "top", "log_loss", "brier"]
        pairs = zip(means_of(columns), means_of(first), strict=True)
        chosen = [(a[mine] - b[other], difference_bounds(bounds)) for (a, bounds), (b, _) in pairs]
        line = self.resampling.estimates(chosen, columns.unit[mine])[0]
        if self.labelled:
            names.append("convergence")
            ours, theirs = columns.trails, first.trails
            _, mine, other = np.intersect1d(ours.key, theirs.key, assume_unique=True, return_indices=True)
            apart = ours.convergence[mine] - theirs.convergence[other]
            line += self.resampling.estimates([(apart, (-1.0, 1.0))], ours.unit[mine])[0]
        return {name: estimate for name, estimate in zip(names, line, strict=True) if estimate is not None}

    def timing(self, model: int) -> Timing:
        """The times of a model."""
        if model == UNIFORM:
            return Timing()
        key, sheets = (model, self.question.question), self.games.sheets
        times = [
            [sheet.microseconds[model] for sheet in sheets],
            [sheet.answers[key].microseconds for sheet in sheets if key in sheet.answers],
        ]
        return Timing(*(float(np.median(np.concatenate(each))) if any(map(len, each)) else None for each in times))


Chosen = list[tuple[Floats, Bounds | None]]


def means_of(columns: Columns) -> list[tuple[Floats, Bounds]]:
    """The columns whose means models are compared by."""
    return [(columns.first, SHARE), (columns.among, SHARE), (columns.loss, LOSSES), (columns.brier, BRIER)]


def events_of(columns: Columns) -> Chosen:
    """The columns whose means are figures, in the order of `Figures`."""
    first, among, loss, brier = means_of(columns)
    floored = (columns.probability < FLOOR).astype(np.float64)
    return [first, among, loss, (floored, SHARE), brier]


def trails_of(trails: PlayerAnswers) -> Chosen:
    """The same for whole-game figures."""
    never = trails.never.astype(np.float64)
    return [(trails.convergence, SHARE), (never, SHARE), (trails.changes, None)]
