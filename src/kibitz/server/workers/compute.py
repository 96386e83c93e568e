"""Runs agents, watching models and other slow work off the event loop, in processes that can be stopped.

    compute = Compute(workers=2)                                          # for so many cores
    agent = compute.agent("mcts", "pawns", payer="ann", match=7)          # it thinks in a process of its own
    reply = await agent.reply(request)                                    # cancelled: its process is killed
    text = await compute.run_cpu(hint, game, view, payer="ann", match=7)  # the same for a function
    models = compute.resident(Watchers, game, specs, seed, payer="ann", match=7)
    insights = await models.call(insights_after, event, position)         # an object that stays in a process
    setup = await compute.run_for("ann", allowed_setup, game, seats)      # what a request asks for, in a thread
    compute.cancel(7)                                                     # ends all of it at once
    await compute.prepare(game)                                           # before a match: compiles kernels elsewhere
    compute.preparing(7)                                                  # "preparing pawns: …", for people who wait

Who may compute, and for how long, is decided by `workers.turns`: *payer* is the person for whom it is (operators have
no limit of time), *match* the match it is for. A spent budget raises BudgetSpent, a match that was cancelled
ThinkingStopped, a process that died WorkerLost.

**Clocks.** An agent's clock does not run while it waits for a turn or compiles kernels. An agent that thinks for much
longer than its clock allows is killed.

With `workers=0` everything runs in threads of this process and cannot be stopped; small tests use that.
"""

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from typing import Any, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from kibitz import core
from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import make_agent, spec_of
from kibitz.remote.process import Process
from kibitz.server.workers.forks import Workers
from kibitz.server.workers.rehearsal import compile_kernels, kernels_of, missing_kernels, rehearse
from kibitz.server.workers.residents import Resident
from kibitz.server.workers.turns import Budget, BudgetSpent, ThinkingStopped, Turns
from kibitz.server.workers.worker import Worker, WorkerLost
from kibitz.server.workers.worker_agents import needs_thread, worker_agent

Given = ParamSpec("Given")
Found = TypeVar("Found")
SHORT = 0.002
"""Seconds of work that may run on the event loop; handing work to a thread costs about a tenth of that."""
SPARE_SECONDS, MOST_SPARE = 60.0, 8
"""How long, and how many, workers that have done a job wait for the next one of the same match."""
LOOK = 0.25
"""Seconds between looks at all workers: at their memory, and how long they work."""
ASKED = 4
"""Pieces of work in threads that one person's requests run at once."""
AT_ONCE = 2
"""Pieces of work of one person that run at once for each core; they are at least twice as many."""


