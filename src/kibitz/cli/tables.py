"""Tables and progress of runs for the terminal."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from math import floor, log10
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from kibitz.arena.standings import RunSummary as RunTable
from kibitz.arena.standings import Standings
from kibitz.arena.statistics import Estimate
from kibitz.cli.console import plain_table

NOTHING = 1e-9
"""An interval narrower than this is a rounding error."""
LIVE_ROWS = 15
EVERY = 10.0
"""Seconds between lines of progress where there is no terminal."""
SECONDS_SEEN, STEPS_SEEN, SHARE_SEEN = 10.0, 10, 0.25
"""Needed before the remaining time is shown: seconds, and either steps or a share of the work."""


class Pace:
    """Estimates the remaining time of some work, once enough of it is done.

    Time counts from the first finished step, because before it processes start and kernels compile.
    """

    def __init__(self, work: float = 0.0) -> None:
        """*work* is the amount done before."""
        self.work, self.steps = work, 0
        self.first: tuple[float, float] | None = None
        """The time of the first finished step, and the work done by then."""

    def reach(self, work: float, steps: int, now: float) -> None:
        """Note *steps* more finished steps, and *work* done in all."""
        self.work = work
        if self.first is None:
            self.first = now, work
        else:
            self.steps += steps

    def seconds_left(self, total: float, now: float) -> float | None:
        """Seconds until *total* is done; None while that is unknown."""
        if self.first is None:
            return None
        passed, worked = now - self.first[0], self.work - self.first[1]
        if passed < SECONDS_SEEN or worked <= 0.0 or (self.steps < STEPS_SEEN and worked < SHARE_SEEN * total):
            return None
        return max(0.0, total - self.work) * passed / worked


class ProgressDisplay:
    """Progress on stderr: a bar and a live table on a terminal, otherwise a line now and then."""

    def __init__(
        self,
        total: int,
        done: int = 0,
        *,
        what: str = "matches",
        quiet: bool = False,
        work: float | None = None,
        bound: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """*work* is the amount done before, if steps differ in it; *bound*: the work may end before *total*."""
        self.total, self.done, self.before, self.what = total, done, done, what
        self.console = Console(stderr=True)
        self.live: Live | None = None
        self.clock, self.bound = clock, bound
        self.started = self.last = clock()
        self.next_look = 0.0
        self.quiet = quiet
        self.pace = Pace(done if work is None else work)
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", style="dim"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", style="dim"),
            console=self.console,
        )
        self.task = self.progress.add_task(what, total=total, completed=done, rate="", left="")

    def __enter__(self) -> Self:
        if self.console.is_terminal and not self.quiet:
            self.live = Live(self.progress, console=self.console, transient=True, refresh_per_second=4)
            self.live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.live is not None:
            self.live.stop()

    def advance(self, count: int) -> None:
        """Count *count* more as done."""
        self.reach(self.done + count, self.total, self.what)

    def reach(self, done: int, total: int, what: str, work: tuple[float, float] | None = None) -> None:
        """Set the counts and the name of the current step.

        *work* is the work done and the total work, if steps differ in it.
        """
        now, steps = self.clock(), done - self.done
        self.done, self.total, self.what = done, total, what
        worked, whole = work or (float(done), float(total))
        self.pace.reach(worked, steps, now)
        rate = f"{(done - self.before) / max(now - self.started, 1e-9):.3g}/s"
        seconds = self.pace.seconds_left(whole, now)
        left = "" if seconds is None else f"{'at most' if self.bound else 'about'} {rough_time(seconds)} left"
        self.progress.update(self.task, description=what, total=total, completed=done, rate=rate, left=left)
        if self.live is None and not self.quiet and now - self.last > EVERY:
            self.last = now
            print(", ".join(filter(None, (f"{done} of {total}", rate, left))), file=sys.stderr, flush=True)

    def show(self, tables: Callable[[], Iterable[RenderableType]]) -> None:
        """Put tables above the bar and refresh them now and then, less often the more time they take."""
        start = time.monotonic()
        if self.live is not None and start > self.next_look:
            self.live.update(Group(*tables(), self.progress))
            self.next_look = time.monotonic() + min(max(0.5, 10 * (time.monotonic() - start)), 5.0)


def rough_time(seconds: float) -> str:
    """`40 s`, `3 min`, `1 h 57 min`, `25 h`."""
    if seconds < 99.5:
        return f"{max(1, round(seconds))} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes} min" if hours < 10 else f"{round(seconds / 3600)} h"


def standings(table: RunTable, *, most: int | None = None) -> Iterator[RenderableType]:
    """The table of a run, one per game."""
    for each in table.games:
        yield _standings(each, most)


def _standings(standings: Standings, most: int | None) -> RenderableType:
    rows = standings.rows
    table = plain_table(standings.game)
    table.add_column("")
    table.add_column("agent", overflow="fold", min_width=11)
    outcomes = ("won", "drawn", "lost") if standings.zero_sum else ()
    for heading in ("matches", "score", "95 % interval", *outcomes, "ms"):
        table.add_column(heading, justify="right", no_wrap=True)
    for rank, row in enumerate(rows[:most], 1):
        counts = [str(getattr(row, outcome)) for outcome in outcomes]
        score = mean(row.score)
        milliseconds = f"{row.seconds * 1000:.2g}"
        table.add_row(str(rank), Text(row.name), str(row.matches), score, interval(row.score), *counts, milliseconds)
    if most is not None and len(rows) > most:
        table.add_row("", Text(f"and {len(rows) - most} more", style="dim"))
    notes = [
        Text(f"{row.name}: {row.strikes} strikes, forfeited {row.forfeits} of {row.matches} matches", style="red")
        for row in rows
        if row.strikes
    ]
    return Group(table, *notes)


def rows_by(standings: Standings, by: str) -> RenderableType:
    """Each agent's score by opponent, by seat or by match of a series."""
    table = plain_table(standings.game)
    table.add_column("agent", overflow="fold")
    table.add_column(by, overflow="fold")
    for heading in ("matches", "score", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for agent in standings.rows:
        found: dict[str, Estimate] = {
            "opponent": {name: row.score for name, row in agent.opponents.items()},
            "seat": {str(seat): row.score for seat, row in agent.seats.items()},
            "match": {str(number): score for number, score in enumerate(agent.learning, 1)},
        }[by]
        for number, (label, score) in enumerate(found.items()):
            cells = (str(score.matches), mean(score), interval(score))
            table.add_row(Text("" if number else agent.name), Text(label), *cells)
    return table


def mean(estimate: Estimate) -> str:
    """A mean with the same number of decimals as its interval."""
    return f"{estimate.mean:z.{decimals(estimate)}f}"


def interval(estimate: Estimate) -> str:
    """An interval as text, or that it says nothing."""
    return estimate.interval_text(decimals(estimate))


def decimals(estimate: Estimate) -> int:
    """Decimals to print in a table: two digits of the interval's half width, unless it is close to zero."""
    half = (estimate.high - estimate.low) / 2
    return max(0, 1 - floor(log10(half))) if estimate.is_finite() and half > NOTHING else 2


def print_parts(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print parts with an empty line before each."""
    for part in parts:
        console.print()
        console.print(part)
