"""Runs agents, watching models and other slow work off the event loop, in processes that can be stopped.

    compute = Compute(workers=2)                                          # for so many cores
    agent = compute.agent("mcts", "pawns", payer="ann", match=7)          # it thinks in a process of its own
    reply = await agent.reply(request)                                    # cancelled: its process is killed
    text = await compute.run_cpu(hint, game, view, payer="ann", match=7)  # the same for a function
    models = compute.resident(Watchers, game, specs, seed, payer="ann", match=7)
    insights = await models.call(insights_after, event, position)         # an object that stays in a process
    setup = await compute.run_for("ann", allowed_setup, game, seats)      # what a request asks for, in a thread
    compute.cancel(7)                                                     # ends all of it at once

Who may compute, and for how long, is decided by `workers.turns`: *payer* is the person for whom it is (operators have
no limit of time), *match* the match it is for. A spent budget raises BudgetSpent, a match that was cancelled
ThinkingStopped, a process that died WorkerLost.

**Clocks.** An agent's clock does not run while it waits for a turn. An agent that thinks for much
longer than its clock allows is killed.

With `workers=0` everything runs in threads of this process and cannot be stopped; small tests use that.
"""

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from kibitz import core
from kibitz.core.kernels import background
from kibitz.core.processes import Worker, WorkerLost, Workers
from kibitz.core.registry import make_agent
from kibitz.remote.program_agent import Process
from kibitz_web.server.workers.calls import import_most, run_call
from kibitz_web.server.workers.residents import Resident
from kibitz_web.server.workers.turns import Budget, BudgetSpent, ThinkingStopped, Turns
from kibitz_web.server.workers.worker_agents import needs_thread, worker_agent

Given = ParamSpec("Given")
Found = TypeVar("Found")
SHORT = 0.002
"""Seconds of work that may run on the event loop; handing work to a thread costs about a tenth of that."""
FIRST = 4
"""Updates of a match after which all that its rules need is loaded."""
SPARE_SECONDS, MOST_SPARE = 60.0, 8
"""How long, and how many, workers that have done a job wait for the next one of the same match."""
LOOK = 0.25
"""Seconds between looks at all workers: at their memory, and how long they work."""
THREADS, IO_THREADS = 1024, 4
"""The most threads that wait for slow work or for workers, and for short work."""
ASKED = 4
"""Pieces of work in threads that one person's requests run at once."""
AT_ONCE = 2
"""Pieces of work of one person that run at once for each core; they are at least twice as many."""


