"""`kibitz runs` and `kibitz resume`: list, show, export, delete and resume stored runs; their tables and progress."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from math import floor, log10
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import msgspec
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from kibitz.cli.console import Part, Table, bold, warn
from kibitz.cli.options import Argument, JsonCommand, Network, Written, changes
from kibitz.core.drawing import svg
from kibitz.core.errors import BadDefinition, BadSpec, KibitzError, UnknownName, printable
from kibitz.core.files import write_file
from kibitz.core.registry import make_agent
from kibitz.remote.command_lines import allow_network
from kibitz_lab.arena.executors import Executor
from kibitz_lab.arena.runs import (
    MeanMeasure,
    RunSummary,
    Standings,
    TournamentRun,
    by_game,
    mean_measures,
    run_summary,
    version_warning,
)
from kibitz_lab.arena.series import known_game
from kibitz_lab.arena.statistics import Estimate, payoffs
from kibitz_lab.arena.statistics.payoffs import Payoffs
from kibitz_lab.cli.options import Compute, Database, RunFiles, open_store
from kibitz_lab.store.results import RunKind
from kibitz_lab.studies.blocks import words

if TYPE_CHECKING:
    from kibitz_lab.store import Run, Store

NOTHING = 1e-9
"""An interval narrower than this is a rounding error."""
LIVE_ROWS = 15
EVERY = 10.0
"""Seconds between lines of progress where there is no terminal."""


class ProgressDisplay:
    """Progress on stderr: a bar and a live table on a terminal, otherwise a line now and then."""

    def __init__(self, total: int, done: int = 0, *, what: str = "matches", quiet: bool = False) -> None:
        self.total, self.done, self.what, self.quiet = total, done, what, quiet
        self.console = Console(stderr=True)
        self.live: Live | None = None
        self.last = time.monotonic()
        self.next_look = 0.0
        counts = TextColumn("{task.fields[counts]}", style="green")
        columns = (TextColumn("{task.description}"), BarColumn(), counts, TimeElapsedColumn(), TimeRemainingColumn())
        self.progress = Progress(*columns, console=self.console)
        self.task = self.progress.add_task(what, total=total, completed=done, counts="")

    def __enter__(self) -> Self:
        if self.console.is_terminal and not self.quiet:
            self.live = Live(self.progress, console=self.console, transient=True, refresh_per_second=4)
            self.live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.live is not None:
            self.live.stop()

    def advance(self, count: int) -> None:
        """Count *count* more as done."""
        self.reach(self.done + count, self.total, self.what)

    def reach(self, done: int, total: int, what: str, work: tuple[float, float] | None = None) -> None:
        """Set the counts and the name of the current step.

        *work* is the work done and the total work, if steps differ in it.
        """
        self.done, self.total, self.what = done, total, what
        completed, whole = work or (done, total)
        self.progress.update(self.task, description=what, total=whole, completed=completed, counts=f"{done}/{total}")
        if self.live is None and not self.quiet and time.monotonic() - self.last > EVERY:
            self.last = time.monotonic()
            print(f"{done} of {total}", file=sys.stderr, flush=True)

    def show(self, tables: Callable[[], Iterable[RenderableType]]) -> None:
        """Put tables above the bar and refresh them now and then, less often the more time they take."""
        start = time.monotonic()
        if self.live is not None and start > self.next_look:
            self.live.update(Group(*tables(), self.progress))
            self.next_look = time.monotonic() + min(max(0.5, 10 * (time.monotonic() - start)), 5.0)


def standings(run: RunSummary, *, most: int | None = None) -> Iterator[Part]:
    """The table of a run, one per game."""
    for each in run.games:
        yield ""
        yield from game_standings(each, most)


def game_standings(standings: Standings, most: int | None) -> Iterator[Part]:
    """The agents of a game, the best first, and the strikes they made."""
    outcomes = ("won", "drawn", "lost") if standings.zero_sum else ()
    rows: list[tuple[Any, ...]] = []
    for rank, row in enumerate(standings.rows[:most], 1):
        counts = [str(getattr(row, outcome)) for outcome in outcomes]
        milliseconds = f"{row.seconds * 1000:.2g}"
        rows.append((rank, row.name, str(row.matches), mean(row.score), interval(row.score), *counts, milliseconds))
    headings = ("", "agent", "matches", "score", "95 % interval", *outcomes, "ms")
    left = len(standings.rows) - len(rows)
    yield Table(headings, rows, standings.game, rest=f"and {left} more" if left else "")
    for row in standings.rows:
        if row.strikes:
            words = f"{row.name}: {row.strikes} strikes, forfeited {row.forfeits} of {row.matches} matches"
            yield Text(words, style="red")


def rows_by(standings: Standings, by: str) -> Table:
    """Each agent's score by opponent, by seat or by match of a series."""
    rows = []
    for agent in standings.rows:
        found: dict[str, Estimate] = {
            "opponent": {name: row.score for name, row in agent.opponents.items()},
            "seat": {str(seat): row.score for seat, row in agent.seats.items()},
            "match": {str(number): score for number, score in enumerate(agent.learning, 1)},
        }[by]
        for number, (label, score) in enumerate(found.items()):
            rows.append(("" if number else agent.name, label, str(score.matches), mean(score), interval(score)))
    return Table(("agent", by, "matches", "score", "95 % interval"), rows, standings.game)


