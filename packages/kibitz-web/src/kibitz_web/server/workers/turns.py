"""Who may compute, and for how long: so many pieces of work at once for each person, so many seconds for each match.

The system shares the cores among the processes of all people. Operators, and the server itself, have no limit of time.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Protocol

import msgspec

from kibitz.core.errors import Refused
from kibitz.core.processes import Limits

NICE = 5
"""How much a worker yields to the server, which answers everyone."""
MOST_KNOWN = 10_000
"""Number of operators and matches that are remembered."""


class ThinkingStopped(Refused):
    """Work that was stopped because its match is over or its viewer has left."""


class BudgetSpent(ThinkingStopped):
    """Work that was stopped, or not begun, because it or its person used too much."""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one person, unless they are an operator."""

    match_seconds: float = 3600.0
    """Seconds of work for one match, and of one piece of work for none."""
    memory: int = 1 << 30
    """Bytes of one worker."""
    total_memory: int = 3 << 30
    """Bytes of all workers of a person."""
    workers: int = 200
    """Workers of a person at once."""


class Killable(Protocol):
    """A process that works."""

    def kill(self, why: ThinkingStopped | None = None) -> None: ...


class Turn:
    """The right of one piece of work to run."""

    def __init__(self, payer: str, match: Hashable) -> None:
        self.payer, self.match = payer, match
        self.process: Killable | None = None
        self.why: ThinkingStopped | None = None
        """Why it was stopped."""
        self.begun = self.booked = 0.0
        self.granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def worker(self) -> Killable | None:
        """The process that is killed when its time is over; it may come later than its turn."""
        return self.process

    @worker.setter
    def worker(self, process: Killable) -> None:
        self.process = process
        if self.why is not None:
            process.kill(self.why)

    def stop(self, why: ThinkingStopped) -> None:
        """End the work, or let it not begin."""
        self.why = why
        if self.process is not None:
            self.process.kill(why)
        elif not self.granted.done():
            self.granted.set_exception(why)

    def seconds(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.begun


class Turns:
    """Lets so many pieces of work of each person run *at_once*. It is used by one event loop."""

    def __init__(self, at_once: int, budget: Budget | None = None) -> None:
        self.at_once, self.budget = at_once, budget or Budget()
        self.unlimited: dict[str, None] = {"": None}
        """Operators, those last who were named last; without accounts every browser is one, so they are bounded."""
        self.matches: dict[Hashable, float] = {}
        """Seconds that each match has used."""
        self.waiting: list[Turn] = []
        self.running: list[Turn] = []

    def set_unlimited(self, name: str, *, unlimited: bool) -> None:
        """Say whether a person is an operator; a server says so whenever they ask for something."""
        self.unlimited.pop(name, None)
        if unlimited or not name:
            self.unlimited[name] = None
            if len(self.unlimited) > MOST_KNOWN:
                del self.unlimited[next(each for each in self.unlimited if each)]

    def limits(self, payer: str) -> Limits:
        """The limits of a worker for a person."""
        return Limits(None if payer in self.unlimited else self.budget.memory, nice=NICE)

    @asynccontextmanager
    async def turn(self, payer: str, match: Hashable = None) -> AsyncIterator[Turn]:
        """Wait for a turn, and hold it."""
        turn = Turn(payer, match)
        if refused := self.excess(turn):
            raise BudgetSpent(refused)
        self.waiting.append(turn)
        self.begin_waiting()
        try:
            await turn.granted
            yield turn
        finally:
            if turn in self.running:
                self.running.remove(turn)
                self.book(turn)
            else:
                self.waiting.remove(turn)
            self.begin_waiting()

    def begin_waiting(self) -> None:
        """Begin the work of all who have fewer pieces of work running than they may."""
        counts = Counter(turn.payer for turn in self.running)
        for turn in list(self.waiting):
            if counts[turn.payer] < self.at_once and not turn.granted.done():
                counts[turn.payer] += 1
                self.waiting.remove(turn)
                self.running.append(turn)
                turn.begun = time.monotonic()
                turn.granted.set_result(None)

    def look(self) -> None:
        """Kill work whose time is over; call it now and then."""
        for turn in self.running:
            self.book(turn)
            if turn.why is None and (why := self.excess(turn)):
                turn.stop(BudgetSpent(why))

    def book(self, turn: Turn) -> None:
        """Charge the seconds since the last time to the match."""
        seconds = turn.seconds()
        if turn.match is not None:
            self.matches[turn.match] = self.matches.get(turn.match, 0.0) + seconds - turn.booked
            if len(self.matches) > MOST_KNOWN:
                del self.matches[next(iter(self.matches))]
        turn.booked = seconds

    def excess(self, turn: Turn) -> str:
        """Why work may not go on, in words; empty if it may."""
        most = self.budget.match_seconds
        if turn.payer not in self.unlimited and max(turn.booked, self.matches.get(turn.match, 0.0)) >= most:
            return f"the match has used its {most:,.0f} s of computing"
        return ""

    def stop(self, match: Hashable, why: ThinkingStopped) -> None:
        """Stop all work for a match, waiting or running."""
        for turn in [each for each in self.waiting + self.running if each.match == match]:
            turn.stop(why)
