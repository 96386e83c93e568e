"""`kibitz score-models`: scores opponent models on the same records and the same questions."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import msgspec

from kibitz.cli.console import Part, Screen, bold
from kibitz.cli.options import Agent, Argument, Plot, Records, TableCommand, chosen_seed
from kibitz.core.errors import BadRecord, BadSpec
from kibitz.core.match.options import MaxPlies, Opening
from kibitz.core.registry import make_game
from kibitz.plots.style import check_picture
from kibitz_lab.arena.plots.scores import write_plot
from kibitz_lab.arena.scoring import Scores, SkippedRecord, model_scores
from kibitz_lab.arena.scoring.summary import GROUPINGS
from kibitz_lab.arena.sources import Files, Fixtures, RunRecords, Source
from kibitz_lab.cli.options import Compute, Database, Run, open_store
from kibitz_lab.cli.runs import ProgressDisplay
from kibitz_lab.cli.score_tables import tables

MATCHES, TOP = 100, 3
NAMED = 5
"""Number of unusable records that are named one by one."""


class ScoreModelsCommand(TableCommand, frozen=True):
    """Score opponent models: who plays, what comes next, and how sure the models were.

    All models watch the same matches: recorded ones, those of a run, or matches played for this purpose.

    With --strangers these are matches of a published set of strangers, or of --agents: --matches is per stranger
    and opening (default: 8), and --opening chooses one opening (default: 0, 2 and 6).

    Examples:
      kibitz score-models dilemma -m strategy_filter -m 'strategy_filter(drift=0.05)' --matches 200 --seed 1
      kibitz score-models kuhn -m strategy_filter -m strategy_filter@0 --records folder --by class --plot scores.svg
      kibitz score-models dilemma -m strategy_filter --run 3 --json
      kibitz score-models pawns -m strategy_filter -m dbn --strangers
      kibitz score-models kuhn -m strategy_filter --strangers --agents 'noisy(strategy=kuhn.rock, rate=0.4)'
    """

    game: Argument[Annotated[str, "GAME"]]
    """A game; without options, its records with any options."""
    models: Annotated[tuple[Annotated[str, "MODEL"], ...], "--models", "--model", "-m"] = ()
    """Repeat for more. MODEL@0 watches from seat 0."""
    records: Records = ()
    run: Run = None
    agents: tuple[Agent, ...] = ()
    """Play matches between these, drawn per match; repeat for more."""
    matches: Annotated[int | None, "-n"] = None
    """Matches to play (default: 100)."""
    seed: Annotated[str | None, "-s", "N"] = None
    """Seed; the same seed plays the same matches."""
    opening: Opening | None = None
    strangers: bool = False
    """Score on players who follow no known strategy, beside known ones."""
    max_plies: MaxPlies | None = None
    top: Annotated[int, "K", msgspec.Meta(ge=1, le=1000)] = TOP
    """The K of top-K accuracy."""
    by: tuple[Annotated[str, "WHAT"], ...] = ()
    """A table by class, strategy, outcome or player; repeat for more."""
    plot: Plot = None
    compute: Compute = Compute()
    db: Database = None

    def execute(self) -> None:
        if not self.models:
            raise BadSpec("--models", "name at least one model (kibitz models lists them)")
        if self.strangers:
            from kibitz_lab.cli.strangers import score_strangers

            unfit = "it does not go with --strangers, which has matches and columns of its own"
            self.refuse("records run by top plot", unfit)
            score_strangers(self)
            return
        check_options(self)
        executor = self.compute.make()
        with source(self) as found:
            total, models = len(found), len(self.models)
            print(f"{count_text(total, 'match', 'matches')}, {count_text(models, 'model', 'models')}", file=sys.stderr)
            with executor, ProgressDisplay(total) as watch:
                scores = model_scores(
                    found, self.models, game=self.game, executor=executor, top=self.top, progress=watch.advance
                )
        warn(scores.skipped)
        check(scores, total)
        if self.plot is not None:
            write_plot(scores, self.plot)
        self.show(scores, score_parts(scores, self.by, sys.maxsize if self.csv else Screen().width))


def score_parts(scores: Scores, by: Sequence[str], width: int) -> Iterator[Part]:
    """What was scored, and the tables."""
    unfinished = f", {scores.unfinished} of them unfinished" if scores.unfinished else ""
    yield bold(f"{', '.join(scores.games)}: {count_text(scores.matches, 'match', 'matches')}{unfinished}")
    yield from tables(scores, by, width)


def check_options(options: ScoreModelsCommand) -> None:
    """Refuse options that do not fit together, before any work."""
    for each in options.by:
        if each not in GROUPINGS:
            raise BadSpec(f"--by {each}", f"it is one of {', '.join(GROUPINGS)}")
    if options.plot is not None:
        check_picture(options.plot)
    if options.records and options.run is not None:
        raise BadSpec("--records --run", "give only one of them")
    if options.records or options.run is not None:
        why = "it applies to new matches, but --records and --run name matches already played"
        options.refuse("agents matches seed opening max_plies", why)


@contextmanager
def source(options: ScoreModelsCommand) -> Iterator[Source]:
    """The records that the options name, counted and ready to be read one by one."""
    make_game(options.game)
    if options.run is not None:
        with open_store(options.db, make=False) as store:
            yield RunRecords(store, options.run, options.game)
    elif options.records:
        yield Files(options.records)
    else:
        seed = chosen_seed(options.seed)
        if options.seed is None:
            print(f"seed {seed}", file=sys.stderr)
        count = MATCHES if options.matches is None else options.matches
        opening, most = options.opening or 0, options.max_plies
        yield Fixtures(options.game, options.agents, count, seed=seed, opening=opening, max_plies=most)


def count_text(count: int, one: str, many: str) -> str:
    """A count with its noun in the singular or plural."""
    return f"{count} {one if count == 1 else many}"


def warn(skipped: Sequence[SkippedRecord]) -> None:
    """Name the records that could not be used."""
    for each in skipped[:NAMED]:
        print(f"kibitz: skipped {each.why}", file=sys.stderr)
    if len(skipped) > NAMED:
        print(f"kibitz: skipped {len(skipped) - NAMED} more", file=sys.stderr)


def check(scores: Scores, total: int) -> None:
    """Raise BadRecord if nothing was scored."""
    if scores.matches == 0:
        raise BadRecord("score-models", f"none of {total} records can be used")
    if not any(each.baseline.figures.events for each in scores.questions.values()):
        asked = ", ".join(scores.questions)
        raise BadRecord("score-models", f"the records hold no truth about what the models answer: {asked}")
