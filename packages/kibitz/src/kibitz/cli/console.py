"""The terminal: a console, tables, bars, reports. It loads quickly; what shows a match is in `watch`."""

import csv as csv_files
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Self

import msgspec
from rich.box import SIMPLE
from rich.console import Console, RenderableType
from rich.status import Status
from rich.table import Table as RichTable
from rich.text import Text

from kibitz.core.drawing import TERMINAL

BAR = 12
LEAST = 13
"""Width at which a column of words stays at least, if its words are so long."""
NUMBER = re.compile(r"[-+±]?\d[-+\d.,e]*( (to|±) [-\d.]+)?( ?%)?\*?(\n.*)?|too few .*|–|")
"""Text that is aligned as a number."""


class Screen(Console):
    """A console that raises on a closed pipe and leaves the exit code to the command line."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


console = Screen(highlight=False)


def warn(words: str) -> None:
    """Print a warning on stderr; print nothing if it is empty."""
    if words:
        print(f"kibitz: {words}", file=sys.stderr)


def busy(words: str, *, quiet: bool = False) -> AbstractContextManager[object]:
    """A spinner on a terminal during long work."""
    return console.status(words) if console.is_terminal and not quiet else nullcontext()


Part = RenderableType
"""A part of what a command prints: a line, or a `Table`."""


class Table:
    """Headings and rows. A terminal shows columns of numbers aligned right; CSV has the cells as they are."""

    def __init__(
        self, headings: Sequence[str], rows: Iterable[Sequence[Any]], title: str | Text | None = None, *, rest: str = ""
    ) -> None:
        """*rest* says below the rows what is left out."""
        self.headings, self.rows, self.title, self.rest = headings, [list(row) for row in rows], title, rest

    @classmethod
    def of(cls, report: Iterable[Any], headings: Sequence[str] = ()) -> Self:
        """A row for each struct or dict, a column for each field."""
        found = [msgspec.structs.asdict(each) if isinstance(each, msgspec.Struct) else each for each in report]
        return cls(headings or tuple(found[0]), (tuple(each.values()) for each in found))

    def __rich__(self) -> RichTable:
        cells = [list(map(cell, row)) for row in self.rows]
        title = Text(self.title, style="italic") if isinstance(self.title, str) else self.title
        made = RichTable(box=SIMPLE, show_edge=False, pad_edge=False, title=title, title_justify="left")
        for number, heading in enumerate(self.headings):
            texts = [each.plain if isinstance(each := row[number], Text) else "" for row in cells]
            longest = max((len(line) for text in texts for line in text.splitlines()), default=0)
            if longest and all(map(NUMBER.fullmatch, texts)):
                made.add_column(heading, justify="right", no_wrap=all("\n" not in text for text in texts))
            else:
                made.add_column(heading, overflow="fold", min_width=min(longest, LEAST))
        for row in cells:
            made.add_row(*row)
        if self.rest:
            made.add_row("", Text(self.rest, style="dim"))
        return made

    def write_csv(self) -> None:
        """Print the table as CSV."""
        writer = csv_files.writer(sys.stdout, lineterminator="\n")
        writer.writerow(self.headings)
        writer.writerows([str(each) if isinstance(each, Text) else each for each in row] for row in self.rows)


def show(report: Any, parts: Iterable[Part] | None = None, *, json: bool = False, csv: bool = False) -> None:
    """Print a report: as JSON, its tables as CSV, or all its *parts* (by default one table of it)."""
    if json:
        print_json(report)
        return
    parts = [Table.of(report)] if parts is None else parts
    if csv:
        for number, shown in enumerate(part for part in parts if isinstance(part, Table)):
            print("\n" * bool(number), end="")
            shown.write_csv()
        return
    screen = Screen(highlight=False)  # as wide as COLUMNS says now
    for part in parts:
        screen.print(part, markup=False, soft_wrap=isinstance(part, (str, Text)))


def print_json(report: object) -> None:
    """Print a report as one line of JSON."""
    print(msgspec.json.encode(report).decode(), flush=True)


def dim(words: str) -> Text:
    """A remark below the results."""
    return Text(words, style="dim")


def bold(words: str) -> Text:
    """A line that says the result in short."""
    return Text(words, style="bold")


def cell(value: Any) -> RenderableType:
    """A value as a cell of a table; text is no markup."""
    if value is None or value != value:
        return Text("–")
    if isinstance(value, bool):
        return Text("yes", style="green") if value else Text("no", style="yellow")
    if isinstance(value, (int, float)):
        return Text(f"{value:,}" if isinstance(value, int) else f"{value:.4g}")
    return Text(value) if isinstance(value, str) else value


def colour(player: int) -> str:
    """The colour of a player's moves and bars."""
    return TERMINAL[player % len(TERMINAL)]


def bar(share: float) -> str:
    """A share as a bar of block characters."""
    eighths = round(min(1.0, max(0.0, share)) * BAR * 8)
    return ("█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]).ljust(BAR)


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """A line of progress on stderr, if that is a terminal."""
    terminal = Console(stderr=True)
    if quiet or not terminal.is_terminal:
        yield None
    else:
        with Status("solving", console=terminal) as status:
            yield status.update
