"""The measures of a study: tables of means with their intervals, made from the rows of its parts.

A measure is a table. Its lines are the combinations of levels in `by`; its columns are figures of the rows with these
levels. An interval that says nothing is never shown: the cell then says how many more independent blocks are needed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import inf, isfinite
from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from kibitz.core.errors import BadDefinition
from kibitz_lab.arena.plots.charts import dots
from kibitz_lab.arena.statistics import Estimate, mean_interval
from kibitz_lab.arena.statistics.intervals import LEAST_BLOCKS, too_few
from kibitz_lab.studies.study import Results, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

Value = Estimate | float | int | str | None
NO_LEVELS: Mapping[str, Any] = MappingProxyType({})


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of every line of a measure."""

    name: str
    """Its heading."""
    of: str | Callable[[Sequence[Row]], Value] = ""
    """The entry of the rows whose mean is taken, by default the name; or a function of the rows of a line."""
    exact: bool = False
    """Whether the entry was computed and not sampled: it has no interval, and words are allowed."""
    bounds: tuple[float, float] | None = None
    """The least and the largest possible value of the entry."""
    block: str = ""
    """The entry that names the independent block of a row; by default every row is one."""
    less: Mapping[str, Any] = NO_LEVELS
    """For a paired difference: the levels of the line that is subtracted, row by row, where `pair` is the same."""
    pair: str = "seed"
    least: int = LEAST_BLOCKS
    """The fewest blocks of which an interval is shown."""


def exact_columns(*names: str) -> tuple[Column, ...]:
    """Columns of entries that were computed and not sampled."""
    return tuple(Column(name=name, exact=True) for name in names)


def fractions(*names: str, block: str = "") -> tuple[Column, ...]:
    """Columns of fractions."""
    return tuple(Column(name=name, bounds=(0.0, 1.0), block=block) for name in names)


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the report."""

    name: str
    """Its title; claims refer to it."""
    part: str | tuple[str, ...]
    """The part whose rows it shows, or several."""
    by: tuple[str, ...]
    """The factors: a line for each combination of their levels, in order of appearance."""
    columns: tuple[Column, ...]
    about: str = ""
    """What the columns mean: the same text whatever the data say."""
    rows: Callable[[Results], Iterable[Row]] | None = None
    """The rows, if they are not those of the part."""
    shown: bool = False
    """Whether `kibitz study` prints the table."""
    across: bool = False
    """Whether the table shows the first column alone, and has a column for each level of the last factor."""
    drawn: bool = False
    """Whether the first column is drawn, too: a dot for each level of the last factor."""
    best_first: bool = False
    """Whether lines that differ in the last factor are ordered by the first column."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts it needs."""
        return (self.part,) if isinstance(self.part, str) else self.part

    def column(self, name: str) -> Column:
        """The column with this name; by default the first."""
        for each in self.columns:
            if each.name == name or not name:
                return each
        raise BadDefinition(self.name, f"it has no column {name!r}")

    def lines(self, results: Results) -> "list[MeasureLine]":
        """The lines, from the results so far."""
        found: dict[tuple[Any, ...], list[Row]] = {}
        for row in self.rows_of(results):
            found.setdefault(tuple(row.get(name) for name in self.by), []).append(row)
        lines = [
            MeasureLine(
                dict(zip(self.by, levels, strict=True)),
                {each.name: self.value(each, rows, found) for each in self.columns},
            )
            for levels, rows in found.items()
        ]
        if not self.best_first:
            return lines
        groups = list(dict.fromkeys(levels[:-1] for levels in found))
        places = {levels: groups.index(levels[:-1]) for levels in found}
        first = self.columns[0].name
        return sorted(lines, key=lambda line: (places[tuple(line.levels.values())], -mean_of(line.values[first])))

    def rows_of(self, results: Results) -> Iterable[Row]:
        """All rows."""
        if self.rows is not None:
            return self.rows(results)
        return [row for part in self.parts for row in results.rows(part)]

    def value(self, column: Column, rows: Sequence[Row], lines: Mapping[tuple[Any, ...], list[Row]]) -> Value:
        """A figure of one line."""
        of = column.of or column.name
        if callable(of):
            found = of(rows)
            return found.within(column.bounds) if isinstance(found, Estimate) and column.bounds else found
        if column.exact:
            entries = [row[of] for row in rows if row.get(of) is not None]
            return None if not entries else entries[0] if len(set(map(str, entries))) == 1 else fmean(entries)
        values = [(row, row[of]) for row in rows if row.get(of) is not None]
        if column.less:
            levels = tuple(column.less.get(name, rows[0].get(name)) for name in self.by)
            if lines.get(levels) is rows:
                return None  # a line has no difference from itself
            others = {row[column.pair]: row[of] for row in lines.get(levels, ()) if row.get(of) is not None}
            values = [(row, value - others[row[column.pair]]) for row, value in values if row[column.pair] in others]
        if not values:
            return None
        blocks = [str(row[column.block]) for row, _ in values] if column.block else None
        known = column.bounds if column.bounds and isfinite(column.bounds[1]) else None
        found = mean_interval([value for _, value in values], blocks, bounds=known)
        return found.within(column.bounds) if column.bounds else found


class MeasureLine(msgspec.Struct, frozen=True):
    """A line of a measure: its levels, and its figures by column."""

    levels: Mapping[str, Any]
    values: Mapping[str, Value]


def mean_of(value: Value) -> float:
    """A figure as a number to sort by; words and missing ones come last."""
    number = value.mean if isinstance(value, Estimate) else value
    return float(number) if isinstance(number, (int, float)) and isfinite(number) else -inf


def is_vacuous(found: Estimate, column: Column) -> bool:
    """Whether an interval says nothing, or is of too few blocks."""
    return found.blocks < column.least or found.is_vacuous()


def shown_value(value: Value, column: Column) -> Value:
    """A figure as tables show it."""
    if isinstance(value, Estimate) and is_vacuous(value, column):
        return too_few(value.missing_blocks(column.least))
    return value


def drawing_of(measure: Measure, lines: Sequence[MeasureLine]) -> "Callable[[], Picture] | None":
    """A function that draws the first column; None if there is nothing to draw."""
    column, groups = measure.columns[0], dict[str, dict[str, Estimate]]()
    for line in lines if measure.drawn else ():
        *names, last = map(str, line.levels.values())
        value = line.values[column.name]
        if isinstance(value, Estimate) and not is_vacuous(value, column):
            groups.setdefault(", ".join(names), {})[last] = value
    return partial(dots, groups, label=column.name) if groups else None
