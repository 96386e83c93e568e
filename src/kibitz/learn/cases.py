"""Read and write `.dat` files of cases for EM: a line of names, then a line per case, `?` for a missing value.

Table 8.1 of Pedersen (2008) is such a file: the features at t − 2, the features at t, S_b and S_w, which is missing.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from kibitz.core.errors import BadNetwork, BadSource, short_repr
from kibitz.core.files import cell_text, csv_cell, read_text, write_file

MISSING = "?"
MISSING_WORDS = ("?", "", "*", "N/A")
"""What other programs write for a missing value."""
PLAIN = re.compile(r"[^\s,;%#\"']+\Z")
"""Values that need no quotes."""


class CaseTable(NamedTuple):
    """Columns by name, and rows of values as text; None is missing."""

    names: tuple[str, ...]
    rows: list[tuple[str | None, ...]]


def write_cases(path: Path | str, names: Sequence[str], rows: Iterable[Sequence[str | None]]) -> None:
    """Write a `.dat` file."""
    write_file(path, cases_text(names, rows))


def cases_text(names: Sequence[str], rows: Iterable[Sequence[str | None]], blame: type[BadSource] = BadNetwork) -> str:
    """The lines of a `.dat` file; raises *blame* for a value that the file cannot hold."""
    lines = [",".join(quote_value(name, blame) for name in names)]
    lines += [",".join(MISSING if value is None else quote_value(value, blame) for value in row) for row in rows]
    return "\n".join(lines) + "\n"


def read_cases(path: Path | str) -> CaseTable:
    """The cases of a `.dat` file, whose values are separated by commas, semicolons or blanks."""
    return parse_cases(read_text(path, BadNetwork), path)


def parse_cases(text: str, source: object = "dat", blame: type[BadSource] = BadNetwork) -> CaseTable:
    """The cases in *text*; errors are of the type *blame* and name *source*."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith(("%", "#"))]
    if not lines:
        raise blame(source, "it is empty; its first line names the columns")
    names = _split(lines[0][1])
    if len(set(names)) < len(names) or not all(names):
        raise blame(source, f"line {lines[0][0]}: every column needs a name of its own")
    rows: list[tuple[str | None, ...]] = []
    for number, line in lines[1:]:
        values = _split(line)
        if len(values) != len(names):
            why = f"{len(values)} values, but {len(names)} columns{'' if number < lines[-1][0] else '; is it cut off?'}"
            raise blame(source, f"line {number}: {why}")
        rows.append(tuple(None if value in MISSING_WORDS else value for value in values))
    return CaseTable(tuple(names), rows)


def _split(line: str) -> list[str]:
    mark = next((mark for mark in (",", ";", "\t") if mark in line), " ")
    return [cell_text(value.strip()) for value in next(csv.reader([line], delimiter=mark, skipinitialspace=True))]


def quote_value(value: str, blame: type[BadSource] = BadNetwork) -> str:
    """A value in its file form, in quotes if it needs them."""
    if value.strip() != value or not value.isprintable() or value in MISSING_WORDS or '"' in value:
        raise blame("rows", f"files cannot hold the value {short_repr(value)}; use plain words")
    cell = csv_cell(value)
    return cell if PLAIN.match(cell) else f'"{cell}"'