def mean(estimate: Estimate) -> str:
    """A mean with the same number of decimals as its interval."""
    return f"{estimate.mean:z.{decimals(estimate)}f}"


def interval(estimate: Estimate) -> str:
    """An interval as text, or that it says nothing."""
    return estimate.interval_text(decimals(estimate))


def decimals(estimate: Estimate) -> int:
    """Decimals to print in a table: two digits of the interval's half width, unless it is close to zero."""
    half = (estimate.high - estimate.low) / 2
    return max(0, 1 - floor(log10(half))) if estimate.is_finite() and half > NOTHING else 2


STUDY = "study"
BY = ("opponent", "seat", "match")
"""The ways to split an agent's rows."""
RunArgument = Argument[
    Annotated[int | None, "[RUN]", msgspec.Meta(description="The number of a run; see kibitz runs.")]
]


class RunsCommand(JsonCommand, frozen=True):
    """List the stored runs, or show one: its table, its matches as CSV, its records.

    Examples:
      kibitz runs
      kibitz runs 3 --csv matches.csv --records folder
      kibitz runs 3 --payoffs --svg payoffs.svg
      kibitz runs 3 --by seat
      kibitz runs 3 --measures
      kibitz runs 3 --release
      kibitz runs 3 --delete
    """

    run: RunArgument = None
    files: RunFiles = RunFiles()
    by: Annotated[str | None, "WHAT"] = None
    """Rows by opponent, seat or match of a series."""
    payoffs: bool = False
    """Mean return of each agent against each other."""
    svg: Written | None = None
    """Draw the payoffs as SVG."""
    measures: bool = False
    """Mean of each measure of the game, agent by agent."""
    delete: bool = False
    """Remove the run and all its matches."""
    release: bool = False
    """Take the run from the process that plays it."""
    db: Database = None

    def execute(self) -> None:
        from kibitz_lab.store.claims import check_free, release

        if self.by is not None and self.by not in BY:
            raise UnknownName("rows", self.by, BY)
        with open_store(self.db, make=False) as store:
            if self.run is None:
                if changes(self).keys() - {"db", "json"}:
                    raise UnknownName("run", "", [str(each.run) for each in store.runs()], "(name a run)")
                kept = store.runs()
                rows = Table(("run", "what", "done", "begun", "state"), run_rows(store, kept))
                self.show(kept, [rows if kept else "no runs yet; kibitz tournament plays one"])
            elif self.release:
                owner = release(store, self.run)
                what = f"is taken from {owner}, which will stop soon" if owner else "was not being played"
                print(f"run {self.run} {what}", file=sys.stderr)
            elif self.delete:
                check_free(store, self.run)
                store.delete(self.run)
                print(f"run {self.run} is deleted", file=sys.stderr)
            elif store.run(self.run).kind == STUDY and self.json:
                self.show({"run": store.run(self.run), "rows": store.rows(self.run)}, [])
            else:
                running = TournamentRun(_of_matches(store.run(self.run)), store)
                if self.measures:
                    found = measure_rows(running)
                    means = ((each.agent, each.measure, words(each.mean), each.matches) for each in found)
                    self.show(found, [Table(("agent", "measure", "mean", "matches"), means)])
                    return
                self.show(run_summary(running), run_parts(running, self))
                write_run(running, self.files)
                if self.svg is not None:
                    draw_payoffs(running, self.svg)


class ResumeCommand(JsonCommand, frozen=True):
    """Resume a run that was stopped or killed; the last unfinished one if you name none.

    Examples:
      kibitz resume
      kibitz resume 3 --workers 1
      kibitz resume 3 --program 'cmd:./my-bot --level 3'
    """

    run: RunArgument = None
    compute: Compute = Compute()
    program: tuple[Annotated[str, "AGENT"], ...] = ()
    """A program of the run: its command line is not stored; repeat for more."""
    network: Network = ()
    files: RunFiles = RunFiles()
    db: Database = None

    def execute(self) -> None:
        for each in self.program:
            make_agent(each)
        allow_network(self.network)
        with open_store(self.db, make=False) as store:
            unfinished = [
                each.run for each in store.runs() if each.finished is None and each.kind == RunKind.TOURNAMENT
            ]
            if self.run is None and not unfinished:
                print("kibitz: every tournament is finished (kibitz runs lists the stored runs)", file=sys.stderr)
                return
            run = store.run(unfinished[-1] if self.run is None else self.run)
            if run.kind != RunKind.TOURNAMENT:
                raise BadDefinition(f"run {run.run}", f"it is a {run.kind}; resume it with: {_again(run)}")
            running = TournamentRun(run, store)
            finish(running, self.compute.make())
            found = run_summary(running)
            self.show(found, summary_parts(found))
            write_run(running, self.files)


