"""Agents that live in workers: they play as they do anywhere, and a worker that dies takes few matches along."""

import asyncio
import os
import signal
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

import pytest

from kibitz import play
from kibitz.core.records import Record
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.workers.compute import Compute
from kibitz_web.server.workers.worker_agents import WorkerAgent
from live_matches import live, sit

Found = TypeVar("Found")


RUNNER = asyncio.Runner()
"""One event loop for all tests of this file, whose workers belong to it."""


def run(work: Coroutine[Any, Any, Found]) -> Found:
    return RUNNER.run(asyncio.wait_for(work, 120.0))


@pytest.fixture(scope="module")
def compute() -> Iterator[Compute]:
    made = Compute(workers=1)
    yield made
    made.close()
    RUNNER.close()


@pytest.mark.parametrize(
    ("game", "agents"),
    [
        ("kuhn", ["rock", "maniac", "random"]),
        ("dilemma(rounds=8)", ["pavlov", "random"]),
        ("pawns", ["pawns.s2", "mcts(simulations=20)"]),
    ],
)
def test_agents_in_workers_play_as_they_do_anywhere(compute: Compute, game: str, agents: list[str]) -> None:
    async def played() -> Record:
        table = live(game, agents, seed=5, compute=compute)
        table.start()
        return await table.over()

    assert run(played()).without_times() == play(game, agents, seed=5).without_times()
    assert not compute.residents, "agents that have played are gone"


def test_thinking_is_done_elsewhere(compute: Compute) -> None:
    assert run(compute.run_cpu(os.getpid)) != os.getpid()
    assert isinstance(compute.agent("random", "pawns"), WorkerAgent)
    assert not isinstance(compute.agent("cmd:true", "pawns"), WorkerAgent), "a program has its own process"


def test_clocks_go_on_running_elsewhere(compute: Compute) -> None:
    async def played() -> Record:
        table = live(
            "pawns",
            ["mcts(simulations=1000000)", None],
            compute=compute,
            move_time=0.2,
            max_plies=2,
        )
        sit(table, "ann")
        async for update in table.seats[1].updates():
            if update.request is not None:
                table.seats[1].choose(update.view.legal_actions(1)[0])
        return table.record

    assert run(played()).complete, "it knows how long it may think, or would think for ages"


def test_a_table_that_is_stopped_waits_for_no_thinker(compute: Compute) -> None:
    async def stopped() -> str:
        table = live("pawns", ["mcts(simulations=1000000)", "random"], compute=compute)  # it would think for ages
        table.start()
        while not table.positions:
            await asyncio.sleep(0.01)
        await table.stop()
        return table.status

    assert run(stopped()) == "stopped"


@pytest.mark.long
def test_a_dead_worker_fails_its_matches_and_no_others(compute: Compute) -> None:
    """It comes after a test whose agent is still thinking: that ends with the worker."""

    async def killed() -> tuple[LiveMatch, Record]:
        doomed = live("dilemma(rounds=3)", [None, "pavlov"], compute=compute)
        sit(doomed, "ann")
        while doomed.seats[0].request is None:
            await asyncio.sleep(0.01)
        (agent,) = doomed.worker_agents()
        assert agent.resident.worker is not None
        os.kill(agent.resident.worker.pid, signal.SIGKILL)
        doomed.seats[0].choose("defect")
        await doomed.over()
        after = live("dilemma(rounds=3)", ["grim", "pavlov"], compute=compute)
        after.start()
        return doomed, await after.over()

    doomed, after = run(killed())
    assert doomed.status == "failed"
    assert doomed.failure == "the worker process was killed by SIGKILL"
    assert doomed.record.ending is None, "nobody is struck for it"
    assert after.complete
