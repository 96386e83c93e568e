"""`kibitz study`: runs an experiment, resumes it after an interruption, and writes its report."""

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.text import Text

from kibitz.cli.console import console, plain_table, warn
from kibitz.cli.options import (
    DatabaseOption,
    ExecutorOption,
    JsonOption,
    RayAddressOption,
    RunSeedOption,
    WorkersOption,
    chosen_executor,
    chosen_seed,
)
from kibitz.core.errors import BrokenPlugin, KibitzError

if TYPE_CHECKING:
    from rich.table import Table as ScreenTable

    from kibitz.arena.executors import Executor
    from kibitz.studies.blocks import Table
    from kibitz.studies.runs import StudyRun


def study(
    name: Annotated[str, typer.Argument(metavar="NAME|list", help="A study; list shows them all.")] = "list",
    quick: Annotated[bool, typer.Option("--quick", help="The small version, in seconds or minutes.")] = False,
    executor: ExecutorOption = "pool",
    workers: WorkersOption = None,
    ray_address: RayAddressOption = None,
    db: DatabaseOption = None,
    seed: RunSeedOption = "0",
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="DIR", help="Folder of recorded games, for studies that read some."),
    ] = None,
    games: Annotated[
        list[str] | None, typer.Option("--games", metavar="GAME", help="Only this game; repeat for more.")
    ] = None,
    agents: Annotated[
        list[str] | None, typer.Option("--agents", metavar="AGENT", help="Only this agent; repeat for more.")
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--models", metavar="MODEL", help="Only this model; repeat for more.")
    ] = None,
    opponents: Annotated[
        list[str] | None,
        typer.Option(
            "--opponents", metavar="KIND", help="Only known, strangers or adapting; repeat for more (awareness)."
        ),
    ] = None,
    pairs: Annotated[
        int | None, typer.Option("--pairs", metavar="N", min=1, help="The most pairs of matches in a cell (awareness).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder of the report (default: studies/NAME[-quick]).")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Run a study and write its report. Run the command again to resume.

    Examples:

      kibitz study list

      kibitz study recursive --quick

      kibitz study arena-rps --workers 8 --out report

      kibitz study risk --corpus games

      kibitz study awareness --games "kuhn(players=2)" --agents "aware(simulations=100)" --pairs 20
    """
    if name == "list":
        _list(json=json)
        return
    from kibitz.arena.plots.style import check_plots
    from kibitz.store import Store
    from kibitz.studies.catalogue import find_study
    from kibitz.studies.folder import check_folder, default_folder, write_report
    from kibitz.studies.report import make_report
    from kibitz.studies.runs import StudyRun

    found = find_study(name)
    folder = out or default_folder(found.name, quick=quick)
    folder_of_games = None if corpus is None else str(corpus)
    chosen = {
        "corpus": folder_of_games,
        "games": games,
        "agents": agents,
        "models": models,
        "opponents": opponents,
        "pairs": pairs,
    }
    changed: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    number = chosen_seed(seed)
    found.checked_parts(
        found.effective_settings(quick=quick, changed=changed), number
    )  # a study that cannot start leaves no files behind
    check_plots()
    check_folder(folder)
    with Store(db) as store:
        run = StudyRun(found, store, quick=quick, seed=number, called=name, changed=changed)
        warn(run.version_warning())
        if not run.complete:
            _finish(run, chosen_executor(executor, workers, ray_address), folder)
        report = make_report(run)
        path = write_report(report, run, folder)
    if json:
        print(msgspec.json.encode({**report.plain(), "report": str(path)}).decode())
        return
    console.print(Text(f"{report.title}: {report.progress}", style="bold"))
    for table in report.shown_tables():
        console.print(screen_table(table))
    console.print(Text(f"report: {path}"), soft_wrap=True)


def _finish(run: "StudyRun", executor: "Executor", folder: Path) -> None:
    """Do the remaining work. Ctrl-C stops, stores everything that was done, and writes a report of it."""
    from kibitz.cli.tables import ProgressDisplay
    from kibitz.store.claims import check_free
    from kibitz.studies.folder import write_report
    from kibitz.studies.report import make_report, progress

    for part in run.runs.values():
        check_free(run.store, part.run.run)
    done, planned = run.counts
    print(f"{'resuming' if done else 'study'} {run.study.name}: {progress(run)}", file=sys.stderr)
    try:
        watch = ProgressDisplay(planned, done, what=run.study.name, work=run.steps[0])
        with executor, watch, closing(run.run_rest(executor)) as played:
            for _ in played:
                watch.reach(*run.counts, f"{run.study.name}: {run.now}", work=run.steps)
    except (KibitzError, KeyboardInterrupt):
        print(f"\nkibitz: {progress(run)} are stored; run the same command to resume", file=sys.stderr)
        path = write_report(make_report(run), run, folder)
        print(f"kibitz: report of the results so far: {path}", file=sys.stderr)
        raise


def screen_table(table: "Table") -> "ScreenTable":
    """A table of the report for the terminal."""
    from kibitz.studies.blocks import numeric, words

    shown = plain_table(table.caption.replace("`", ""))
    for number, heading in enumerate(table.columns):
        right = all(row[number] is None or numeric(row[number]) for row in table.rows)
        shown.add_column(heading, justify="right" if right else "left", overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text(words(cell)) for cell in row))
    return shown


def _list(*, json: bool) -> None:
    from kibitz.studies import STUDIES

    rows = [{"name": name, "title": _title(name)} for name in STUDIES]
    if json:
        print(msgspec.json.encode(rows).decode())
        return
    table = plain_table()
    for heading in ("study", "what it asks"):
        table.add_column(heading)
    for row in rows:
        table.add_row(Text(row["name"]), Text(row["title"]))
    console.print(table)


def _title(name: str) -> str:
    """The question of a study, or why it cannot be loaded."""
    from kibitz.studies.catalogue import find_study

    try:
        return find_study(name).title
    except BrokenPlugin as error:
        return f"cannot be loaded: {error.why}"