class Compute:
    """Creates the agents of live matches, and runs slow work. *workers* is the number of cores; 0: none."""

    def __init__(self, workers: int = 0, *, budget: Budget | None = None) -> None:
        self.slots = workers
        self.threads = ThreadPoolExecutor(THREADS, "blocking")
        """They wait for what has no asynchronous interface; a new one starts only if none is idle."""
        self.io_threads = ThreadPoolExecutor(IO_THREADS, "io")
        self.callers = ThreadPoolExecutor(THREADS, "callers")
        """They wait for workers."""
        self.loop: asyncio.AbstractEventLoop | None = None
        """The event loop of all workers; None before it is needed."""
        self.watching: asyncio.Task[None] | None = None
        self.asking: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        """For each person, how much more their requests may run at once."""
        self.workers = Workers(import_most)
        self.turns = Turns(AT_ONCE * max(2, workers), budget)
        self.owners: WeakKeyDictionary[Worker, tuple[str, Hashable]] = WeakKeyDictionary()
        """Of each worker: its person and its match."""
        self.residents: dict[Hashable, set[Resident]] = {}
        self.closed = False
        self.spare: dict[Worker, tuple[str, Hashable]] = {}
        """Workers that have done a job and wait for another, the oldest first."""

    # What servers use

    def start(self) -> None:
        """Start the template of the workers before the first request needs it."""
        if self.slots:
            self.workers.start()
            background.compile_in_background()

    def agent(self, spec: str, game: str, *, payer: str = "", match: Hashable = None) -> core.Agent:
        """The agent that a spec names, in a worker; an external program has its own process already."""
        made = make_agent(spec, game)
        if isinstance(made, Process):
            made.check_command()  # its operator may have changed it since the match began
        stays = not self.slots or made.interactive or isinstance(made, Process)
        return made if stays else worker_agent(made, self.resident(make_agent, repr(made), payer=payer, match=match))

    def resident(
        self, make: Callable[..., object], *given: object, payer: str = "", match: Hashable = None
    ) -> "Resident":
        """An object that *make* creates in a worker of its own at the first call."""
        made = Resident(self, make, given, payer, match)
        self.residents.setdefault(match, set()).add(made)
        return made

    async def run_cpu(
        self, work: Callable[..., Found], *given: object, payer: str = "", match: Hashable = None
    ) -> Found:
        """The result of *work* in a worker; *work* may use only its arguments. If you are cancelled, it is killed.

        If its worker is lost, it is done once more.
        """
        if not self.slots:
            return await self.run_blocking(work, *given)
        self.bind()
        with suppress(WorkerLost):
            return await self.run_once(work, given, payer, match)
        return await self.run_once(work, given, payer, match, fresh=True)

    async def run_blocking(self, work: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """The result of *work* that waits for something, in a thread."""
        return await self.bind().run_in_executor(self.threads, lambda: work(*given, **named))

    async def run_for(
        self, payer: str, work: Callable[Given, Found], *given: Given.args, **named: Given.kwargs
    ) -> Found:
        """The result of *work* that a person's request asks for and that may take long, in a thread."""
        async with self.asking.setdefault(payer, asyncio.Semaphore(ASKED)):
            return await self.run_blocking(work, *given, **named)

    async def run_io(self, work: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """The result of short *work*, which never waits behind long work."""
        return await asyncio.get_running_loop().run_in_executor(self.io_threads, lambda: work(*given, **named))

    def cancel(self, match: Hashable) -> None:
        """End all work for a match now: its agents, models, hints and whatever waits for a core."""
        error = ThinkingStopped("the match is over")
        for resident in list(self.residents.get(match, ())):
            resident.close(error)
        self.turns.stop(match, error)
        for worker in [each for each, (_, own) in self.spare.items() if own == match]:
            self.drop_spare(worker)

    def usage(self) -> dict[str, Any]:
        """What runs, for operators."""
        turns = self.turns
        return {
            "cores": self.slots,
            "running": len(turns.running),
            "waiting": len(turns.waiting),
            "workers": sum(not worker.closed for worker in self.owners),
        }

    def close(self) -> None:
        """End all workers and shut the pools down; an event loop does this in a thread."""
        self.closed = True
        if self.loop is not None and self.watching is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.watching.cancel)
        for worker in list(self.owners):
            worker.kill(WorkerLost("the server stops"))
        self.workers.close()
        for pool in (self.threads, self.io_threads, self.callers):
            pool.shutdown(wait=False, cancel_futures=True)

    # In the event loop

    def bind(self) -> asyncio.AbstractEventLoop:
        """The event loop of all workers: that of the first who needs them, or a later one."""
        loop = asyncio.get_running_loop()
        if self.loop is not loop:
            self.loop, self.turns = loop, Turns(self.turns.at_once, self.turns.budget)
            self.asking.clear()
            self.watching = loop.create_task(self.watch_workers())
        return loop

    def submit(self, work: Coroutine[Any, Any, Found]) -> "Future[Found]":
        """Run *work* in the event loop, for a thread."""
        assert self.loop is not None, "an event loop runs before threads need one"
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    async def run_once(
        self, work: Callable[..., Found], given: tuple[object, ...], payer: str, match: Hashable, *, fresh: bool = False
    ) -> Found:
        """The result of *work*, in a spare worker of the match or a new one."""
        async with self.turns.turn(payer, match) as turn:
            spare = None if fresh else self.take_spare(payer, match)
            worker = turn.worker = spare or await self.fork(payer, match)
            try:
                return await self.ask(worker, worker.run, run_call, work, *given)
            finally:
                self.keep_spare(worker, payer, match)

    async def ask(
        self, worker: Worker, ask: Callable[Given, Found], *given: Given.args, **named: Given.kwargs
    ) -> Found:
        """The answer of a worker, for which a thread waits; if you are cancelled, it is killed."""
        try:
            return await self.bind().run_in_executor(self.callers, lambda: ask(*given, **named))
        except asyncio.CancelledError:
            worker.kill()
            raise

    def keep_spare(self, worker: Worker, payer: str, match: Hashable) -> None:
        """Keep a worker that has done a job, if it still can do another."""
        if not worker.closed:
            self.spare[worker] = payer, match
            asyncio.get_running_loop().call_later(SPARE_SECONDS, self.drop_spare, worker)
        while len(self.spare) > MOST_SPARE:
            self.drop_spare(next(iter(self.spare)))

    def take_spare(self, payer: str, match: Hashable) -> Worker | None:
        """A spare worker that has already worked for the same person and match, and knows what it computed then."""
        found = next((worker for worker, owner in self.spare.items() if owner == (payer, match)), None)
        if found is not None:
            del self.spare[found]
        return found

    def drop_spare(self, worker: Worker) -> None:
        """End a spare worker."""
        if self.spare.pop(worker, None) is not None:
            worker.kill()

    async def fork(self, payer: str, match: Hashable) -> Worker:
        """A new worker for a person."""
        if self.closed:
            raise WorkerLost("the server stops")
        most = math.inf if payer in self.turns.unlimited else self.turns.budget.workers
        if sum(own == payer and not worker.closed for worker, (own, _) in self.owners.items()) >= most:
            raise BudgetSpent(f"{payer} has {most:g} agents and other work at once, which is the limit")
        worker = await self.bind().run_in_executor(self.callers, self.workers.fork, self.turns.limits(payer))
        self.owners[worker] = payer, match
        return worker

    async def watch_workers(self) -> None:
        """Look at all workers again and again."""
        with suppress(asyncio.CancelledError):
            while True:
                await asyncio.sleep(LOOK)
                self.turns.look()
                self.check_memory()
                if background.HELPER is not None and background.HELPER.waiting:
                    await self.run_blocking(background.load_compiled)

    def check_memory(self) -> None:
        """Kill the largest worker of a person whose workers use too much memory together."""
        persons: dict[str, list[tuple[int, Worker]]] = {}
        for worker, (payer, _) in list(self.owners.items()):
            if payer not in self.turns.unlimited:
                persons.setdefault(payer, []).append((worker.memory(), worker))
        for payer, used in persons.items():
            most = self.turns.budget.total_memory
            if sum(memory for memory, _ in used) > most:
                why = f"the agents of {payer} use more than {most >> 20:,} MiB of memory, which is the limit"
                max(used, key=lambda pair: pair[0])[1].kill(BudgetSpent(why))


class RunInlineIfFast:
    """Runs the updates of one match: inline if the last one was fast, otherwise off the loop.

    The first ones wait for *agents* to begin and load what the rules need, so they run in a thread, as all do if an
    agent must be waited for.
    """

    def __init__(self, compute: Compute, agents: Sequence[core.Agent | None] = ()) -> None:
        self.compute, self.seconds = compute, math.inf
        self.in_thread, self.first = any(map(needs_thread, agents)), FIRST if agents else 0

    async def run(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*."""
        if self.in_thread or self.first:
            self.first = max(0, self.first - 1)
            return await self.compute.run_blocking(self.time_work, work, *given)
        if self.seconds < SHORT:
            return self.time_work(work, *given)
        return await self.compute.run_io(self.time_work, work, *given)

    def time_work(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*, which is timed: in seconds, and if those are many in CPU time the next time.

        A busy machine does not make work long; but only the kernel knows the CPU time, and asking it takes longer.
        """
        now = time.perf_counter if self.seconds < SHORT else time.thread_time
        start = now()
        found = work(*given)
        self.seconds = now() - start
        return found
