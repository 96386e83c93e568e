import math
import sys
import time
import types
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadSpec, ExecutionFailed, KibitzError, UnknownName
from kibitz.core.seeds import checked_seed
from kibitz_lab.arena.executors import Executor, make_executor
from kibitz_lab.arena.executors.executor import Batches, Pool
from processes import wait_for_exit


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
    assert executor.results(math.sqrt, range(500)) == [math.sqrt(number) for number in range(500)]


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
    assert pool.results(math.sqrt, [4, 9]) == [2.0, 3.0]


@pytest.mark.long
def test_stopping_does_not_wait_for_long_work() -> None:
    with Pool(workers=2) as pool:
        stream = pool.run_items(time.sleep, [0.0, 0.0, 600.0, 600.0, 600.0])
        next(stream)
        pids = [worker.pid for worker in pool.busy]
        start = time.monotonic()
        stream.close()
        assert time.monotonic() - start < 60
        assert wait_for_exit(pids)


@pytest.mark.long
def test_an_item_that_kills_its_workers_is_named_when_all_others_are_done() -> None:
    items = ["1"] * 30 + ["__import__('os')._exit(3)"] + ["1"] * 29
    positions: list[int] = []
    with (
        Pool(workers=2) as pool,
        pytest.raises(ExecutionFailed, match=r"item 30 ended 3 workers \(.* exited with status 3"),
    ):
        positions.extend(position for position, _ in pool.run_items(eval, items))
    assert sorted(positions) == [*range(30), *range(31, 60)]


@pytest.mark.long
def test_a_worker_that_dies_is_noticed_though_what_it_forked_lives_on() -> None:
    fork = "__import__('os').fork() or __import__('time').sleep(600)"
    die = "__import__('os').kill(__import__('os').getpid(), 9)"
    with Pool(workers=1) as pool, pytest.raises(ExecutionFailed, match="item 1 ended 3 workers"):
        list(pool.run_items(eval, [fork, die]))


@pytest.mark.long
def test_work_that_workers_cannot_import_is_said(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("only_here")
    exec("def work(item): return item", module.__dict__)
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(ExecutionFailed, match="cannot load the work: ModuleNotFoundError: No module named 'only_here'"):
        list(pool.run_items(module.work, [1]))


@pytest.mark.long
def test_what_cannot_be_sent_is_said(pool: Pool) -> None:
    with pytest.raises(ExecutionFailed, match="item 0 failed: it cannot be sent"):
        list(pool.run_items(lambda item: item, [1]))
    with pytest.raises(ExecutionFailed, match="item 1 failed: its result cannot be sent"):
        list(pool.run_items(eval, ["1", "lambda: 1"]))


def test_workers_that_never_start_are_said(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("kibitz.core.processes.pool.SERVE", "raise SystemExit('no such thing')")
    with (
        Pool(workers=2) as pool,
        pytest.raises(ExecutionFailed, match=r"no worker .* exited with status 1;"),
    ):
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
