"""A fair queue for cores: turns go to the person, and then the match, that had least of late; long work is interrupted.

Work waits for a turn and holds it until it is done. If someone who had less waits meanwhile, the work is paused, with
its process, and goes on later. So a person's hundred searches take no more from others than one does, and a short move
never waits for a long search.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Protocol

from kibitz.server.workers.budgets import Budgets, BudgetSpent, ThinkingStopped

TICK = 0.05
"""Seconds after which the turns are looked at again while something waits or runs."""
MARGIN = 0.1
"""Seconds that someone must have had less to interrupt another."""
HALF_LIFE = 20.0
"""Seconds after which half of what someone had is forgotten."""
LONG = 5.0
"""Seconds of one piece of work that count against it: the longer it runs, the sooner it gives way."""


class Pausable(Protocol):
    """A process that can be paused, resumed and killed."""

    def compiling_seconds(self) -> float:
        """Seconds that it has spent on compiling kernels, which is nobody's thinking."""

    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def kill(self, why: ThinkingStopped | None = None) -> None: ...


class Turn:
    """The right of one piece of work to a core."""

    def __init__(self, payer: str, match: Hashable, limit: float | None, number: int) -> None:
        self.payer, self.match, self.limit, self.number = payer, match, limit, number
        self.worker: Pausable | None = None
        """The process that is paused when another has the core."""
        self.held = 0.0
        """Seconds on a core, up to the last pause."""
        self.since: float | None = None
        """When it got the core; None while it waits."""
        self.granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def seconds(self, now: float) -> float:
        """Seconds on a core."""
        return self.held + (0.0 if self.since is None else now - self.since)


class RecentUse:
    """Seconds on a core by person or match, of which the past counts less and less."""

    def __init__(self) -> None:
        self.values: dict[Hashable, tuple[float, float]] = {}

    def value(self, key: Hashable, now: float) -> float:
        """Recent seconds."""
        used, at = self.values.get(key, (0.0, now))
        return used * math.exp2((at - now) / HALF_LIFE)

    def add(self, key: Hashable, seconds: float, now: float) -> None:
        """Book seconds."""
        self.values[key] = self.value(key, now) + seconds, now
        if len(self.values) > 1000:
            self.values = {each: pair for each, pair in self.values.items() if self.value(each, now) > 1e-3}


class Scheduler:
    """Gives turns on *slots* cores, and stops work whose budget is spent. It is used by one event loop."""

    def __init__(self, slots: int, budgets: Budgets, *, now: Callable[[], float] = time.monotonic) -> None:
        self.slots, self.budgets, self.now = slots, budgets, now
        self.running: list[Turn] = []
        self.waiting: list[Turn] = []
        self.persons, self.matches = RecentUse(), RecentUse()
        self.count = 0
        self.tick: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def turn(self, payer: str, match: Hashable = None, limit: float | None = None) -> AsyncIterator[Turn]:
        """Wait for a turn, and hold it; work that holds a core for more than *limit* seconds is killed."""
        refused = self.budgets.refusal(payer, match)
        if refused:
            raise BudgetSpent(refused)
        self.count += 1
        turn = Turn(payer, match, limit, self.count)
        self.waiting.append(turn)
        self.arrange()
        try:
            await turn.granted
            yield turn
        finally:
            self.release(turn)
            self.arrange()

    def arrange(self) -> None:
        """Give free cores away, and interrupt those who had most for those who had least."""
        now = self.now()
        while self.waiting and len(self.running) < self.slots:
            self.grant(min(self.waiting, key=lambda turn: self.rank(turn, now)), now)
        while self.waiting:
            first = min(self.waiting, key=lambda turn: self.rank(turn, now))
            last = max(self.running, key=lambda turn: self.rank(turn, now))
            if last.worker is None or not self.precedes(first, last, now):
                break
            self.pause(last, now)
            self.grant(first, now)
        if self.tick is None and self.running:
            self.tick = asyncio.get_running_loop().call_later(TICK, self.look_again)

    def look_again(self) -> None:
        """Check budgets and arrange the turns again."""
        self.tick = None
        now = self.now()
        for turn in self.running:
            why = "" if turn.worker is None else self.excess(turn, now)
            if turn.worker is not None and why:
                turn.worker.kill(BudgetSpent(why))
        self.arrange()

    def excess(self, turn: Turn, now: float) -> str:
        """Why running work must be stopped, in words; empty if it may go on."""
        assert turn.worker is not None, "work begins with its process"
        if turn.limit is not None and turn.seconds(now) - turn.worker.compiling_seconds() > turn.limit:
            return f"no answer within {turn.limit:.3g} s"
        running = sum(now - each.since for each in self.running if each.since and each.payer == turn.payer)
        return self.budgets.refusal(turn.payer, turn.match, running)

    def rank(self, turn: Turn, now: float) -> tuple[float, float, int]:
        """The order of turns: the least first."""
        return self.use(turn, now, of_match=False), self.use(turn, now, of_match=True), turn.number

    def use(self, turn: Turn, now: float, *, of_match: bool) -> float:
        """What its person, or its match, had recently, and some of what this very work had."""
        book, key = (self.matches, turn.match) if of_match else (self.persons, turn.payer)
        current = sum(
            now - each.since
            for each in self.running
            if each.since is not None and (each.match if of_match else each.payer) == key
        )
        return book.value(key, now) + current + min(turn.seconds(now), LONG)

    def precedes(self, one: Turn, other: Turn, now: float) -> bool:
        """Whether work that waits should interrupt other work."""
        of_match = one.payer == other.payer
        return self.use(one, now, of_match=of_match) + MARGIN < self.use(other, now, of_match=of_match)

    def grant(self, turn: Turn, now: float) -> None:
        """Let work begin, or go on."""
        self.waiting.remove(turn)
        self.running.append(turn)
        turn.since = now
        if turn.worker is not None:
            turn.worker.resume()
        if not turn.granted.done():
            turn.granted.set_result(None)

    def pause(self, turn: Turn, now: float) -> None:
        """Interrupt work; it waits again."""
        assert turn.worker is not None, "work without a process cannot be interrupted"
        turn.worker.pause()
        self.book(turn, now)
        self.running.remove(turn)
        self.waiting.append(turn)

    def stop(self, match: Hashable, why: ThinkingStopped) -> None:
        """Stop all work for a match, waiting or running."""
        for turn in [each for each in self.waiting + self.running if each.match == match]:
            if turn.worker is not None:
                turn.worker.kill(why)
            elif not turn.granted.done():
                turn.granted.set_exception(why)

    def release(self, turn: Turn) -> None:
        """Take a turn back."""
        if turn in self.waiting:
            self.waiting.remove(turn)
            if turn.worker is not None:
                turn.worker.resume()
            return
        self.book(turn, self.now())
        self.running.remove(turn)

    def book(self, turn: Turn, now: float) -> None:
        """Charge the seconds since it got the core."""
        if turn.since is not None:
            seconds, turn.since = now - turn.since, None
            turn.held += seconds
            self.persons.add(turn.payer, seconds, now)
            self.matches.add(turn.match, seconds, now)
            self.budgets.charge(turn.payer, turn.match, seconds)
