"""A report as a Markdown file, with its pictures in separate files."""

from collections.abc import Iterator

from kibitz.studies.blocks import Block, Figure, Paragraph, Table, numeric, words
from kibitz.studies.report import Report

PICTURES = "figures"


def markdown(report: Report) -> str:
    """The text of the file."""
    return "\n\n".join(paragraphs(report)) + "\n"


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
        case Paragraph():
            return safe(block.text)
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
