"""Scores models on records: the same records for all, each on the questions it answers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing

import msgspec

from kibitz.arena.executors import Executor, in_order, make_executor
from kibitz.arena.scoring.columns import Games, Question
from kibitz.arena.scoring.resampling import Resampling
from kibitz.arena.scoring.results import Sheet
from kibitz.arena.scoring.score_record import Task, questions, watched
from kibitz.arena.scoring.summary import Marker, Row
from kibitz.arena.sources import Kept
from kibitz.core.errors import BadDefinition, UnknownName
from kibitz.core.game import Game
from kibitz.core.match.watchers import Watcher, WatcherLike, seated
from kibitz.core.records import Record
from kibitz.core.registry import make_game

Done = tuple[int, Sheet]
BASELINE = "uniform"
"""Over the legal actions, or over all labels that were true at least once."""


class Skipped(msgspec.Struct, frozen=True):
    """A record that could not be used."""

    name: str
    why: str


class QuestionScores(msgspec.Struct, frozen=True):
    """Every model that answers one question, in the order they were named, and last the baseline."""

    question: str
    labels: list[str]
    """What was true at least once."""
    rows: list[Row]

    def __getitem__(self, model: str) -> Row:
        """The row of a model by its label."""
        for row in self.rows:
            if row.model == model:
                return row
        raise UnknownName("model", model, [row.model for row in self.rows], f"among those that answer {self.question}")

    @property
    def baseline(self) -> Row:
        """Whoever holds everything for equally likely."""
        return self.rows[-1]


class Scores(msgspec.Struct, frozen=True):
    """What came of it."""

    games: list[str]
    """The games of the records, with their options."""
    matches: int
    """Records that were scored."""
    units: int
    """How many of them are independent of each other."""
    unfinished: int
    """Records without an ending among them."""
    skipped: list[Skipped]
    top: int
    level: float
    questions: dict[str, QuestionScores]

    def __getitem__(self, question: str) -> QuestionScores:
        return self.questions[question]


def scored(
    records: Iterable[Record | Kept],
    models: Sequence[WatcherLike],
    *,
    game: str | Game | None = None,
    executor: Executor | None = None,
    top: int = 3,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Scores:
    """Let *models* watch *records*, and mark every answer to every question.

    A model is text (`strategy_filter`, `strategy_filter@0` from a seat), a Model or a Watcher; the first one is what
    the others are compared with. *game* refuses records of any other, and an object of it is needed where the game is
    not registered. *executor* is inline unless given; *progress* is called with the number of records just done.

    >>> from kibitz.core.match.play import play
    >>> records = [play("dilemma", ["tit_for_tat", "defector"], seed=seed) for seed in range(4)]
    >>> scores = scored(records, ["strategy_filter"])
    >>> scores["strategy"]["strategy_filter"].figures.accuracy.mean > 0.4
    True
    >>> round(scores["action"].baseline.figures.log_loss.mean, 4)  # two actions: ln 2
    0.6931
    """
    if top < 1:
        raise BadDefinition("scores", f"top is 1 or more, not {top}")
    if not 0.0 < level < 1.0 or resamples < 2:
        raise BadDefinition("scores", f"level {level} lies not between 0 and 1, or {resamples} resamples are too few")
    sheets = marked(records, models, game=game, executor=executor, top=top, progress=progress)
    return summed_up(sheets, top=top, level=level, resamples=resamples, seed=seed)


def marked(
    records: Iterable[Record | Kept],
    models: Sequence[WatcherLike],
    *,
    game: str | Game | None = None,
    executor: Executor | None = None,
    top: int = 3,
    progress: Callable[[int], None] | None = None,
) -> list[Sheet]:
    """Let *models* watch *records*: the sheets with all marks, in the order of the records. See `scored`."""
    chosen = tuple(models)
    check_models(chosen, game)
    wanted = None if game is None or isinstance(game, Game) else game
    rules = game if isinstance(game, Game) else None
    tasks = (Task(kept(each, number), chosen, top, wanted, rules) for number, each in enumerate(records))
    with closing((executor or make_executor("inline")).completed(watched, tasks)) as completed:
        return list(in_order(counted(completed, progress)))


def counted(completed: Iterable[Done], progress: Callable[[int], None] | None) -> Iterator[Done]:
    """The same results, each reported as it comes."""
    for each in completed:
        if progress is not None:
            progress(1)
        yield each


def kept(record: Record | Kept, number: int) -> Kept:
    """A record with a name to call it by."""
    return record if isinstance(record, Kept) else Kept(record, f"record {number}")


def summed_up(sheets: Sequence[Sheet], *, top: int, level: float, resamples: int, seed: int) -> Scores:
    """The scores that the sheets come to."""
    skipped = [Skipped(sheet.name, sheet.refused) for sheet in sheets if sheet.refused is not None]
    games = Games([sheet for sheet in sheets if sheet.refused is None])
    resampling = Resampling(games.drawn, resamples=resamples, level=level, seed=seed)
    labels = games.sheets[0].watchers if games.sheets else []
    found = {}
    for name in games.questions():
        question = Question(games, name, top)
        marker = Marker(question, resampling)
        columns = [question.model(number) for number in question.models]
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
    """Require models that answer something; with a game, that there are such models and seats."""
    if not models:
        raise BadDefinition("scores", "name at least one model (kibitz models lists them)")
    for each in models:
        if isinstance(each, str):
            if game is not None:  # else the records say what it is
                questions(seated(each, make_game(game)).model)
        else:
            questions(each.model if isinstance(each, Watcher) else each)
