"""The files of a report: Markdown, HTML, pictures, and the rows behind them, each written atomically."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

import msgspec
from markdown_it import MarkdownIt

from kibitz.core.files import make_folder, write_file
from kibitz.plots.style import render_figure
from kibitz_lab.arena.plots.charts import vector
from kibitz_lab.studies.blocks import Block, Figure, Table, numeric, words
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


PICTURES = "figures"
STYLE = """
:root { color-scheme: light }
body { margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 60rem; color: #1a1a1a; background: #fff;
       font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif }
h1 { font-size: 1.7rem; line-height: 1.25; margin: .4rem 0 } h2 { font-size: 1.25rem; margin: 2.4rem 0 .6rem }
p { margin: .6rem 0 } code { font: .92em ui-monospace, "DejaVu Sans Mono", monospace; background: #f2f4f7;
       padding: .05em .3em; border-radius: .25em; overflow-wrap: anywhere }
h1 + p { color: #555 } p > em:only-child { color: #444; font-size: .92rem; font-style: normal }
blockquote { background: #fdf0e6; border-left: 4px solid #d55e00; padding: .2rem 1rem; margin: 1rem 0 }
.wide { overflow-x: auto; margin: .6rem 0 1rem } svg { display: block; height: auto; max-width: 100%; min-width: 32rem }
table { border-collapse: collapse; font-size: .92rem }
th, td { padding: .28rem .55rem; border-bottom: 1px solid #e3e3e3;
       text-align: left; vertical-align: top } th { border-bottom: 2px solid #999; vertical-align: bottom }
td[style] { font-variant-numeric: tabular-nums; white-space: nowrap }
""".strip()


def markdown(report: Report) -> str:
    """The text of the file."""
    return "\n\n".join(paragraphs(report)) + "\n"


def html(report: Report, pictures: Mapping[str, str]) -> str:
    """The same as a page; *pictures* are the figures as SVG, by name."""

    def picture(found: re.Match[str]) -> str:
        return f'<div class="wide" role="img" aria-label="{found[2]}">{pictures[found[1]]}</div>'

    body: str = MarkdownIt().enable("table").render(markdown(report))
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    body = re.sub(rf'<p><img src="{PICTURES}/(.*?)\.svg" alt="(.*?)" /></p>', picture, body)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>\n{STYLE}\n</style></head><body>\n{body}</body></html>\n"
    )


def paragraphs(report: Report) -> Iterator[str]:
    """All parts of the text, in order."""
    yield f"# {safe(report.title)}"
    size = "the small version (--quick)" if report.quick else "the whole study"
    yield f"Study `{report.study}`, {size}, seed {report.seed}: {report.progress}."
    if not report.complete:
        yield f"> **Unfinished:** {report.progress} are done. The same command resumes it."
    yield "## What was asked"
    yield safe(report.asks)
    for chapter in (*report.all_chapters(), report.making):
        yield f"## {safe(chapter.title)}"
        for block in chapter.blocks:
            yield block_text(block)
    if report.sources:
        yield "## Sources"
        yield "\n".join(f"- {safe(text)}" for text in report.sources)


def block_text(block: Block) -> str:
    """One block."""
    match block:
        case str():
            return safe(block)
        case Table():
            return table_text(block)
        case Figure():
            return f"![{safe(block.caption)}]({PICTURES}/{block.name}.svg)\n\n*{safe(block.caption)}*"


def table_text(table: Table) -> str:
    """A table with its caption above; numbers are aligned to the right."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    right = [bool(cells) and all(cell is None or numeric(cell) for cell in cells) for cells in columns]
    lines = [table.columns, ["---:" if number else "---" for number in right]]
    lines += [[words(cell) for cell in row] for row in table.rows]
    body = "\n".join(f"| {' | '.join(safe(cell).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
    return f"*{safe(table.caption)}*\n\n{body}" if table.caption else body


def safe(text: str) -> str:
    """Text with Markdown's special characters escaped, except backticks."""
    return text.replace("<", "&lt;").replace("*", "\\*")
