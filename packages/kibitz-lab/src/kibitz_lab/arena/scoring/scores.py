"""Scores models on records: the same records for all, each on the questions it answers."""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from kibitz.core.errors import BadDefinition, UnknownName
from kibitz.core.game import Game
from kibitz.core.match.watchers import Watcher, WatcherLike, make_watcher
from kibitz.core.records import Record
from kibitz.core.registry import make_game
from kibitz_lab.arena.executors import Executor, make_executor
from kibitz_lab.arena.scoring.columns import Games, Question
from kibitz_lab.arena.scoring.resampling import RESAMPLES, Resampling
from kibitz_lab.arena.scoring.results import Sheet
from kibitz_lab.arena.scoring.score_record import Task, questions, score_record
from kibitz_lab.arena.scoring.summary import Marker, ScoreRow
from kibitz_lab.arena.sources import SourceRecord

BASELINE = "uniform"
"""The baseline: uniform over the legal actions, or over all labels that were true at least once."""


class SkippedRecord(msgspec.Struct, frozen=True):
    """A record that could not be used."""

    name: str
    why: str


class QuestionScores(msgspec.Struct, frozen=True):
    """Every model that answers one question, in the order they were named, and last the baseline."""

    question: str
    labels: list[str]
    """Labels that were true at least once."""
    rows: list[ScoreRow]

    def __getitem__(self, model: str) -> ScoreRow:
        """The row of a model by its label."""
        for row in self.rows:
            if row.model == model:
                return row
        raise UnknownName("model", model, [row.model for row in self.rows], f"among those that answer {self.question}")

    @property
    def baseline(self) -> ScoreRow:
        """The uniform baseline."""
        return self.rows[-1]


class Scores(msgspec.Struct, frozen=True):
    """The scores of all models on all questions."""

    games: list[str]
    """The games of the records, with their options."""
    matches: int
    """Number of scored records."""
    units: int
    """Number of independent units among them."""
    unfinished: int
    """Number of records without an ending among them."""
    skipped: list[SkippedRecord]
    top: int
    level: float
    questions: dict[str, QuestionScores]

    def __getitem__(self, question: str) -> QuestionScores:
        return self.questions[question]


def model_scores(
    records: Iterable[Record | SourceRecord],
    models: Sequence[WatcherLike],
    *,
    game: str | Game | None = None,
    executor: Executor | None = None,
    top: int = 3,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Scores:
    """Let *models* watch *records*, and mark every answer to every question.

    A model is text (`strategy_filter`, `strategy_filter@0` from a seat), a Model or a Watcher; the others are compared
    with the first one. *game* refuses records of other games; pass an object if the game is not registered. *executor*
    is inline by default; *progress* is called with the number of records just done.

    >>> from kibitz import play
    >>> from kibitz_lab import model_scores
    >>> records = [play("dilemma", ["tit_for_tat", "defector"], seed=seed) for seed in range(4)]
    >>> scores = model_scores(records, ["strategy_filter"])
    >>> scores["strategy"]["strategy_filter"].figures.accuracy.mean > 0.4
    True
    >>> round(scores["action"].baseline.figures.log_loss.mean, 4)  # two actions: ln 2
    0.6931
    """
    if top < 1:
        raise BadDefinition("scores", f"top must be 1 or more, not {top}")
    if not 0.0 < level < 1.0:
        raise BadDefinition("scores", f"level must be between 0 and 1, not {level}")
    if resamples < 2:
        raise BadDefinition("scores", f"resamples must be 2 or more, not {resamples}")
    sheets = score_records(records, models, game=game, executor=executor, top=top, progress=progress)
    return summed_up(sheets, top=top, level=level, resamples=resamples, seed=seed)


def score_records(
    records: Iterable[Record | SourceRecord],
    models: Sequence[WatcherLike],
    *,
    game: str | Game | None = None,
    executor: Executor | None = None,
    top: int = 3,
    progress: Callable[[int], None] | None = None,
) -> list[Sheet]:
    """Let *models* watch *records*: the sheets with all marks, in the order of the records. See `model_scores`."""
    chosen = tuple(models)
    check_models(chosen, game)
    wanted = None if game is None or isinstance(game, Game) else game
    rules = game if isinstance(game, Game) else None
    tasks = (Task(name_record(each, number), chosen, top, wanted, rules) for number, each in enumerate(records))
    return (executor or make_executor("inline")).results(score_record, tasks, progress)


def name_record(record: Record | SourceRecord, number: int) -> SourceRecord:
    """A record with a name for messages."""
    return record if isinstance(record, SourceRecord) else SourceRecord(record, f"record {number}")


def summed_up(sheets: Sequence[Sheet], *, top: int, level: float, resamples: int, seed: int) -> Scores:
    """The scores from all sheets."""
    skipped = [SkippedRecord(sheet.name, sheet.refused) for sheet in sheets if sheet.refused is not None]
    games = Games([sheet for sheet in sheets if sheet.refused is None])
    resampling = Resampling(games.drawn, resamples=resamples, level=level, seed=seed)
    labels = games.sheets[0].watchers if games.sheets else []
    found = {}
    for name in games.questions():
        question = Question(games, name, top)
        marker = Marker(question, resampling)
        columns = list(question.models.values())
        rows = [
            marker.row(each, labels[each.model], columns[0] if place else None) for place, each in enumerate(columns)
        ]
        baseline = marker.row(question.uniform(), BASELINE, columns[0])
        found[name] = QuestionScores(name, question.labels, [*rows, baseline])
    return Scores(
        sorted({sheet.game for sheet in games.sheets}),
        len(games.sheets),
        games.units,
        sum(not sheet.complete for sheet in games.sheets),
        skipped,
        top,
        level,
        found,
    )


def check_models(models: Sequence[WatcherLike], game: str | Game | None) -> None:
    """Require models that answer something; with a game, also that the models and seats exist."""
    if not models:
        raise BadDefinition("scores", "name at least one model (kibitz models lists them)")
    for each in models:
        if isinstance(each, str):
            if game is not None:  # otherwise the records name it
                questions(make_watcher(each, make_game(game)).model)
        else:
            questions(each.model if isinstance(each, Watcher) else each)
