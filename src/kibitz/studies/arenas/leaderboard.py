"""Puts the tables of finished arena reports into a page of Markdown; needed to renew the leaderboards in the docs.

    python -m kibitz.studies.arenas.leaderboard PAGE studies/arena-rps/report.md …

The page has a place for each study: `<!-- arena-rps -->` and `<!-- end -->`; what stands between is replaced.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from kibitz.core.errors import BadDefinition
from kibitz.core.files import read_text, write_file
from kibitz.studies import STUDIES

TABLE = re.compile(r"^\*(?P<caption>.*)\*\n\n(?:\|.*\n)+", re.MULTILINE)
"""A caption and the lines of a table."""
END = "<!-- end -->"
PARTS = re.compile(r"^## How it was made", re.MULTILINE)


def report_tables(report: str, captions: str) -> list[str]:
    """The tables of a report in Markdown whose captions match."""
    told = PARTS.split(report)[0]
    return [found.group().strip() for found in TABLE.finditer(told) if re.search(captions, found["caption"])]


CAPTIONS = {
    "arena-rps": "^Return|^Exploitability",
    "arena-axelrod": "^Ranks|^Everybody",
    "arena-poker": "share of what can be won.* interval over",
}
"""Patterns for the captions of the tables that a leaderboard shows."""


def renew_page(page: str, study: str, report: str) -> str:
    """The page with the tables of a study's report in their place."""
    start = f"<!-- {study} -->"
    if start not in page or END not in page.partition(start)[2]:
        raise BadDefinition(study, f"the page has no place {start} … {END}")
    before, _, rest = page.partition(start)
    after = rest.partition(END)[2]
    size = re.search(r"^Study `.*$", report, re.MULTILINE)
    told = [*([size.group()] if size else []), *report_tables(report, CAPTIONS[study])]
    return "\n\n".join([before + start, *told, END + after])


def renew_file(path: Path, reports: Sequence[Path]) -> None:
    """Renew the page in a file by reports in files, each in the folder of its study."""
    page = read_text(path, BadDefinition)
    for report in reports:
        text = read_text(report, BadDefinition)
        study = next((name for name in CAPTIONS if f"kibitz study {name}" in text and name in STUDIES), "")
        if not study:
            raise BadDefinition(str(report), f"it is not the report of one of {', '.join(CAPTIONS)}")
        page = renew_page(page, study, text)
    write_file(path, page)


if __name__ == "__main__":
    renew_file(Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]])
