"""Workers that are killed or cancelled: every caller gets an answer, and no turn is lost."""

import asyncio
import os
import random
import signal
import textwrap
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, TypeVar

import pytest

from kibitz.core.processes import WorkerLost, pool
from kibitz_web.server.workers import Budget, ThinkingStopped
from kibitz_web.server.workers.compute import Compute

pytestmark = pytest.mark.system

Found = TypeVar("Found")
JOBS = """
    import time
    from pathlib import Path

    def compute_for(seconds):
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
        return seconds

    def bytes_of(count):
        return bytes(count)

    class Sum:
        def __init__(self):
            self.total = 0

    def add(resident, number, seconds=0.0):
        compute_for(seconds)
        resident.total += number
        return resident.total
"""


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A module of jobs that workers find as well."""
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "worker_jobs.py").write_text(textwrap.dedent(JOBS))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield import_module("worker_jobs")


RUNNER = asyncio.Runner()


@pytest.fixture(scope="module")
def compute(jobs: Any) -> Iterator[Compute]:
    made = Compute(workers=2, budget=Budget(match_seconds=1e6))
    yield made
    made.close()
    RUNNER.close()


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz_web.server.workers.compute.LOOK", 0.1)


def run(compute: Compute, work: Coroutine[Any, Any, Found], patience: float = 100.0) -> Found:
    """The result of *work*; if it takes too long, the error says what everything waits for."""
    try:
        return RUNNER.run(asyncio.wait_for(work, patience))
    except TimeoutError:
        raise AssertionError(state_of(compute)) from None


def state_of(compute: Compute) -> str:
    """What everything waits for."""
    lines = [f"template {compute.workers.process}"]
    for name, turns in (("running", compute.turns.running), ("waiting", compute.turns.waiting)):
        for turn in turns:
            own: Any = turn.worker
            of_worker = "no worker" if own is None else f"{own.pid} closed {own.closed}"
            lines.append(f"{name} {turn.payer} {turn.match} {turn.seconds():.2f} s: {of_worker}")
    return "\n".join(lines)


class Storm:
    """Jobs and residents of a few people, of which some are cancelled, killed or stopped at a random moment."""

    def __init__(self, compute: Compute, jobs: Any, seed: int) -> None:
        self.compute, self.jobs, self.seed = compute, jobs, seed
        self.ends: Counter[str] = Counter()
        self.room = asyncio.Semaphore(10)

    async def blow(self, count: int) -> None:
        """Do so many pieces of work; each must end."""
        await asyncio.gather(*(self.one(random.Random(f"{self.seed} {number}")) for number in range(count)))

    async def one(self, rng: random.Random) -> None:
        async with self.room:
            loop, match = asyncio.get_running_loop(), rng.choice((None, 1, 2, 3))
            work = (self.job if rng.random() < 0.5 else self.resident)(rng, rng.choice(("ann", "ben", "")), match)
            task = asyncio.create_task(work)
            if rng.random() < 0.25:
                loop.call_later(rng.random() * rng.choice((0.005, 0.1)), task.cancel)
            if rng.random() < 0.05:
                loop.call_later(rng.random() * 0.1, self.compute.cancel, match)
            if rng.random() < 0.01:
                loop.call_later(rng.random() * 0.1, self.kill_template)
            try:
                await task
                self.ends["done"] += 1
            except (asyncio.CancelledError, ThinkingStopped, WorkerLost) as error:
                self.ends[type(error).__name__] += 1

    async def job(self, rng: random.Random, payer: str, match: object) -> None:
        if rng.random() < 0.2:
            count = rng.choice((10, 10**6))
            assert len(await self.compute.run_cpu(self.jobs.bytes_of, count, payer=payer, match=match)) == count
        else:
            seconds = rng.choice((0.0, 0.001, 0.02, 0.1))
            assert await self.compute.run_cpu(self.jobs.compute_for, seconds, payer=payer, match=match) == seconds

    async def resident(self, rng: random.Random, payer: str, match: object) -> None:
        resident, total = self.compute.resident(self.jobs.Sum, payer=payer, match=match), 0
        try:
            for _ in range(rng.randrange(1, 6)):
                total += 1
                assert await resident.call(self.jobs.add, 1, rng.choice((0.0, 0.0, 0.03))) == total
                if resident.worker is not None and rng.random() < 0.05:
                    os.kill(resident.worker.pid, signal.SIGKILL)
        finally:
            resident.close()

    def kill_template(self) -> None:
        if self.compute.workers.process is not None:
            self.compute.workers.process.kill()


@pytest.mark.long
@pytest.mark.parametrize(
    ("count", "seed"), [(60, 0), *(pytest.param(2000, seed, marks=pytest.mark.slow) for seed in range(1, 6))]
)
def test_whatever_happens_to_workers_every_caller_gets_an_answer(
    compute: Compute, jobs: Any, count: int, seed: int
) -> None:
    async def storm() -> Counter[str]:
        made = Storm(compute, jobs, seed)
        await made.blow(count)
        assert not compute.turns.running + compute.turns.waiting, "no turn is held by what has ended"
        assert await compute.run_cpu(jobs.compute_for, 0.01) == 0.01
        return made.ends

    ends = run(compute, storm(), 60.0 + 0.5 * count)
    assert ends.total() == count
    assert ends["done"] > count // 3


def test_a_template_that_waits_for_ever_is_replaced(
    compute: Compute, jobs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stopped() -> None:
        await compute.run_cpu(os.getpid)
        first = compute.workers.process
        assert first is not None
        first.send_signal(signal.SIGSTOP)
        monkeypatch.setattr(pool, "PATIENCE", 0.5)
        with suppress(WorkerLost):  # the second template may be slow, too
            await compute.run_cpu(jobs.compute_for, 0.0, match="another")
        assert compute.workers.process is not first
        monkeypatch.setattr(pool, "PATIENCE", 60.0)
        assert await compute.run_cpu(jobs.compute_for, 0.0, match="another") == 0.0

    run(compute, stopped())


def test_a_server_that_stops_leaves_nobody_waiting_for_a_fork(
    compute: Compute, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last test: it closes what the others use."""
    monkeypatch.setattr(pool, "GRACE", 0.5)

    async def closed() -> None:
        await compute.run_cpu(os.getpid)
        assert compute.workers.process is not None
        compute.workers.process.send_signal(signal.SIGSTOP)
        waiting = asyncio.create_task(compute.run_cpu(os.getpid, match="the last"))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(compute.close)
        with pytest.raises(WorkerLost, match="the server stops"):
            await waiting

    run(compute, closed())