class Compute:
    """Creates the agents of live matches, and runs slow work. *workers* is the number of cores; 0: none."""

    def __init__(
        self, workers: int = 0, *, threads: int = 1024, io_threads: int = 4, budget: Budget | None = None
    ) -> None:
        self.slots = workers
        self.threads = ThreadPoolExecutor(threads, "blocking")
        """They wait for what has no asynchronous interface; a new one starts only if none is idle."""
        self.io_threads = ThreadPoolExecutor(io_threads, "io")
        self.loop: asyncio.AbstractEventLoop | None = None
        """The event loop of all workers; None before it is needed."""
        self.watching: asyncio.Task[None] | None = None
        self.asking: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        """For each person, how much more their requests may run at once."""
        self.workers = Workers()
        self.turns = Turns(AT_ONCE * max(2, workers), budget)
        self.owners: dict[Worker, tuple[str, Hashable]] = {}
        """Of each worker: its person and its match."""
        self.residents: dict[Hashable, set[Resident]] = {}
        self.spare: dict[Worker, tuple[str, Hashable]] = {}
        """Workers that have done a job and wait for another, the oldest first."""
        self.prepared: dict[str, asyncio.Task[None]] = {}
        self.preparing_games: dict[Hashable, str] = {}
        self.compiling: dict[Hashable, Worker] = {}
        """For each match, a worker that compiles a kernel for it."""

    # What servers use

    def start(self) -> None:
        """Start the template of the workers before the first request needs it. Call it in the main thread.

        The compiler is imported now: later the event loop would stand still for it, and two threads break its import.
        """
        if self.slots:
            self.workers.start()
            if jit_enabled():
                import_module("numba")

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
        """The result of *work* in a worker; *work* may use only its arguments. If you are cancelled, it is killed."""
        if not self.slots:
            return await self.run_blocking(work, *given)
        self.bind()
        return await self.run_job(work, given, payer, match)

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

    def cancel(self, match: Hashable, why: str = "the match is over") -> None:
        """End all work for a match now: its agents, models, hints and whatever waits for a core."""
        error = ThinkingStopped(why)
        for resident in list(self.residents.get(match, ())):
            resident.close(error)
        self.turns.stop(match, error)
        for worker in [each for each, (_, own) in self.spare.items() if own == match]:
            self.drop_spare(worker)

    async def prepare(self, game: core.Game, match: Hashable = None) -> None:
        """Make the rules of a game ready: kernels are compiled in a worker, and only loaded in this process.

        The first match of a game waits for that, and `preparing` says so; it costs later ones nothing.
        """
        name = spec_of(game).name
        if not kernels_of(game):
            return
        if name not in self.prepared or self.prepared[name].cancelled():
            self.prepared[name] = asyncio.create_task(self.rehearse_game(game, match))
        if not self.prepared[name].done():
            self.preparing_games[match] = name
            try:
                await asyncio.shield(self.prepared[name])
            finally:
                self.preparing_games.pop(match, None)

    def preparing(self, match: Hashable) -> str:
        """What a match waits for before it can begin or go on, in words; empty if it is ready."""
        if match in self.preparing_games:
            return preparing_words(self.preparing_games[match])
        worker = self.compiling.get(match)
        return "" if worker is None else preparing_words(".".join(worker.preparing.split(".")[2:3]))

    def usage(self) -> dict[str, Any]:
        """What runs, for operators."""
        turns = self.turns
        return {
            "cores": self.slots,
            "running": len(turns.running),
            "waiting": len(turns.waiting),
            "workers": len(self.owners),
        }

    def close(self) -> None:
        """End all workers and shut the pools down."""
        for pool in (self.threads, self.io_threads):
            pool.shutdown(wait=False, cancel_futures=True)
        if self.watching is not None and not self.watching.done():
            self.watching.cancel()
        self.workers.close()

    # In the event loop

    def bind(self) -> asyncio.AbstractEventLoop:
        """The event loop of all workers: that of the first who needs them. If it was closed, its workers are gone."""
        loop = asyncio.get_running_loop()
        if self.loop is not loop:
            if self.loop is not None:
                self.workers.discard_template()
                self.workers, self.owners, self.spare = Workers(), {}, {}
                self.turns = Turns(self.turns.at_once, self.turns.budget)
                self.asking.clear()
            self.loop = loop
            self.watching = loop.create_task(self.watch_workers())
        return loop

    def submit(self, work: Coroutine[Any, Any, Found]) -> "Future[Found]":
        """Run *work* in the event loop, for a thread."""
        assert self.loop is not None, "an event loop runs before threads need one"
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    async def run_job(
        self, work: Callable[..., Found], given: tuple[object, ...], payer: str, match: Hashable
    ) -> Found:
        """The result of *work*; if its worker is lost, it is done once more."""
        with suppress(WorkerLost):
            return await self.run_once(work, given, payer, match)
        return await self.run_once(work, given, payer, match)

    async def run_once(
        self, work: Callable[..., Found], given: tuple[object, ...], payer: str, match: Hashable
    ) -> Found:
        """The result of *work*, in a spare worker of the match or a new one."""
        async with self.turns.turn(payer, match) as turn:
            worker = turn.worker = self.take_spare(payer, match) or await self.fork(payer, match)
            try:
                return await worker.run(work, *given)
            finally:
                self.keep_spare(worker, payer, match)

    def keep_spare(self, worker: Worker, payer: str, match: Hashable) -> None:
        """Keep a worker that has done a job, if it still can do another."""
        if worker.closed or worker.ended.done():
            return
        self.spare[worker] = payer, match
        asyncio.get_running_loop().call_later(SPARE_SECONDS, self.drop_spare, worker)
        while len(self.spare) > MOST_SPARE:
            self.drop_spare(next(iter(self.spare)))

    def take_spare(self, payer: str, match: Hashable) -> Worker | None:
        """A spare worker that has already worked for the same person and match, and knows what it computed then."""
        for worker, owner in list(self.spare.items()):
            if worker.ended.done() or worker.closed:
                del self.spare[worker]
            elif owner == (payer, match):
                del self.spare[worker]
                return worker
        return None

    def drop_spare(self, worker: Worker) -> None:
        """End a spare worker."""
        if self.spare.pop(worker, None) is not None:
            worker.kill()

    async def fork(self, payer: str, match: Hashable) -> Worker:
        """A new worker for a person."""
        most = math.inf if payer in self.turns.unlimited else self.turns.budget.workers
        if sum(own == payer for own, _ in self.owners.values()) >= most:
            raise BudgetSpent(f"{payer} has {most:g} agents and other work at once, which is the limit")
        worker = await self.workers.fork(self.turns.confinement(payer))
        self.owners[worker] = payer, match
        worker.prepared = lambda: self.note_compiling(worker, match)
        worker.ended.add_done_callback(lambda _: self.forget(worker, match))
        return worker

    def note_compiling(self, worker: Worker, match: Hashable) -> None:
        """Note whether a worker compiles a kernel."""
        if worker.preparing:
            self.compiling[match] = worker
        elif self.compiling.get(match) is worker:
            del self.compiling[match]

    def forget(self, worker: Worker, match: Hashable) -> None:
        """Forget a worker that has ended."""
        self.owners.pop(worker, None)
        worker.preparing = ""
        self.note_compiling(worker, match)

    async def watch_workers(self) -> None:
        """Look at all workers again and again."""
        with suppress(asyncio.CancelledError):
            while True:
                await asyncio.sleep(LOOK)
                self.turns.look()
                self.check_memory()

    def check_memory(self) -> None:
        """Kill the largest worker of a person whose workers use too much memory together."""
        persons: dict[str, list[tuple[int, Worker]]] = {}
        for worker, (payer, _) in self.owners.items():
            if payer not in self.turns.unlimited:
                persons.setdefault(payer, []).append((worker.memory(), worker))
        for payer, used in persons.items():
            most = self.turns.budget.total_memory
            if sum(memory for memory, _ in used) > most:
                why = f"the agents of {payer} use more than {most >> 20:,} MiB of memory, which is the limit"
                max(used, key=lambda pair: pair[0])[1].kill(BudgetSpent(why))

    async def rehearse_game(self, game: core.Game, match: Hashable) -> None:
        """Compile missing kernels in a worker, and play a few moves here, so that they are loaded."""
        with suppress(Exception):  # what is wrong with a game, its matches say
            missing = await self.run_blocking(missing_kernels, game) if self.slots else []
            if missing:
                await self.run_cpu(compile_kernels, missing)
            await self.run_blocking(rehearse, game)


def preparing_words(part: str) -> str:
    """What to tell people who wait for a game or an agent that is not compiled."""
    return f"preparing {part}: kernels are compiled, which takes up to a minute the first time"


class RunInlineIfFast:
    """Runs the updates of one match: inline if the last one was fast, otherwise off the loop.

    The first one waits for *agents* to begin, so it runs in a thread, as all do if an agent must be waited for.
    """

    def __init__(self, compute: Compute, agents: Sequence[core.Agent | None] = ()) -> None:
        self.compute, self.seconds = compute, math.inf
        self.in_thread, self.begun = any(map(needs_thread, agents)), not agents

    async def run(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*."""
        if self.in_thread or not self.begun:
            self.begun = True
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
