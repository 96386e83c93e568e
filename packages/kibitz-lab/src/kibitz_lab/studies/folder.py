"""Writes a report into a folder, every file atomically: HTML, Markdown, pictures, and the rows behind them."""

from pathlib import Path

import msgspec

from kibitz.core.files import make_folder, write_file
from kibitz.plots.style import render_figure
from kibitz_lab.arena.plots.charts import vector
from kibitz_lab.studies.markdown import PICTURES, html, markdown
from kibitz_lab.studies.report import Report
from kibitz_lab.studies.runs import StudyRun

DATA = "rows"
PROLOGUE = '<?xml version="1.0" encoding="utf-8"?>\n'


def default_folder(study: str, *, quick: bool) -> Path:
    """The default folder of a report: `studies/NAME` or `studies/NAME-quick` under the current folder."""
    return Path("studies", study + ("-quick" if quick else ""))


def check_folder(folder: Path) -> None:
    """Make the folder and check that it can be written, before the study runs."""
    for each in (folder, folder / PICTURES, folder / DATA):
        make_folder(each)


def write_report(report: Report, run: StudyRun, folder: Path | str) -> Path:
    """Write everything; return the path of the HTML file. A folder that holds this very report is left unchanged."""
    folder = Path(folder)
    page, text = folder / "report.html", folder / "report.md"
    words = markdown(report).encode()
    check_folder(folder)
    if page.exists() and text.exists() and text.read_bytes() == words:
        return page
    text.unlink(missing_ok=True)  # it is written last, so it exists only if all other files do
    vectors = {figure.name: vector(figure.draw, figure.name) for figure in report.figures()}
    for name, svg in vectors.items():
        write_file(folder / PICTURES / f"{name}.svg", PROLOGUE + svg)
    for figure in report.figures():  # for slides and papers
        write_file(folder / PICTURES / f"{figure.name}.png", render_figure(figure.draw, "png"))
    for name, each in run.runs.items():
        if each.rows:
            lines = [msgspec.json.encode({**row.row, "kibitz": row.kibitz}) + b"\n" for row in each.rows]
            write_file(folder / DATA / f"{name}.jsonl", b"".join(lines))
    write_file(page, html(report, vectors))
    write_file(text, words)
    return page
