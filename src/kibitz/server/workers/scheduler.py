"""A fair queue for cores: turns go to the person, and then the match, that had least of late; long work is interrupted.

Work waits for a turn and holds it until it is done. Short work runs at once, a few times as many pieces as there are
cores, because most of its time is waiting for a process to wake up. After a moment it counts as long: of long work as
much runs as there are cores, and the rest is paused, with its process, and goes on when it is its turn again. So a
person's hundred searches take no more from others than one does, and a short move never waits for a long search.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterable
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from kibitz.server.workers.budgets import Budgets, BudgetSpent, ThinkingStopped

TICK = 0.05
"""Seconds after which the turns are looked at again while something waits or runs, and work counts as long."""
SHORT_PER_CORE = 3
"""Pieces of short work that run at once for each core."""
MARGIN = 0.1
"""Seconds that someone must have had less to interrupt another."""
HALF_LIFE = 20.0
"""Seconds after which half of what someone had is forgotten."""
MOST_HALVINGS, FORGOTTEN = 16, 1e-6
"""When the unit of recent use is made small again, and the least that is remembered then."""
LONG = 5.0
"""Seconds of one piece of work that count against it: the longer it runs, the sooner it gives way."""


class Pausable(Protocol):
    """A process that can be paused, resumed and killed."""

    def compiling_seconds(self) -> float:
        """Seconds that it has spent on compiling kernels, which is nobody's thinking."""

    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def yield_to_short(self) -> None: ...
    def kill(self, why: ThinkingStopped | None = None) -> None: ...


class Turn:
    """The right of one piece of work to a core."""

    def __init__(self, payer: str, match: Hashable, limit: float | None, number: int) -> None:
        self.payer, self.match, self.limit, self.number = payer, match, limit, number
        self.worker: Pausable | None = None
        """The process that is paused when another has the core."""
        self.held = 0.0
        """Seconds on a core that were booked."""
        self.since: float | None = None
        """When that was, or it got the core; None while it waits."""
        self.granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class RecentUse:
    """Seconds on a core by person or match, of which the past counts less and less.

    All are forgotten alike, so instead of shrinking the old ones, new seconds are booked in a growing unit.
    """

    def __init__(self, start: float) -> None:
        self.start = start
        self.booked: dict[Hashable, float] = {}

    def unit(self, now: float) -> float:
        """What a second is booked as now."""
        halvings = (now - self.start) / HALF_LIFE
        if halvings > MOST_HALVINGS:
            self.booked = {key: math.ldexp(each, -MOST_HALVINGS) for key, each in self.booked.items()}
            self.booked = {key: each for key, each in self.booked.items() if each > FORGOTTEN}
            self.start += MOST_HALVINGS * HALF_LIFE
            return self.unit(now)
        return math.exp2(halvings)

    def add(self, key: Hashable, seconds: float, now: float) -> None:
        """Book seconds."""
        self.booked[key] = self.booked.get(key, 0.0) + seconds * self.unit(now)


Item = TypeVar("Item")


def first_of(items: Iterable[Item]) -> Item:
    """The first of some items."""
    return next(iter(items))


