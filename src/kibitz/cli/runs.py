"""`kibitz runs` and `kibitz resume`: list, show, export, delete and resume stored runs."""

import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.markup import escape
from rich.text import Text

from kibitz.cli.console import console, plain_table, warn
from kibitz.cli.options import (
    CsvOption,
    DatabaseOption,
    ExecutorOption,
    JsonOption,
    NetworkOption,
    RayAddressOption,
    RecordsOption,
    WorkersOption,
    chosen_executor,
)
from kibitz.core.errors import BadDefinition, BadSpec, KibitzError, UnknownName, printable

if TYPE_CHECKING:
    from kibitz.arena.executors import Executor
    from kibitz.arena.runs import TournamentRun
    from kibitz.store import Run, Store

STUDY = "study"
BY = ("opponent", "seat", "match")
"""The ways to split an agent's rows."""
RunArgument = Annotated[int | None, typer.Argument(metavar="[RUN]", help="The number of a run; see kibitz runs.")]


def runs(
    run: RunArgument = None,
    db: DatabaseOption = None,
    csv: CsvOption = None,
    records: RecordsOption = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="WHAT", help="Rows by opponent, seat or match of a series."),
    ] = None,
    payoffs: Annotated[bool, typer.Option("--payoffs", help="Mean return of each agent against each other.")] = False,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw the payoffs as SVG.")] = None,
    measures: Annotated[
        bool, typer.Option("--measures", help="Mean of each measure of the game, agent by agent.")
    ] = False,
    delete: Annotated[bool, typer.Option("--delete", help="Remove the run and all its matches.")] = False,
    release: Annotated[bool, typer.Option("--release", help="Take the run from the process that plays it.")] = False,
    json: JsonOption = False,
) -> None:
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
    from kibitz.arena.runs import TournamentRun
    from kibitz.store import Store
    from kibitz.store.claims import check_free

    if by is not None and by not in BY:
        raise UnknownName("rows", by, tuple(BY))
    with Store(db, make=False) as store:
        if run is None:
            if csv or records or delete or release or by or payoffs or svg or measures:
                raise UnknownName("run", "", [str(each.run) for each in store.runs()], "(name a run)")
            _list(store, json=json)
        elif release:
            _release(store, run)
        elif delete:
            check_free(store, run)
            store.delete(run)
            print(f"run {run} is deleted", file=sys.stderr)
        elif store.run(run).kind == STUDY and json:
            print(msgspec.json.encode({"run": store.run(run), "rows": store.rows(run)}).decode())
        elif measures:
            show_measures(TournamentRun(_of_matches(store.run(run)), store), json=json)
        else:
            running = TournamentRun(_of_matches(store.run(run)), store)
            show(running, csv, records, json=json)
            details(running, by, svg, payoffs=payoffs and not json, json=json)


def _release(store: "Store", run: int) -> None:
    """Take a run from the process that plays it."""
    from kibitz.store.claims import release

    found = release(store, run)
    said = f"is taken from {found}, which will stop soon" if found else "was not being played"
    print(f"run {run} {said}", file=sys.stderr)


def details(running: "TournamentRun", by: str | None, svg: Path | None, *, payoffs: bool, json: bool) -> None:
    """Print rows by opponent, seat or match, and the payoffs; the table of `--json` holds them already."""
    from kibitz.arena.runs import by_game
    from kibitz.arena.standings import table
    from kibitz.arena.statistics import payoffs as payoff_matrix
    from kibitz.cli.tables import print_parts, rows_by
    from kibitz.core.drawing import svg as drawn
    from kibitz.core.files import write_file
    from kibitz.core.registry import make_game

    if by is not None and not json:
        print_parts(console, (rows_by(each, by) for each in table(running).games))
    games = by_game(running.results) if payoffs or svg else {}
    if svg is not None and len(games) != 1:
        raise BadSpec(f"run {running.run.run}", f"it has {len(games)} games, and an SVG shows the payoffs of one")
    for game, results in games.items():
        matrix = payoff_matrix(results, bounds=make_game(game).utility)
        if payoffs:
            console.print(
                f"\n{game}: mean return of the row's agent in matches with the column's", markup=False, soft_wrap=True
            )
            console.print(matrix.text(), markup=False, soft_wrap=True)
        if svg is not None:
            write_file(svg, drawn(matrix.picture()))


def show_measures(running: "TournamentRun", *, json: bool) -> None:
    """Print the mean of each measure of the game, agent by agent."""
    from kibitz.arena.measures import mean_measures
    from kibitz.studies.blocks import words

    found = mean_measures(running)
    if json:
        print(msgspec.json.encode(found).decode())
        return
    if not found:
        raise BadSpec(f"run {running.run.run}", "its games measure nothing besides the result")
    table = plain_table()
    for heading in ("agent", "measure", "mean", "matches"):
        table.add_column(heading, justify="left" if heading in ("agent", "measure") else "right")
    for each in found:
        table.add_row(each.agent, each.measure, words(each.mean), str(each.matches))
    console.print(table)


