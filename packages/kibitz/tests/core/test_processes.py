"""The contract of everything that starts processes: none outlives its owner, and the death of one is answered."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from kibitz.core.errors import BadSpec
from kibitz.core.processes import Limits, TimeSpent, Worker, WorkerLost, Workers, tell
from kibitz.core.processes.supervisor import descendants
from kibitz.core.processes.template import portable
from processes import wait_for_exit

START = """
import math, os, sys, time
RUNAWAY = "trap '' TERM HUP INT; setsid sleep 600 & sleep 600"

def ready(pid):
    print(pid, flush=True)

"""
OWNERS = {
    "worker": """
from kibitz.core.processes import Workers
worker = Workers().fork()
worker.run(int)
ready(worker.pid)
worker.run(os.system, RUNAWAY)
""",
    "compiled code": """
from kibitz.core.processes import Workers
worker = Workers().fork()
work = "__import__('kibitz').play('pawns', ['alphabeta(depth={})', 'random'], seed=1).ending.reason"
worker.run(eval, work.format(1))
ready(worker.pid)
worker.run(eval, work.format(40))
""",
    "arena": """
from kibitz_lab.arena.executors import make_executor
pool = make_executor("pool", workers=2)
stream = pool.run_items(os.system, ["true", RUNAWAY, RUNAWAY])
next(stream)
ready(min(worker.pid for worker in pool.busy if worker.pid))
next(stream)
""",
    "ray": """
from kibitz_lab.arena.executors import make_executor
cluster = make_executor("ray", workers=1)
stream = cluster.run_items(time.sleep, [0.0, 600.0, 600.0])
next(stream)
ready(cluster.ray.pid)
next(stream)
""",
    "server": """
import asyncio
from kibitz_web.server.workers.compute import Compute

async def main():
    compute = Compute(workers=1)
    resident = compute.resident(dict, payer="ann", match=1)
    await resident.call(len)
    ready(resident.worker.pid)
    try:
        await compute.run_cpu(os.system, RUNAWAY, payer="ann", match=1)
    finally:
        await asyncio.to_thread(compute.close)

asyncio.run(main())
""",
    "kernels": """
from kibitz.core.kernels.background import Helper
helper = Helper()
helper.send("kibitz_lab.games.pawns.kernels.play")
while helper.worker is None or not helper.worker.pid:
    time.sleep(0.01)
ready(helper.worker.pid)
time.sleep(600)
""",
    "program": """
from kibitz.remote.program import Program
program = Program("sh -c \\"trap '' TERM HUP INT; sh -c 'sleep 600 & sleep 600'\\"")
ready(program.child.pid)
program.hear(time.monotonic() + 600)
""",
}


def owners(known: dict[str, str]) -> list[object]:
    """The owners, each with the package that it is in."""
    members = {"arena": "lab", "compiled code": "lab", "kernels": "lab", "ray": "lab", "server": "web"}
    marks = {name: [pytest.mark.needs(members[name])] if name in members else [] for name in known}
    return [pytest.param(name, marks=marks[name], id=name) for name in known]


@pytest.mark.system
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("owner", owners(OWNERS))
def test_whatever_ends_an_owner_ends_all_that_it_has_started(owner: str, end: signal.Signals) -> None:
    if owner == "ray":
        pytest.importorskip("ray")
    process = subprocess.Popen(
        [sys.executable, "-c", START + OWNERS[owner]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    with process.stdout:
        worker = int(process.stdout.readline())
    time.sleep(0.5)  # what it does is in full swing
    started = descendants(process.pid)
    assert worker in started
    process.send_signal(end)
    process.wait(60)
    assert wait_for_exit(started)


DEATHS = {
    "arena": """
from kibitz_lab.arena.executors import make_executor
with make_executor("pool", workers=1) as pool:
    stream = pool.run_items(math.sqrt, map(float, range(1000)))
    next(stream)
    os.kill(max(descendants(os.getpid())), 9)
    print(len(list(stream)))
""",
    "server": """
import asyncio
from kibitz_web.server.workers.compute import Compute

async def main():
    compute = Compute(workers=1)
    resident = compute.resident(dict)
    await resident.call(len)
    os.kill(resident.worker.pid, 9)
    for _ in range(2):
        try:
            await resident.call(len)
        except Exception as error:
            print(error)
    first = await compute.run_cpu(os.getpid)
    os.kill(first, 9)
    print(await compute.run_cpu(math.sqrt, 4.0))
    await asyncio.to_thread(compute.close)