def run_rows(store: "Store", kept: list["Run"]) -> Iterator[tuple[Any, ...]]:
    """All runs and their states."""
    from kibitz_lab.store.claims import playing

    processes = playing(store)
    for each in kept:
        state = Text("unfinished", style="yellow") if each.planned else Text("open")
        state = Text("finished") if each.finished else state.append(f" ({_again(each)})", style="default")
        if each.run in processes:
            state = Text(f"being played by {processes[each.run]}")
        yield each.run, printable(each.name), each.progress, each.begun[:16].replace("T", " "), state


def run_parts(running: TournamentRun, options: "RunsCommand") -> Iterator[Part]:
    """The table of a run; rows by opponent, seat or match, and the payoffs, where they are wanted."""
    found = run_summary(running)
    yield from summary_parts(found)
    if options.by is not None:
        for each in found.games:
            yield ""
            yield rows_by(each, options.by)
    if options.payoffs:
        for game, matrix in payoffs_of(running).items():
            rows = zip(matrix.names, matrix.matrix().tolist(), strict=True)
            yield f"\n{game}: mean return of the row's agent in matches with the column's"
            yield Table(("", *matrix.names), ([name, *means] for name, means in rows))


def payoffs_of(running: TournamentRun) -> dict[str, Payoffs]:
    """The payoffs of every game of a run."""
    return {
        game: payoffs(results, bounds=known_game(game).utility) for game, results in by_game(running.results).items()
    }


def draw_payoffs(running: TournamentRun, path: Path) -> None:
    """Draw the payoffs of a run of one game."""
    matrices = list(payoffs_of(running).values())
    if len(matrices) != 1:
        raise BadSpec(f"run {running.run.run}", f"it has {len(matrices)} games, and an SVG shows the payoffs of one")
    write_file(path, svg(matrices[0].picture()))


def measure_rows(running: TournamentRun) -> list[MeanMeasure]:
    """The mean of each measure of the game, agent by agent."""
    found = mean_measures(running)
    if not found:
        raise BadSpec(f"run {running.run.run}", "its games measure nothing besides the result")
    return found


def _of_matches(run: "Run") -> "Run":
    """The run, if it holds matches; raise BadDefinition for the rows of a study."""
    if run.kind == STUDY:
        why = f"{run.stored} of {run.planned} rows of a study; {_again(run)} resumes it and writes its report"
        raise BadDefinition(f"run {run.run}", why)
    return run


def _again(run: "Run") -> str:
    """The command that resumes a run."""
    if run.kind == STUDY:
        return f"kibitz study {run.name.partition(':')[0]}"
    commands = {"tournament": "kibitz resume", "import": "kibitz import", "server": "kibitz serve"}
    return commands.get(run.kind, "kibitz compare")


def finish(running: TournamentRun, executor: Executor) -> None:
    """Play the rest of a run and show a live table."""
    if running.complete:
        if running.run.finished is None:  # killed between its last match and the end
            running.finish()
        else:
            print(f"run {running.run.run} was played already", file=sys.stderr)
        return
    again = "run the same command, or kibitz resume, to resume"
    with closing(running.play_matches(executor)) as played:
        play_shown(running, executor, map(len, played), lambda: standings(run_summary(running), most=LIVE_ROWS), again)


def play_shown(
    running: TournamentRun,
    executor: Executor,
    counts: Iterator[int],
    parts: Callable[[], Iterable[Part]],
    again: str,
    most: str = "",
) -> None:
    """Play matches, *counts* of them at a time, and show *parts*. Ctrl-C stops; every finished match is stored."""
    from kibitz_lab.store.claims import check_free

    run, done, planned = running.run.run, len(running.results), running.run.planned
    check_free(running.store, run)
    words = (
        f"resuming run {run}: {done} of {planned} matches are stored" if done else f"run {run}: {planned} matches{most}"
    )
    print(words, file=sys.stderr)
    warn(version_warning(running.store, running.run))
    try:
        with executor, ProgressDisplay(planned, min(done, planned)) as watch:
            for count in counts:
                watch.advance(count)
                watch.show(parts)
    except (KibitzError, KeyboardInterrupt):
        with suppress(KibitzError):  # the database may be gone
            kept = running.store.run(run).stored
            print(f"\nkibitz: {kept} of {planned} matches of run {run} are stored; {again}", file=sys.stderr)
        raise


def summary_parts(found: RunSummary) -> Iterator[Part]:
    """The heading and the standings of a run."""
    planned = f" of {found.planned}" if found.planned else ""  # a server's run has no end
    yield bold(printable(f"run {found.run}: {found.name}, {found.stored}{planned} matches"))
    yield from standings(found)


def write_run(running: TournamentRun, files: RunFiles) -> None:
    """Write the files that the options name."""
    from kibitz_lab.arena.runs import write_csv, write_records

    if files.csv is not None:
        write_csv(running.results, files.csv)
    if files.records is not None:
        write_records(running.store, running.run.run, files.records)
