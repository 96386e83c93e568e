import math
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.arena.executors import Executor, in_order, make_executor
from kibitz.arena.executors.executor import Batches
from kibitz.arena.executors.pool import SERVE, Pool
from kibitz.core.errors import BadSpec, ExecutionFailed, KibitzError, UnknownName
from kibitz.core.seeds import checked_seed
from kibitz.testing.processes import alive, wait_for_exit


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(workers=2) as made:
        yield made


@pytest.fixture(params=["inline", "pool"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param == "pool":
        yield request.getfixturevalue("pool")
    else:
        with make_executor("inline") as made:
            yield made


def test_every_item_is_done_once_and_order_can_be_had(executor: Executor) -> None:
    found = list(executor.run_items(math.sqrt, range(5000)))
    assert sorted(found) == [(number, math.sqrt(number)) for number in range(5000)]
    assert list(in_order(executor.run_items(math.sqrt, range(500)))) == [math.sqrt(number) for number in range(500)]


@pytest.mark.long
def test_items_are_read_as_they_are_needed(executor: Executor) -> None:
    read = 0

    def endless() -> Iterator[float]:
        nonlocal read
        while True:
            read += 1
            yield 0.02

    stream = executor.run_items(time.sleep, endless())
    for _ in range(5):
        next(stream)
    stream.close()
    assert read < 500


@pytest.mark.long
def test_an_error_of_ours_comes_through_as_it_is(executor: Executor) -> None:
    with pytest.raises(KibitzError, match="a seed is a whole number"):
        list(executor.run_items(checked_seed, [1, 2, -1, 3]))


@pytest.mark.long
def test_another_error_names_the_item(pool: Pool) -> None:
    with pytest.raises(ExecutionFailed, match="item 2 failed: ValueError: math domain error"):
        list(pool.run_items(math.sqrt, [1, 4, -1, 9]))


@pytest.mark.long
def test_a_pool_can_be_used_again_after_it_was_stopped_in_the_middle(pool: Pool) -> None:
    stream = pool.run_items(time.sleep, [0.01] * 1000)
    next(stream)
    stream.close()
    assert list(in_order(pool.run_items(math.sqrt, [4, 9]))) == [2.0, 3.0]


@pytest.mark.long
def test_stopping_does_not_wait_for_long_work() -> None:
    with Pool(workers=2) as pool:
        stream = pool.run_items(time.sleep, [0.0, 0.0, 600.0, 600.0, 600.0])
        next(stream)
        pids = [worker.process.pid for worker in pool.workers]
        start = time.monotonic()
        stream.close()
        assert time.monotonic() - start < 60
        assert wait_for_exit(pids)


@pytest.mark.long
def test_what_a_killed_worker_held_is_done_again() -> None:
    with Pool(workers=2) as pool:
        found = []
        for position, _ in pool.run_items(time.sleep, [0.005] * 400):
            found.append(position)
            if len(found) in (5, 200):  # a third kill could hit an item for the third time
                os.kill(pool.workers[len(found) % 2].process.pid, signal.SIGKILL)
        assert sorted(found) == list(range(400))


@pytest.mark.long
def test_an_item_that_kills_its_workers_is_named_when_all_others_are_done() -> None:
    items = ["1"] * 30 + ["__import__('os')._exit(3)"] + ["1"] * 29
    positions: list[int] = []
    with (
        Pool(workers=2) as pool,
        pytest.raises(ExecutionFailed, match=r"item 30 ended 3 workers \(the last: exit code 3"),
    ):
        positions.extend(position for position, _ in pool.run_items(eval, items))
    assert sorted(positions) == [*range(30), *range(31, 60)]


@pytest.mark.long
def test_a_worker_that_dies_is_noticed_though_what_it_forked_lives_on() -> None:
    fork = "__import__('os').fork() or __import__('time').sleep(600)"
    die = "__import__('os').kill(__import__('os').getpid(), 9)"
    with Pool(workers=1) as pool, pytest.raises(ExecutionFailed, match="item 1 ended 3 workers"):
        list(pool.run_items(eval, [fork, die]))


def cpu_seconds(pid: int) -> float:
    """The seconds that a process has computed."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.system
def test_a_worker_in_compiled_code_ends_with_its_parent() -> None:
    code = """
from kibitz.arena.executors.pool import SERVE, Pool
pool = Pool(workers=1)
search = "__import__('kibitz').play('pawns', ['alphabeta(depth={})', 'random'], seed=1).ending.reason"
stream = pool.run_items(eval, [search.format(1), search.format(40)])
next(stream)
print(pool.workers[0].process.pid, flush=True)
next(stream)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pids = [int(parent.stdout.readline())]
    begun, end = cpu_seconds(pids[0]), time.monotonic() + 60
    while cpu_seconds(pids[0]) < begun + 0.3:  # kernels are loaded, so it is deep in one after that
        assert time.monotonic() < end, "the worker does not search"
        time.sleep(0.05)
    assert all(map(alive, pids))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert wait_for_exit(pids)


@pytest.mark.long
def test_work_that_workers_cannot_import_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    with Pool(workers=1) as pool, pytest.raises(ExecutionFailed, match="item 0 ended 3 workers"):
        list(pool.run_items(test_every_item_is_done_once_and_order_can_be_had, [1]))
    assert "ModuleNotFoundError" in capfd.readouterr().err


def test_workers_that_never_start_are_said(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("kibitz.arena.executors.pool.SERVE", "raise SystemExit('no such thing')")
    with Pool(workers=2) as pool, pytest.raises(ExecutionFailed, match=r"no worker process starts \(exit code 1\)"):
        list(pool.run_items(math.sqrt, range(10)))
    assert "no such thing" in capfd.readouterr().err


def test_wrong_names_and_numbers_are_said() -> None:
    with pytest.raises(UnknownName, match="did you mean 'pool'"):
        make_executor("pol")
    with pytest.raises(BadSpec, match="from 1 to 1024"):
        make_executor("pool", workers=0)
    with pytest.raises(BadSpec, match="inline executor"):
        make_executor("inline", workers=2)


@given(st.lists(st.floats(1e-5, 100.0), min_size=1, max_size=30))
def test_batches_hold_every_item_and_follow_the_time_they_take(seconds_each: list[float]) -> None:
    batches = Batches(range(100_000))
    due = 0
    for seconds in seconds_each:
        before = batches.size
        batch = batches.next()
        assert batch == [(number, number) for number in range(due, due + before)]
        due += before
        batches.adapt_size(len(batch), seconds * len(batch))
        assert batches.size <= 4 * before
        assert batches.size == 1 or batches.size * seconds <= 0.3


@pytest.mark.long
def test_a_worker_whose_parent_has_gone_before_it_was_ready_says_nothing() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-P", "-c", SERVE, str(theirs.fileno()), "0"]
        worker = subprocess.Popen(command, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True)
    ours.close()
    assert worker.communicate(timeout=60)[1] == ""
    assert worker.returncode == 0
