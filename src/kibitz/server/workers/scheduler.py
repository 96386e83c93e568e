"""A fair queue for cores: turns go to the person who had least of late, and go round among their matches and searches.

Work waits for a turn and holds it until it is done. Short work runs at once, a few times as many pieces as there are
cores, because most of its time is waiting for a process to wake up. After a moment it counts as long: of long work as
much runs as there are cores, and the rest is paused, with its process, and goes on when it is its turn again. So a
person's hundred searches take no more from others than one does, and a short move never waits for a long search. As
turns go round, no work waits for ever, however much new work comes.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Protocol

from kibitz.server.workers.budgets import Budgets, BudgetSpent, ThinkingStopped

TICK = 0.05
"""Seconds after which the turns are looked at again while something waits or runs, and work counts as long."""
SHORT_PER_CORE = 3
"""Pieces of short work that run at once for each core."""
MARGIN = 0.1
"""Seconds that someone must have had less to interrupt another, and that work of the same person runs at least."""
MOST_SERVED = 10_000
"""Matches of which it is remembered when they were served, besides those that wait."""
HALF_LIFE = 20.0
"""Seconds after which half of what someone had is forgotten."""
MOST_HALVINGS, FORGOTTEN = 16, 1e-6
"""When the unit of recent use is made small again, and the least that is remembered then."""


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
        self.changed = 0.0
        """When it last got the core, or was interrupted."""
        self.granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class RecentUse:
    """Seconds on a core by person, of which the past counts less and less.

    All are forgotten alike, so instead of shrinking the old ones, new seconds are booked in a growing unit.
    """

    def __init__(self, start: float) -> None:
        self.start = start
        self.booked: dict[str, float] = {}

    def unit(self, now: float) -> float:
        """What a second is booked as now."""
        halvings = (now - self.start) / HALF_LIFE
        if halvings > MOST_HALVINGS:
            self.booked = {key: math.ldexp(each, -MOST_HALVINGS) for key, each in self.booked.items()}
            self.booked = {key: each for key, each in self.booked.items() if each > FORGOTTEN}
            self.start += MOST_HALVINGS * HALF_LIFE
            return self.unit(now)
        return math.exp2(halvings)

    def add(self, key: str, seconds: float, now: float) -> None:
        """Book seconds."""
        self.booked[key] = self.booked.get(key, 0.0) + seconds * self.unit(now)


class Scheduler:
    """Gives turns on *cores*, and stops work whose budget is spent. It is used by one event loop."""

    def __init__(self, cores: int, budgets: Budgets, *, now: Callable[[], float] = time.monotonic) -> None:
        self.cores, self.budgets, self.now = cores, budgets, now
        self.short: list[Turn] = []
        self.long: list[Turn] = []
        self.new: dict[str, dict[Hashable, dict[Turn, None]]] = {}
        """The turns that have not begun, by person and match, each match in its turn."""
        self.paused: dict[Turn, None] = {}
        self.persons = RecentUse(now())
        self.served: dict[tuple[str, Hashable], float] = {}
        """When work of a person for a match was last interrupted."""
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
            else:
                self.served.clear()

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
            self.pause(self.last_running(self.long, now), now)
        while any(self.let_in(turn, self.long, self.cores, now) for turn in self.first_paused(now)):
            pass
        while (new := self.first_new()) is not None and self.let_in(new, self.short, SHORT_PER_CORE * self.cores, now):
            pass
        self.keep_looking()

    def let_in(self, turn: Turn, runs: list[Turn], most: int, now: float) -> bool:
        """Let a turn run among at most so many, if there is room or one must give way to it; return whether it runs."""
        if len(runs) >= most:
            late = [each for each in runs if each.worker is not None and self.precedes(turn, each, now)]
            if not late:
                return False
            self.pause(self.last_running(late, now), now)
        self.grant(turn, runs, now)
        return True

    def last_running(self, runs: list[Turn], now: float) -> Turn:
        """The one that is interrupted first: its person had most, and it has run for longest."""
        return max(runs, key=lambda each: (self.persons.booked.get(each.payer, 0.0), now - each.changed, each.number))

    def first_paused(self, now: float) -> list[Turn]:
        """The interrupted turn that comes next of each person, those first who had least.

        Their matches take turns, and the work for each match.
        """
        running = {(turn.payer, turn.match) for turn in self.long}
        first: dict[str, tuple[float, float, int, Turn]] = {}
        for turn in self.paused:
            key = turn.payer, turn.match
            served = now if key in running else self.served.get(key, 0.0)
            place = (served, turn.changed, turn.number, turn)
            first[turn.payer] = min(place, first.get(turn.payer, place))
        return [first[payer][-1] for payer in sorted(first, key=lambda each: self.persons.booked.get(each, 0.0))]

    def first_new(self) -> Turn | None:
        """The turn that begins next: of the person who had least, for the match whose turn it is."""
        if not self.new:
            return None
        matches = self.new[min(self.new, key=lambda payer: self.persons.booked.get(payer, 0.0))]
        return next(iter(next(iter(matches.values()))))

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
        turns = matches.pop(turn.match)
        del turns[turn]
        if turns:
            matches[turn.match] = turns  # the other matches come first now
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

    def precedes(self, one: Turn, other: Turn, now: float) -> bool:
        """Whether work that waits should interrupt other work: its person had less, or the same person's ran enough."""
        if one.payer == other.payer:
            return now - other.changed >= MARGIN
        used, others = (self.persons.booked.get(each.payer, 0.0) for each in (one, other))
        return used + MARGIN * self.persons.unit(now) < others

    def grant(self, turn: Turn, runs: list[Turn], now: float) -> None:
        """Let work begin, or go on, among those that run."""
        self.take_out(turn)
        runs.append(turn)
        turn.since = turn.changed = now
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
        self.paused[turn] = None
        turn.changed = self.served[turn.payer, turn.match] = now
        if len(self.served) > MOST_SERVED:
            self.served = {key: self.served[key] for key in {(each.payer, each.match) for each in self.paused}}
        (self.short if turn in self.short else self.long).remove(turn)

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
        self.budgets.charge(turn.payer, turn.match, seconds)