asyncio.run(main())
""",
    "kernels": """
from kibitz.core.kernels.background import Helper
helper = Helper()
for name in ("no.kernel", "none.either"):
    helper.send(name)
    while helper.worker is None or not helper.worker.pid or not helper.names.empty():
        time.sleep(0.01)
    print(helper.starts)
    os.kill(helper.worker.pid, 9)
""",
    "program": """
from kibitz.remote.program import Program
program = Program("sleep 600")
os.kill(descendants(program.child.pid)[0], 9)
try:
    program.hear(time.monotonic() + 60)
except Exception as error:
    print(error.why)
""",
}
DIED = "the worker process was killed by SIGKILL"
ANSWERS = {"arena": "999", "server": f"{DIED}\n{DIED}\n2.0", "kernels": "1\n2", "program": "was killed by SIGKILL"}


@pytest.mark.system
@pytest.mark.parametrize("owner", owners(DEATHS))
def test_the_death_of_a_worker_is_answered_or_its_work_is_repeated(owner: str) -> None:
    code = f"{START}from kibitz.core.processes.supervisor import descendants\n{DEATHS[owner]}"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True, timeout=100)
    assert done.stdout.strip() == ANSWERS[owner]


# A worker


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers() as made:
        yield made


@pytest.fixture
def worker(workers: Workers) -> Iterator[Worker]:
    made = workers.fork()
    yield made
    made.kill()


class Odd(Exception):
    """Cannot be made again from what it says."""

    def __init__(self, *, why: str) -> None:
        super().__init__(why)


def test_what_is_raised_over_there_is_raised_here(worker: Worker) -> None:
    for work, kind in ((int, ValueError), (sys.exit, RuntimeError)):
        with pytest.raises(kind):
            worker.run(work, "{")
    error = portable(Odd(why="no luck"))
    assert (type(error), str(error)) == (RuntimeError, "Odd: no luck")
    assert worker.run(int, "5") == 5


def test_an_object_stays_in_its_worker(worker: Worker) -> None:
    worker.load(list, "ab")
    worker.call(list.append, "c")
    assert worker.call("".join) == "abc"  # type: ignore[arg-type]


def test_a_call_has_so_much_time(worker: Worker) -> None:
    with pytest.raises(TimeSpent, match=r"no answer within 0\.1 s"):
        worker.run(time.sleep, 600, limit=0.1)
    with pytest.raises(TimeSpent):
        worker.run(int)


def test_whoever_kills_a_worker_says_why(worker: Worker) -> None:
    worker.kill(BadSpec("x", "it is over"))
    with pytest.raises(BadSpec, match="it is over"):
        worker.run(time.sleep, 600)


def test_a_worker_has_so_much_memory_and_gives_way(workers: Workers) -> None:
    limited = workers.fork(Limits(memory=1 << 26, nice=3))
    with pytest.raises(MemoryError):
        limited.run(bytes, 1 << 28)
    assert limited.run(os.getpriority, os.PRIO_PROCESS, 0) >= 3
    limited.run(eval, "setattr(__import__('builtins'), 'eaten', b'x' * (1 << 25))")
    assert 1 << 25 <= limited.memory() < 1 << 27
    limited.kill()


def test_a_worker_tells_its_pool(worker: Worker, capsys: pytest.CaptureFixture[str]) -> None:
    worker.run(tell, print, "told")
    assert capsys.readouterr().out == "told\n"


def test_a_template_that_dies_is_replaced(workers: Workers) -> None:
    lost = workers.fork()
    first = lost.run(os.getppid)
    assert workers.process is not None
    workers.process.kill()
    workers.process.wait()
    with pytest.raises(WorkerLost, match="killed by SIGKILL"):
        lost.run(int)
    assert workers.fork().run(os.getppid) != first


def test_a_folder_goes_with_its_worker(workers: Workers, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("own")
    own = workers.fork(Limits(folder=str(folder)))
    own.run((folder / "file").write_text, "x")
    own.kill()
    with suppress(WorkerLost):
        own.run(int)
    end = time.monotonic() + 30
    while folder.exists():
        assert time.monotonic() < end
        time.sleep(0.01)
