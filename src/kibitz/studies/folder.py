"""Writes a report into a folder, every file whole or not at all: HTML, Markdown, pictures, and the rows behind them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from kibitz.arena.exports import write_csv
from kibitz.core.errors import KibitzError, Unwritable
from kibitz.studies.figures import vector
from kibitz.studies.html import html
from kibitz.studies.markdown import PICTURES, markdown
from kibitz.studies.report import Report
from kibitz.studies.runs import StudyRun

DATA = "rows"
PROLOGUE = '<?xml version="1.0" encoding="utf-8"?>\n'


def default_folder(study: str, *, quick: bool) -> Path:
    """Where a report goes if nothing is said: `studies/NAME` or `studies/NAME-quick` under the current folder."""
    return Path("studies", study + ("-quick" if quick else ""))


def check_folder(folder: Path) -> None:
    """Make the folder and see that it can be written: better before the study than after it."""
    with explained(folder):
        for each in (folder, folder / PICTURES, folder / DATA):
            each.mkdir(parents=True, exist_ok=True)
        probe = folder / ".part"
        probe.write_bytes(b"")
        probe.unlink()


def write_report(report: Report, run: StudyRun, folder: Path | str) -> Path:
    """Write everything; the path of the HTML file. Where the folder holds this very report it is left as it is."""
    folder = Path(folder)
    page, text = folder / "report.html", folder / "report.md"
    words = markdown(report).encode()
    check_folder(folder)
    if page.exists() and text.exists() and text.read_bytes() == words:
        return page
    text.unlink(missing_ok=True)  # it comes last, and so is there only beside all the rest
    vectors = {figure.name: vector(figure.draw, figure.name) for figure in report.figures()}
    for name, drawn in vectors.items():
        written(folder / PICTURES / f"{name}.svg", (PROLOGUE + drawn).encode())
    for name, each in run.runs.items():
        if each.matches:
            write_csv(run.results.matches(name), folder / DATA / f"{name}.csv")
        elif each.rows:
            lines = [msgspec.json.encode(row.row) + b"\n" for row in each.rows]
            written(folder / DATA / f"{name}.jsonl", b"".join(lines))
    written(page, html(report, vectors).encode())
    written(text, words)
    return page


def written(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all."""
    part = path.with_name(path.name + ".part")
    with explained(path):
        try:
            part.write_bytes(data)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns what the system says into one line that names the file."""
    try:
        yield
    except OSError as error:
        if isinstance(error, KibitzError):
            raise
        raise Unwritable(path, (error.strerror or str(error)).lower()) from None
