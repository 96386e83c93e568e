"""`kibitz study`: runs an experiment, resumes it after an interruption, and writes its report."""

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

from kibitz.cli.console import Part, Table, bold, warn
from kibitz.cli.options import Agent, Argument, Options, Positive, TableCommand, changes
from kibitz.core.errors import BrokenPlugin, KibitzError
from kibitz.core.seeds import checked_seed
from kibitz.plots.style import check_plots
from kibitz_lab.arena.executors import Executor
from kibitz_lab.cli.options import Compute, Database, open_store
from kibitz_lab.cli.runs import ProgressDisplay
from kibitz_lab.studies.blocks import words
from kibitz_lab.studies.report import make_report, progress
from kibitz_lab.studies.report_files import check_folder, default_folder, write_report
from kibitz_lab.studies.runs import StudyRun
from kibitz_lab.studies.study import find_study, studies


class Settings(Options, frozen=True):
    """What a user may change in a study, under the names of its settings."""

    corpus: Annotated[str | None, "DIR"] = None
    """Folder of recorded games, for studies that read some."""
    games: tuple[Annotated[str, "GAME"], ...] = ()
    """Only this game; repeat for more."""
    agents: tuple[Agent, ...] = ()
    """Only this agent; repeat for more."""
    models: tuple[Annotated[str, "MODEL"], ...] = ()
    """Only this model; repeat for more."""
    opponents: tuple[Annotated[str, "KIND"], ...] = ()
    """Only known, strangers or adapting; repeat for more (awareness)."""
    pairs: Positive | None = None
    """The most pairs of matches in a cell (awareness)."""


class StudyCommand(TableCommand, frozen=True):
    """Run a study and write its report. Run the command again to resume.

    Examples:
      kibitz study list
      kibitz study recursive --quick
      kibitz study arena-rps --workers 8 --out report
      kibitz study risk --corpus games
      kibitz study awareness --games "kuhn(players=2)" --agents "aware(simulations=100)" --pairs 20
    """

    name: Argument[Annotated[str, "NAME|list"]] = "list"
    """A study; list shows them all."""
    quick: bool = False
    """The small version, in seconds or minutes."""
    compute: Compute = Compute()
    seed: Annotated[int, "-s"] = 0
    """Seed of the run; another seed is another run."""
    settings: Settings = Settings()
    out: Annotated[Path | None, "DIR"] = None
    """Folder of the report (default: studies/NAME[-quick])."""
    db: Database = None

    def execute(self) -> None:
        if self.name == "list":
            rows = [{"name": name, "title": title(name)} for name in studies()]
            self.show(rows, [Table.of(rows, ("study", "what it asks"))])
            return
        found, quick = find_study(self.name), self.quick
        folder = self.out or default_folder(found.name, quick=quick)
        changed: dict[str, Any] = {
            name: list(value) if isinstance(value, tuple) else value for name, value in changes(self.settings).items()
        }
        seed = checked_seed(self.seed)
        # A study that cannot start leaves no files behind.
        found.checked_parts(found.effective_settings(quick=quick, changed=changed), seed)
        check_plots()
        check_folder(folder)
        with open_store(self.db) as store:
            run = StudyRun(found, store, quick=quick, seed=seed, called=self.name, changed=changed)
            warn(run.version_warning())
            if not run.complete:
                finish(run, self.compute.make(), folder)
            report = make_report(run)
            path = write_report(report, run, folder)
        parts: list[Part] = [bold(f"{report.title}: {report.progress}")]
        parts += (
            Table(each.columns, (tuple(map(words, row)) for row in each.rows), each.caption.replace("`", ""))
            for each in report.shown_tables()
        )
        self.show({**report.plain(), "report": str(path)}, [*parts, f"report: {path}"])


def finish(run: StudyRun, executor: Executor, folder: Path) -> None:
    """Do the remaining work. Ctrl-C stops, stores everything that was done, and writes a report of it."""
    from kibitz_lab.store.claims import check_free

    for part in run.runs.values():
        check_free(run.store, part.run.run)
    done, planned = run.counts
    print(f"{'resuming' if done else 'study'} {run.study.name}: {progress(run)}", file=sys.stderr)
    try:
        watch = ProgressDisplay(planned, done, what=run.study.name)
        with executor, watch, closing(run.run_rest(executor)) as played:
            for _ in played:
                watch.reach(*run.counts, f"{run.study.name}: {run.now}", work=run.steps)
    except (KibitzError, KeyboardInterrupt):
        print(f"\nkibitz: {progress(run)} are stored; run the same command to resume", file=sys.stderr)
        path = write_report(make_report(run), run, folder)
        print(f"kibitz: report of the results so far: {path}", file=sys.stderr)
        raise


def title(name: str) -> str:
    """The question of a study, or why it cannot be loaded."""
    try:
        return find_study(name).title
    except BrokenPlugin as error:
        return f"cannot be loaded: {error.why}"