def resume(
    run: RunArgument = None,
    executor: ExecutorOption = "pool",
    workers: WorkersOption = None,
    ray_address: RayAddressOption = None,
    program: Annotated[
        list[str] | None,
        typer.Option(
            "--program", metavar="AGENT", help="A program of the run: its command line is not stored; repeat for more."
        ),
    ] = None,
    network: NetworkOption = None,
    db: DatabaseOption = None,
    csv: CsvOption = None,
    records: RecordsOption = None,
    json: JsonOption = False,
) -> None:
    """Resume a run that was stopped or killed; the last unfinished one if you name none.

    Examples:

      kibitz resume

      kibitz resume 3 --workers 1

      kibitz resume 3 --program 'cmd:./my-bot --level 3'
    """
    from kibitz.arena.runs import TournamentRun
    from kibitz.core.registry import make_agent
    from kibitz.remote.commands import allow_network
    from kibitz.store import Store
    from kibitz.store.results import RunKind

    for each in program or ():
        make_agent(each)
    allow_network(network or ())
    with Store(db, make=False) as store:
        unfinished = [each.run for each in store.runs() if each.finished is None and each.kind == RunKind.TOURNAMENT]
        if run is None and not unfinished:
            print("kibitz: every tournament is finished (kibitz runs lists the stored runs)", file=sys.stderr)
            return
        found = store.run(unfinished[-1] if run is None else run)
        if found.kind != RunKind.TOURNAMENT:
            raise BadDefinition(f"run {found.run}", f"it is a {found.kind}; resume it with: {_again(found)}")
        running = TournamentRun(found, store)
        finish(running, chosen_executor(executor, workers, ray_address))
        show(running, csv, records, json=json)


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


def finish(running: "TournamentRun", executor: "Executor") -> None:
    """Play the rest of a run and show a live table. Ctrl-C stops; every finished match is stored."""
    from kibitz.arena.runs import version_warning
    from kibitz.arena.standings import table
    from kibitz.cli.tables import LIVE_ROWS, ProgressDisplay, standings
    from kibitz.store.claims import check_free

    if running.complete:
        if running.run.finished is None:  # killed between its last match and the end
            running.finish()
        else:
            print(f"run {running.run.run} was played already", file=sys.stderr)
        return
    check_free(running.store, running.run.run)
    done, planned = len(running.results), running.run.planned
    words = f"resuming run {running.run.run}: {done} of {planned} matches are stored" if done else ""
    print(words or f"run {running.run.run}: {planned} matches", file=sys.stderr)
    warn(version_warning(running.store, running.run))
    try:
        with executor, ProgressDisplay(planned, done) as watch, closing(running.play_matches(executor)) as played:
            for found in played:
                watch.advance(len(found))
                watch.show(lambda: standings(table(running), most=LIVE_ROWS))
    except (KibitzError, KeyboardInterrupt):
        with suppress(KibitzError):  # the database may be gone
            kept = running.store.run(running.run.run).stored
            again = "run the same command, or kibitz resume, to resume"
            print(
                f"\nkibitz: {kept} of {planned} matches of run {running.run.run} are stored; {again}", file=sys.stderr
            )
        raise


def show(running: "TournamentRun", csv: Path | None, records: Path | None, *, json: bool) -> None:
    """Print the table of a run and write the files that the options name."""
    from kibitz.arena.exports import write_csv, write_records
    from kibitz.arena.standings import table
    from kibitz.cli.tables import print_parts, standings
    from kibitz.store.results import progress

    found = table(running)
    if json:
        print(msgspec.json.encode(found).decode())
    else:
        heading = printable(f"run {found.run}: {found.name}, {progress(found.stored, found.planned)} matches")
        console.print(Text(heading, style="bold"), soft_wrap=True)
        print_parts(console, standings(found))
    if csv is not None:
        write_csv(running.results, csv)
    if records is not None:
        write_records(running.store, running.run.run, records)


def _list(store: "Store", *, json: bool) -> None:
    kept = store.runs()
    if json:
        print(msgspec.json.encode(kept).decode())
        return
    if not kept:
        console.print("no runs yet; kibitz tournament plays one")
        return
    from kibitz.store.claims import playing

    table, processes = plain_table(), playing(store)
    for heading in ("run", "what", "done", "begun", "state"):
        table.add_column(heading, overflow="fold")
    for each in kept:
        state = f"[yellow]unfinished[/] ({_again(each)})" if each.planned else f"open ({_again(each)})"
        state = "finished" if each.finished else state
        if each.run in processes:
            state = f"being played by {escape(processes[each.run])}"
        begun = each.begun[:16].replace("T", " ")
        name = Text(printable(each.name))
        table.add_row(str(each.run), name, each.progress, begun, state)
    console.print(table)
