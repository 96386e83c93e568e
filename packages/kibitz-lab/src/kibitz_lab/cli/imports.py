"""`kibitz import` and `kibitz export`: matches of other programs as records, and games as files of Gambit."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

from kibitz.cli.console import Part, Table, dim
from kibitz.cli.options import Argument, Command, Folder, Out, TableCommand
from kibitz.core.errors import KibitzError, UnknownName
from kibitz.core.files import make_folder, write_file
from kibitz.core.registry import make_importer
from kibitz_lab.arena.match_import import FileReport, ImportRun
from kibitz_lab.bridges import gambit
from kibitz_lab.cli.options import Database
from kibitz_lab.cli.runs import ProgressDisplay
from kibitz_lab.store import Run

MOST_ERRORS = 20
"""Most broken files that are named; `--json` has them all."""


class ExportCommand(Command, frozen=True):
    """Write a game as a Gambit file.

    Examples:
      kibitz export efg "kuhn(players=2)" --out kuhn.efg
    """

    form: Argument[Annotated[str, "FORMAT"]]
    """efg or nfg."""
    game: Argument[Annotated[str, "GAME"]]
    """The game and its parameters."""
    out: Out = None
    """Write to FILE instead of the screen."""

    def execute(self) -> None:
        writers = {"efg": gambit.efg, "nfg": gambit.nfg}
        if self.form not in writers:
            raise UnknownName("format", self.form, tuple(writers))
        text = writers[self.form](self.game)
        if self.out is None:
            print(text, end="")
        else:
            write_file(self.out, text)


class ImportCommand(TableCommand, frozen=True):
    """Import matches that another program recorded; each is stored once.

    Run the same command again to resume after a stop or a crash.

    Examples:
      kibitz import domination games/*.log.gz
      kibitz import domination game.log --records folder --json
    """

    form: Argument[Annotated[str, "FORMAT"]]
    """Format of the files: domination, 'domination(missions=all)'."""
    files: Argument[tuple[Annotated[Path, "FILE…"], ...]]
    """Logs, packed with gzip or not."""
    records: Folder | None = None
    """Write all records, one file each."""
    db: Database = None

    def execute(self) -> None:
        importing = ImportRun(make_importer(self.form), self.files, self.db)
        if self.records is not None:
            make_folder(self.records)
        reports = []
        with closing(importing), ProgressDisplay(len(self.files), what="files", quiet=self.json or self.csv) as watch:
            for report in importing.reports():
                reports.append(report)
                watch.advance(1)
            run = importing.finish()
            if self.records is not None:
                for name, record in importing.records():
                    write_file(self.records / f"{name}.krec", record)
        self.show({"run": run.run if run else None, "files": reports}, report_parts(reports, run))
        raise_errors([each.error for each in reports if each.error], "; everything else is stored" if run else "")


def raise_errors(errors: Sequence[str], rest: str) -> None:
    """Name the files that could not be imported; the error that ends the command is the last line."""
    if errors:
        left = len(errors) - MOST_ERRORS
        *others, last = [*errors[:MOST_ERRORS], *([f"and {left} more files"] if left > 0 else [])]
        for each in others:
            print(f"kibitz: {' '.join(each.split())}", file=sys.stderr)
        raise KibitzError(last + rest)


def report_parts(reports: Sequence[FileReport], run: Run | None) -> Iterator[Part]:
    """What each file holds, and the lines that were skipped."""
    read = [each for each in reports if each.has_content or not each.error]
    rows = [
        (each.file, each.matches, each.copies, each.cut, len(each.skipped), "stored before" if each.before else "")
        for each in read
    ]
    if rows:
        yield Table(("file", "matches", "copies", "cut", "skipped lines", ""), rows)
    yield from (dim(f"{each.file}:{line}") for each in read for line in each.skipped)
    cut = "; games that break off are not stored" if any(each.cut for each in reports) else ""
    yield (f"run {run.run}: {run.stored} matches" if run else "nothing to store") + cut
