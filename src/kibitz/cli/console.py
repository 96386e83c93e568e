"""The terminal: a console, plain tables, bars. It loads quickly; what shows a match is in `screen`."""

import sys
from contextlib import AbstractContextManager, nullcontext

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

BAR = 12
COLOURS = ("blue", "dark_orange", "green", "magenta", "yellow", "cyan")


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


def plain_table(title: str | Text | None = None) -> Table:
    """A table with few lines."""
    words = Text(title, style="italic") if isinstance(title, str) else title
    return Table(box=SIMPLE, show_edge=False, pad_edge=False, title=words, title_justify="left")


def colour(player: int) -> str:
    """The colour of a player's moves and bars."""
    return COLOURS[player % len(COLOURS)]


def bar(share: float) -> str:
    """A share as a bar of block characters."""
    eighths = round(min(1.0, max(0.0, share)) * BAR * 8)
    return ("█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]).ljust(BAR)
