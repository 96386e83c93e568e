"""Tables of labelled rows, each with its game and agent, and their CSV and ARFF files."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from kibitz.core.errors import BadExamples, short_repr
from kibitz.core.files import csv_cell, write_file
from kibitz_lab.learn.examples import Column, Examples, Value

Grouping = Literal["row", "game", "agent"]
"""Which rows stay together in cross-validation: none, those of one game, or those about one agent."""
ORIGIN = ("game", "agent")
"""The last columns of every file: the game a row comes from, and the agent it is about."""

MISSING = "?"
MISSING_WORDS = ("?", "", "*", "N/A")
"""What other programs write for a missing value."""
PLAIN = re.compile(r"[^\s,;%#\"']+\Z")
"""Values that need no quotes."""


class LabelledRow(NamedTuple):
    """The values of the columns, the label, and where they come from."""

    values: tuple[Value, ...]
    label: str
    game: str
    agent: str


class TableLayout(NamedTuple):
    """What the rows of a table hold: the columns to learn from and the one to predict."""

    name: str
    columns: tuple[Column, ...]
    target: Column
    """Its words are the labels; if it has none, the labels come from the rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """All columns of a file."""
        return *(column.name for column in self.columns), self.target.name, *ORIGIN


class ExampleTable(NamedTuple):
    """Rows of one layout."""

    layout: TableLayout
    rows: Sequence[LabelledRow]

    def groups(self, grouped: Grouping) -> set[int] | set[str]:
        """The groups of the rows."""
        return set(range(len(self.rows))) if grouped == "row" else {getattr(row, grouped) for row in self.rows}

    def examples(self, grouped: Grouping = "game") -> Examples:
        """The rows as examples to learn from, with dependent rows as one group."""
        columns = {
            column.name: [row.values[place] for row in self.rows] for place, column in enumerate(self.layout.columns)
        }
        return Examples.of(
            columns,
            [row.label for row in self.rows],
            labels=self.layout.target.values or None,
            words={column.name: column.values for column in self.layout.columns if column.values},
            groups=None if grouped == "row" else [getattr(row, grouped) for row in self.rows],
        )

    def with_columns(self, names: Iterable[str]) -> "ExampleTable":
        """The same rows with only some of the columns."""
        wanted = set(names)
        kept = [place for place, column in enumerate(self.layout.columns) if column.name in wanted]
        layout = self.layout._replace(columns=tuple(self.layout.columns[place] for place in kept))
        rows = [row._replace(values=tuple(row.values[place] for place in kept)) for row in self.rows]
        return ExampleTable(layout, rows)

    def texts(self) -> list[list[str | None]]:
        """All rows in their file form; None is missing."""
        return [[*map(_text, row.values), row.label, row.game, row.agent] for row in self.rows]


def write_table(path: Path | str, table: ExampleTable) -> None:
    """Write a table, as ARFF if the file's suffix says so, else as CSV."""
    lines = cases_text(table.layout.names, table.texts())
    if Path(path).suffix.lower() == ".arff":
        lines = "\n".join([*_header(table), lines.partition("\n")[2]])
    write_file(path, lines)


def cases_text(names: Sequence[str], rows: Iterable[Sequence[str | None]]) -> str:
    """The lines of a CSV file; None is a missing value."""
    lines = [",".join(map(quote_value, names))]
    lines += [",".join(MISSING if value is None else quote_value(value) for value in row) for row in rows]
    return "\n".join(lines) + "\n"


def quote_value(value: str) -> str:
    """A value in its file form, in quotes if it needs them."""
    if value.strip() != value or not value.isprintable() or value in MISSING_WORDS or '"' in value:
        raise BadExamples("rows", f"files cannot hold the value {short_repr(value)}; use plain words")
    cell = csv_cell(value)
    return cell if PLAIN.match(cell) else f'"{cell}"'


def _text(value: Value) -> str | None:
    """A value in its file form."""
    if value is None or isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) else repr(float(value))


def _header(table: ExampleTable) -> list[str]:
    """The lines of an ARFF file before its rows."""
    layout = table.layout
    labels = layout.target.values or sorted({row.label for row in table.rows})
    kinds = [*((column.name, column.values) for column in layout.columns), (layout.target.name, labels)]
    lines = [f"@relation {quote_value(layout.name)}"]
    lines += [f"@attribute {name} {_kind(words)}" for name, words in kinds]
    return [*lines, *(f"@attribute {name} string" for name in ORIGIN), "@data"]


def _kind(words: Sequence[str]) -> str:
    """The kind of an ARFF attribute."""
    return "{" + ",".join(map(quote_value, words)) + "}" if words else "numeric"
