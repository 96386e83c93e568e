"""`kibitz score-models`: scores opponent models on the same records and the same questions."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from kibitz.cli.console import Screen
from kibitz.cli.options import (
    DatabaseOption,
    ExecutorOption,
    JsonOption,
    KeptOption,
    OpeningOption,
    PliesOption,
    PlotOption,
    RayAddressOption,
    RunOption,
    WorkersOption,
    chosen_executor,
    chosen_seed,
)
from kibitz.core.errors import BadRecord, BadSpec

if TYPE_CHECKING:
    from kibitz.arena.scoring import Scores, SkippedRecord
    from kibitz.arena.sources import Source

MATCHES, TOP = 100, 3
NAMED = 5
"""Number of unusable records that are named one by one."""


def score_models(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game; without options, its records with any options.")],
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--models", "--model", "-m", metavar="MODEL", help="Repeat for more. MODEL@0 watches from seat 0."
        ),
    ] = None,
    records: KeptOption = None,
    run: RunOption = None,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agents", metavar="AGENT", help="Play matches between these, drawn per match; repeat for more."),
    ] = None,
    matches: Annotated[
        int | None, typer.Option("--matches", "-n", metavar="N", help="Matches to play (default: 100).")
    ] = None,
    seed: Annotated[
        str | None, typer.Option("--seed", "-s", metavar="N", help="Seed; the same seed plays the same matches.")
    ] = None,
    opening: OpeningOption = None,
    strangers: Annotated[
        bool,
        typer.Option(
            "--strangers",
            help="Score on players who follow no known strategy, beside known ones.",
        ),
    ] = False,
    max_plies: PliesOption = None,
    top: Annotated[int, typer.Option("--top", metavar="K", min=1, max=1000, help="The K of top-K accuracy.")] = TOP,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="WHAT", help="A table by class, strategy, outcome or player; repeat for more."),
    ] = None,
    plot: PlotOption = None,
    executor: ExecutorOption = "pool",
    workers: WorkersOption = None,
    ray_address: RayAddressOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
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
    from kibitz.arena.plots.scores import write_plot
    from kibitz.arena.plots.style import check_picture
    from kibitz.arena.scoring import model_scores
    from kibitz.arena.scoring.summary import GROUPINGS
    from kibitz.cli.score_tables import tables
    from kibitz.cli.tables import ProgressDisplay, print_parts

    if strangers:
        from kibitz.cli.strangers import StrangerOptions, score_strangers

        given = {"--records": records, "--run": run, "--by": by, "--top": None if top == TOP else top, "--plot": plot}
        for option, value in given.items():
            if value is not None:
                raise BadSpec(option, "it does not go with --strangers, which has matches and columns of its own")
        chosen = StrangerOptions(tuple(models or ()), tuple(agents or ()), matches, seed, opening, max_plies)
        score_strangers(game, chosen, chosen_executor(executor, workers, ray_address), json=json)
        return
    if not models:
        raise BadSpec("--models", "name at least one model (kibitz models lists them)")
    for each in by or ():
        if each not in GROUPINGS:
            raise BadSpec(f"--by {each}", f"it is one of {', '.join(GROUPINGS)}")
    if plot is not None:
        check_picture(plot)
    played = {"--agents": agents, "--matches": matches, "--seed": seed, "--opening": opening, "--max-plies": max_plies}
    named = [name for name, value in played.items() if value is not None]
    if records is not None and run is not None:
        raise BadSpec("--records --run", "give only one of them")
    if named and (records is not None or run is not None):
        raise BadSpec(named[0], "it applies to new matches, but --records and --run name matches already played")
    how = chosen_executor(executor, workers, ray_address)
    with source(game, records, run, agents, matches, seed, opening, max_plies, db) as found:
        total = len(found)
        print(f"{count_text(total, 'match', 'matches')}, {count_text(len(models), 'model', 'models')}", file=sys.stderr)
        with how, ProgressDisplay(total) as watch:
            scores = model_scores(found, models, game=game, executor=how, top=top, progress=watch.advance)
    warn(scores.skipped)
    check(scores, total)
    if plot is not None:
        write_plot(scores, plot)
    if json:
        print(msgspec.json.encode(scores).decode())
        return
    games = ", ".join(scores.games)
    unfinished = f", {scores.unfinished} of them unfinished" if scores.unfinished else ""
    words = f"{games}: {count_text(scores.matches, 'match', 'matches')}{unfinished}"
    console = Screen(highlight=False)  # as wide as COLUMNS says now: these tables are wide
    console.print(words, style="bold", markup=False)
    print_parts(console, tables(scores, by or (), console.width))


@contextmanager
def source(
    game: str,
    records: list[Path] | None,
    run: int | None,
    agents: list[str] | None,
    matches: int | None,
    seed: str | None,
    opening: int | None,
    max_plies: int | None,
    db: str | None,
) -> "Iterator[Source]":
    """The records that the options name, counted and ready to be read one by one."""
    from kibitz.arena.sources import Files, Fixtures, RunRecords
    from kibitz.core.registry import make_game
    from kibitz.store import Store

    make_game(game)
    if run is not None:
        with Store(db, make=False) as store:
            yield RunRecords(store, run, game)
    elif records is not None:
        yield Files(records)
    else:
        drawn = chosen_seed(seed)
        if seed is None:
            print(f"seed {drawn}", file=sys.stderr)
        count = MATCHES if matches is None else matches
        yield Fixtures(game, agents or (), count, seed=drawn, opening=opening or 0, max_plies=max_plies)


def count_text(count: int, one: str, many: str) -> str:
    """A count with its noun in the singular or plural."""
    return f"{count} {one if count == 1 else many}"


def warn(skipped: "Sequence[SkippedRecord]") -> None:
    """Name the records that could not be used."""
    for each in skipped[:NAMED]:
        print(f"kibitz: skipped {each.why}", file=sys.stderr)
    if len(skipped) > NAMED:
        print(f"kibitz: skipped {len(skipped) - NAMED} more", file=sys.stderr)


def check(scores: "Scores", total: int) -> None:
    """Raise BadRecord if nothing was scored."""
    if scores.matches == 0:
        raise BadRecord("score-models", f"none of {total} records can be used")
    if not any(each.baseline.figures.events for each in scores.questions.values()):
        asked = ", ".join(scores.questions)
        raise BadRecord("score-models", f"the records hold no truth about what the models answer: {asked}")
