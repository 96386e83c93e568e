"""`kibitz import` and `kibitz export`: matches of other programs as records, and records and games as text."""

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.text import Text

from kibitz.cli.console import console, plain_table
from kibitz.cli.options import DatabaseOption, JsonOption, RecordsOption
from kibitz.core.errors import KibitzError, UnknownName

if TYPE_CHECKING:
    from kibitz.arena.match_import import FileReport

MOST_ERRORS = 20
"""Most broken files that are named; `--json` has them all."""
FormatArgument = Annotated[
    str, typer.Argument(metavar="FORMAT", help="Format of the files: domination, 'domination(missions=all)'.")
]


def export_match(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="text, efg or nfg.")],
    source: Annotated[
        str, typer.Argument(metavar="RECORD|GAME", help="A record, written with --record; for efg and nfg a game.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to FILE instead of the screen.")
    ] = None,
) -> None:
    """Write a record as text, or a game as a Gambit file.

    Examples:

      kibitz export text game.krec

      kibitz export efg "kuhn(players=2)" --out kuhn.efg
    """
    from kibitz.core.files import write_file

    text = exported_text(form, source)
    if out is None:
        print(text, end="")
    else:
        write_file(out, text)


def exported_text(form: str, source: str) -> str:
    """A record or a game in another form."""
    from kibitz.bridges import gambit
    from kibitz.core.records import read_record
    from kibitz.core.records.text import record_text

    if form in ("efg", "nfg"):
        return gambit.efg(source) if form == "efg" else gambit.nfg(source)
    if form != "text":
        raise UnknownName("format", form, ("text", "efg", "nfg"))
    return record_text(read_record(source))


def import_matches(
    form: FormatArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Logs, packed with gzip or not.")],
    db: DatabaseOption = None,
    records: RecordsOption = None,
    json: JsonOption = False,
) -> None:
    """Import matches that another program recorded; each is stored once.

    Run the same command again to resume after a stop or a crash.

    Examples:

      kibitz import domination games/*.log.gz

      kibitz import domination game.log --records folder --json
    """
    from kibitz.arena.match_import import ImportRun
    from kibitz.cli.tables import ProgressDisplay
    from kibitz.core.files import make_folder, write_file
    from kibitz.core.registry import make_importer

    importing = ImportRun(make_importer(form), files, db)
    if records is not None:
        make_folder(records)
    reports = []
    with closing(importing), ProgressDisplay(len(files), what="files", quiet=json) as watch:
        for report in importing.reports():
            reports.append(report)
            watch.advance(1)
        run = importing.finish()
        if records is not None:
            for name, record in importing.records():
                write_file(records / f"{name}.krec", record)
    if json:
        print(msgspec.json.encode({"run": run.run if run else None, "files": reports}).decode())
    else:
        show([each for each in reports if each.has_content or not each.error])
        cut = "; games that break off are not stored" if any(each.cut for each in reports) else ""
        console.print((f"run {run.run}: {run.stored} matches" if run else "nothing to store") + cut)
    errors = [each.error for each in reports if each.error]
    if errors:
        left = len(errors) - MOST_ERRORS
        *others, last = [*errors[:MOST_ERRORS], *([f"and {left} more files"] if left > 0 else [])]
        for each in others:  # the error that ends the command is one line
            print(f"kibitz: {' '.join(each.split())}", file=sys.stderr)
        raise KibitzError(last + ("; everything else is stored" if run else ""))


def show(reports: "Sequence[FileReport]") -> None:
    """Print what each file holds, and the lines that were skipped."""
    table = plain_table()
    for heading in ("file", "matches", "copies", "cut", "skipped lines", ""):
        table.add_column(heading, justify="left" if heading == "file" else "right", overflow="fold")
    if not reports:
        return
    for each in reports:
        counts = (each.matches, each.copies, each.cut, len(each.skipped))
        table.add_row(Text(each.file), *map(str, counts), "stored before" if each.before else "")
    console.print(table)
    for each in reports:
        for line in each.skipped:
            console.print(Text(f"{each.file}:{line}", style="dim"), soft_wrap=True)
