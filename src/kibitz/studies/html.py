"""A report as one self-contained HTML file, with style and pictures inside."""

import re
from collections.abc import Iterator, Mapping
from html import escape

from kibitz.studies.blocks import Block, Figure, Paragraph, Table, numeric, words
from kibitz.studies.report import Chapter, Report

STYLE = """
:root { color-scheme: light }
body { margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 60rem; color: #1a1a1a; background: #fff;
       font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif }
h1 { font-size: 1.7rem; line-height: 1.25; margin: .4rem 0 } h2 { font-size: 1.25rem; margin: 2.4rem 0 .6rem }
p { margin: .6rem 0 } code { font: .92em ui-monospace, "DejaVu Sans Mono", monospace; background: #f2f4f7;
       padding: .05em .3em; border-radius: .25em; overflow-wrap: anywhere }
.meta { color: #555 }
.unfinished { background: #fdf0e6; border-left: 4px solid #d55e00; padding: .6rem 1rem; margin: 1rem 0 }
.wide { overflow-x: auto; margin: 1rem 0 } figure { margin: 1.2rem 0 }
figcaption, .caption { color: #444; font-size: .92rem }
.caption { margin: 1.2rem 0 0 } .caption + .wide { margin-top: .2rem }
figure .wide { margin: 0 }
svg { display: block; height: auto; max-width: 100%; min-width: 32rem }
table { border-collapse: collapse; font-size: .92rem }
th, td { padding: .28rem .55rem; border-bottom: 1px solid #e3e3e3;
       text-align: left; vertical-align: top } th { border-bottom: 2px solid #999; vertical-align: bottom }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap } th.number { text-align: right }
""".strip()


def html(report: Report, pictures: Mapping[str, str]) -> str:
    """The page; *pictures* are the figures as SVG, by name."""
    size = "the small version (--quick)" if report.quick else "the whole study"
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(report.title)}</title>",
        f"<style>\n{STYLE}\n</style></head><body>",
        f"<h1>{inline(report.title)}</h1>",
        f'<p class="meta">Study <code>{escape(report.study)}</code>, {size}, seed {report.seed}: '
        f"{report.progress}.</p>",
    ]
    if not report.complete:
        again = "The same command resumes it."
        lines.append(f'<p class="unfinished"><strong>Unfinished:</strong> {report.progress} are done. {again}</p>')
    lines.append("<h2>What was asked</h2>")
    lines += [f"<p>{inline(text)}</p>" for text in report.asks.split("\n\n")]
    for chapter in (*report.all_chapters(), report.making):
        lines += chapter_lines(chapter, pictures)
    if report.sources:
        lines.append("<h2>Sources</h2><ul>" + "".join(f"<li>{inline(text)}</li>" for text in report.sources) + "</ul>")
    return "\n".join([*lines, "</body></html>", ""])


def chapter_lines(chapter: Chapter, pictures: Mapping[str, str]) -> Iterator[str]:
    """A heading and its blocks."""
    yield f"<h2>{inline(chapter.title)}</h2>"
    for block in chapter.blocks:
        yield block_text(block, pictures)


def block_text(block: Block, pictures: Mapping[str, str]) -> str:
    """One block."""
    match block:
        case Paragraph():
            return f"<p>{inline(block.text)}</p>"
        case Table():
            return table_text(block)
        case Figure():
            picture = f'<div class="wide" role="img" aria-label="{escape(block.caption)}">{pictures[block.name]}</div>'
            return f"<figure>{picture}<figcaption>{inline(block.caption)}</figcaption></figure>"


def table_text(table: Table) -> str:
    """A table that scrolls separately on narrow screens."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    right = [bool(cells) and all(cell is None or numeric(cell) for cell in cells) for cells in columns]
    marks = [' class="number"' if number else "" for number in right]
    heads = "".join(f"<th{mark}>{inline(name)}</th>" for mark, name in zip(marks, table.columns, strict=True))
    rows = []
    for row in table.rows:
        cells = zip(marks, row, strict=True)
        rows.append("<tr>" + "".join(f"<td{mark}>{inline(words(cell))}</td>" for mark, cell in cells) + "</tr>")
    body = "\n".join(rows)
    drawn = f"<table><thead><tr>{heads}</tr></thead><tbody>\n{body}\n</tbody></table>"
    caption = f'<p class="caption">{inline(table.caption)}</p>\n' if table.caption else ""
    return f'{caption}<div class="wide">{drawn}</div>'


def inline(text: str) -> str:
    """Text with names in backticks as code; all other markup is escaped."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
