"""Tables of labelled rows, each with its game and agent, and their CSV and ARFF files."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from kibitz.core.errors import BadExamples, short_list, short_repr
from kibitz.core.files import read_text, write_file
from kibitz.learn.cases import CaseTable, cases_text, parse_cases, quote_value
from kibitz.learn.examples import Column, Examples, Value

Grouping = Literal["row", "game", "agent"]
"""Which rows stay together in cross-validation: none, those of one game, or those about one agent."""
ORIGIN = ("game", "agent")
"""The last columns of every file: the game a row comes from, and the agent it is about."""
ATTRIBUTE = re.compile(r"@attribute\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))\s+\S", re.IGNORECASE)


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
    lines = cases_text(table.layout.names, table.texts(), BadExamples)
    if Path(path).suffix.lower() == ".arff":
        lines = "\n".join([*_header(table), lines.partition("\n")[2]])
    write_file(path, lines)


def read_table(path: Path | str, layout: TableLayout) -> ExampleTable:
    """The table in a CSV or ARFF file, whose columns must be those of the layout in any order."""
    text = read_text(path, BadExamples)
    names, rows = _arff(text, path) if Path(path).suffix.lower() == ".arff" else parse_cases(text, path, BadExamples)
    missing = [name for name in layout.names if name not in names]
    foreign = [name for name in names if name not in layout.names]
    if missing:
        raise BadExamples(
            path, f"no column {short_list(missing)}; rows of {layout.name} need {', '.join(layout.names)}"
        )
    if foreign:
        raise BadExamples(path, f"unknown column {short_list(foreign)}; remove it: {layout.name} has no such column")
    if not rows:
        raise BadExamples(path, "there are no rows below the names of the columns")
    places = [names.index(name) for name in layout.names]
    found = [
        _row([row[place] for place in places], layout, f"{path}: row {number}") for number, row in enumerate(rows, 1)
    ]
    return ExampleTable(layout, found)


def _row(texts: Sequence[str | None], layout: TableLayout, where: str) -> LabelledRow:
    """One row, checked."""
    *values, label, game, agent = texts
    target = layout.target
    if label is None or game is None or agent is None:
        raise BadExamples(where, f"{target.name}, game and agent may not be missing")
    target.encode_value(label, where) if target.values else None
    return LabelledRow(
        tuple(_value(column, value, where) for column, value in zip(layout.columns, values, strict=True)),
        label,
        game,
        agent,
    )


def _value(column: Column, text: str | None, where: str) -> Value:
    """A value of a column, a number or one of its words."""
    if text is None or column.values:
        column.encode_value(text, where)
        return text
    try:
        number = float(text)
    except ValueError:
        raise BadExamples(
            where, f"{column.name} is {short_repr(text)}, which is not a number; write ? for a missing value"
        ) from None
    column.encode_value(number, where)
    return number


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
    lines = [f"@relation {quote_value(layout.name, BadExamples)}"]
    lines += [f"@attribute {name} {_kind(words)}" for name, words in kinds]
    return [*lines, *(f"@attribute {name} string" for name in ORIGIN), "@data"]


def _kind(words: Sequence[str]) -> str:
    """The kind of an ARFF attribute."""
    return "{" + ",".join(quote_value(word, BadExamples) for word in words) + "}" if words else "numeric"


def _arff(text: str, source: object) -> CaseTable:
    """The rows of an ARFF file; the names replace `@data`, so that errors name the right line."""
    lines = text.splitlines()
    at = next((place for place, line in enumerate(lines) if line.strip().lower() == "@data"), None)
    if at is None:
        raise BadExamples(source, "it has no line @data, which starts the rows of an ARFF file; is it cut off?")
    found = [ATTRIBUTE.match(line.strip()) for line in lines[:at]]
    names = [match[1] or match[2] or match[3] for match in found if match]
    if not names:
        raise BadExamples(source, "no line @attribute names a column")
    heading = ",".join(quote_value(name, BadExamples) for name in names)
    return parse_cases("\n".join([*[""] * at, heading, *lines[at + 1 :]]), source, BadExamples)
