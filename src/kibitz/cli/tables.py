"""Tables and progress of runs, as a person sees them."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from math import floor, log10
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from kibitz.arena.standings import Standings
from kibitz.arena.standings import Table as RunTable
from kibitz.arena.statistics import Estimate, Summary
from kibitz.cli.screen import plain_table

NOTHING = 1e-9
"""An interval narrower than this is rounding."""
LIVE_ROWS = 15
EVERY = 10.0
"""Seconds between lines of progress where there is no terminal."""


class Watch:
    """Progress on stderr: a bar and a live table on a terminal, now and then a line elsewhere."""

    def __init__(self, total: int, done: int = 0, *, what: str = "matches", quiet: bool = False) -> None:
        self.total, self.done, self.before, self.what = total, done, done, what
        self.console = Console(stderr=True)
        self.live: Live | None = None
        self.started = self.last = time.monotonic()
        self.next_look = 0.0
        self.quiet = quiet
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", style="dim"),
            TimeElapsedColumn(),
            TextColumn("left", style="dim"),
            TimeRemainingColumn(elapsed_when_finished=False),
            console=self.console,
        )
        self.task = self.progress.add_task(what, total=total, completed=done, rate="")

    def __enter__(self) -> Self:
        if self.console.is_terminal and not self.quiet:
            self.live = Live(self.progress, console=self.console, transient=True, refresh_per_second=4)
            self.live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.live is not None:
            self.live.stop()

    def advance(self, count: int) -> None:
        """So many more are done."""
        self.done += count
        passed = time.monotonic() - self.started
        rate = (self.done - self.before) / max(passed, 1e-9)
        self.progress.update(
            self.task, description=self.what, total=self.total, completed=self.done, rate=f"{rate:.3g}/s"
        )
        if self.live is None and not self.quiet and time.monotonic() - self.last > EVERY:
            self.last = time.monotonic()
            left = (self.total - self.done) / max(rate, 1e-9)
            print(f"{self.done} of {self.total}, {rate:.3g}/s, about {left:.0f} s left", file=sys.stderr, flush=True)

    def reach(self, done: int, total: int, what: str) -> None:
        """So many are done now, of so many, and what is being done has another name."""
        self.total, self.what = total, what
        self.advance(done - self.done)

    def show(self, tables: Callable[[], Iterable[RenderableType]]) -> None:
        """Put tables above the bar, made anew now and then; the more work they are, the less often."""
        start = time.monotonic()
        if self.live is not None and start > self.next_look:
            self.live.update(Group(*tables(), self.progress))
            self.next_look = time.monotonic() + min(max(0.5, 10 * (time.monotonic() - start)), 5.0)


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
    """Of every agent, the score by who else sat there, by seat or by the match of a series, or its rating."""
    if by == "rating" and standings.unrated:
        return Text(f"not rated: {standings.unrated}")
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
            "rating": rated(standings, agent),
        }[by]
        for number, (label, score) in enumerate(found.items()):
            cells = (str(score.matches), mean(score), interval(score))
            table.add_row(Text("" if number else agent.name), Text(label), *cells)
    return table


def rated(standings: Standings, agent: Summary) -> dict[str, Estimate]:
    """The rating of an agent, if there is one yet."""
    if agent.name not in standings.ratings:
        return {}
    mu, sigma = standings.ratings[agent.name]
    return {"openskill": Estimate(mu, mu - 1.96 * sigma, mu + 1.96 * sigma, agent.matches, agent.blocks)}


def mean(estimate: Estimate) -> str:
    """A mean with as many decimals as its interval."""
    return f"{estimate.mean:z.{decimals(estimate)}f}"


def interval(estimate: Estimate) -> str:
    """An interval in characters; a dash where nothing is known."""
    places = decimals(estimate)
    return f"{estimate.low:z.{places}f} to {estimate.high:z.{places}f}" if estimate.known() else "–"


def decimals(estimate: Estimate) -> int:
    """Decimals worth printing in a table: two digits of the interval's half width, if it is not next to nothing."""
    half = (estimate.high - estimate.low) / 2
    return max(0, 1 - floor(log10(half))) if estimate.known() and half > NOTHING else 2


def printed(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print parts with an empty line before each."""
    for part in parts:
        console.print()
        console.print(part)