class Scheduler:
    """Gives turns on *cores*, and stops work whose budget is spent. It is used by one event loop."""

    def __init__(self, cores: int, budgets: Budgets, *, now: Callable[[], float] = time.monotonic) -> None:
        self.cores, self.budgets, self.now = cores, budgets, now
        self.short: list[Turn] = []
        self.long: list[Turn] = []
        self.new: dict[str, dict[Hashable, dict[Turn, None]]] = {}
        """The turns that have not begun, by person and match, in the order of their arrival."""
        self.paused: dict[Turn, None] = {}
        self.persons, self.matches = RecentUse(now()), RecentUse(now())
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
        self.new.setdefault(payer, {}).setdefault(match, {})[turn] = None
        if len(self.short) < SHORT_PER_CORE * self.cores:  # then no other waits to begin
            self.grant(turn, self.short, self.now())
            self.keep_looking()
        else:
            self.arrange()
        try:
            await turn.granted
            yield turn
        finally:
            self.release(turn)
            if self.new or self.paused:
                self.arrange()

    @property
    def running(self) -> list[Turn]:
        """All turns that run."""
        return self.short + self.long

    @property
    def waiting(self) -> list[Turn]:
        """All turns that wait."""
        return [*self.paused, *(turn for each in self.new.values() for turns in each.values() for turn in turns)]

    def arrange(self) -> None:
        """Give free cores away, and interrupt those who had most for those who had least."""
        now = self.now()
        for turn in [each for each in self.short if each.worker is not None and each.held >= TICK]:
            self.short.remove(turn)
            self.long.append(turn)
            if turn.worker is not None:
                turn.worker.yield_to_short()
        while len(self.long) > self.cores:
            self.pause(max(self.long, key=self.ranking(now)), now)
        self.fill(self.long, self.cores, self.first_paused, now)
        self.fill(self.short, SHORT_PER_CORE * self.cores, self.first_new, now)
        self.keep_looking()

    def fill(self, runs: list[Turn], most: int, first_waiting: Callable[[float], Turn | None], now: float) -> None:
        """Let at most so many run: the first of those who wait instead of the last who runs, if that one had more."""
        while (first := first_waiting(now)) is not None:
            if len(runs) >= most:
                last = max(runs, key=self.ranking(now))
                if last.worker is None or not self.precedes(first, last, now):
                    break
                self.pause(last, now)
            self.grant(first, runs, now)

    def first_paused(self, now: float) -> Turn | None:
        """The interrupted turn whose person, and then whose match, had least; None if there is none."""
        return min(self.paused, key=self.ranking(now), default=None)

    def first_new(self, now: float) -> Turn | None:
        """The same of those that have not begun."""
        if not self.new:
            return None
        persons, matches = self.persons.booked, self.matches.booked
        own = self.new[min(self.new, key=lambda payer: persons.get(payer, 0.0))]
        return first_of(own[min(own, key=lambda match: matches.get(match, 0.0))])

    def keep_looking(self) -> None:
        """Look at the turns again soon, as long as something runs."""
        if self.tick is None and (self.short or self.long):
            self.tick = asyncio.get_running_loop().call_later(TICK, self.look_again)

    def take_out(self, turn: Turn) -> None:
        """Take a turn out of those that wait."""
        if turn in self.paused:
            del self.paused[turn]
            return
        matches = self.new[turn.payer]
        del matches[turn.match][turn]
        if not matches[turn.match]:
            del matches[turn.match]
        if not matches:
            del self.new[turn.payer]

    def look_again(self) -> None:
        """Book what was used, check budgets, and arrange the turns again."""
        self.tick = None
        now = self.now()
        for turn in self.running:
            self.book(turn, now)
        for turn in self.running:
            if turn.worker is not None and (why := self.excess(turn, turn.worker)):
                turn.worker.kill(BudgetSpent(why))
        self.arrange()

    def excess(self, turn: Turn, worker: Pausable) -> str:
        """Why running work must be stopped, in words; empty if it may go on."""
        if turn.limit is not None and turn.held - worker.compiling_seconds() > turn.limit:
            return f"no answer within {turn.limit:.3g} s"
        return self.budgets.refusal(turn.payer, turn.match)

    def ranking(self, now: float) -> Callable[[Turn], tuple[float, float, int]]:
        """The order of turns at one moment: what their person and their match had, and some of what they had."""
        unit, persons, matches = self.persons.unit(now), self.persons.booked, self.matches.booked

        def rank(turn: Turn) -> tuple[float, float, int]:
            own = min(turn.held, LONG) * unit
            return persons.get(turn.payer, 0.0) + own, matches.get(turn.match, 0.0) + own, turn.number

        return rank

    def precedes(self, one: Turn, other: Turn, now: float) -> bool:
        """Whether work that waits should interrupt other work: its person, or if both have the same, match had less."""
        rank = self.ranking(now)
        of_match = one.payer == other.payer
        return rank(one)[of_match] + MARGIN * self.persons.unit(now) < rank(other)[of_match]

    def grant(self, turn: Turn, runs: list[Turn], now: float) -> None:
        """Let work begin, or go on, among those that run."""
        self.take_out(turn)
        runs.append(turn)
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
        turn.since = None
        (self.short if turn in self.short else self.long).remove(turn)
        self.paused[turn] = None

    def stop(self, match: Hashable, why: ThinkingStopped) -> None:
        """Stop all work for a match, waiting or running."""
        for turn in [each for each in self.waiting + self.running if each.match == match]:
            if turn.worker is not None:
                turn.worker.kill(why)
            elif not turn.granted.done():
                turn.granted.set_exception(why)

    def release(self, turn: Turn) -> None:
        """Take a turn back."""
        if turn.since is None:
            self.take_out(turn)
            if turn.worker is not None:
                turn.worker.resume()
            return
        self.book(turn, self.now())
        (self.short if turn in self.short else self.long).remove(turn)

    def book(self, turn: Turn, now: float) -> None:
        """Charge the seconds on a core since the last time."""
        assert turn.since is not None, "it runs"
        seconds, turn.since = now - turn.since, now
        turn.held += seconds
        self.persons.add(turn.payer, seconds, now)
        self.matches.add(turn.match, seconds, now)
        self.budgets.charge(turn.payer, turn.match, seconds)
