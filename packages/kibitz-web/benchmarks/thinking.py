"""Agents of live matches in workers: how soon one is there, what a move costs, and what hostile matches cost others."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from kibitz.core.game import Position
from kibitz.core.match import Request
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz_lab.testing.benchmark import Bench
from kibitz_web.server.workers.compute import Compute
from kibitz_web.server.workers.worker_agents import WorkerAgent

CASES = {"dilemma": ("dilemma", "pavlov"), "pawns": ("pawns", "alphabeta(depth=2)")}
STARTS, MOVES, HOSTILE = 20, 300, 50
DEEP = "alphabeta(depth=200)"


def measure(bench: Bench) -> None:
    for name, (game, spec) in CASES.items():
        starts, moves = zip(*(asyncio.run(start_and_move(game, spec)) for _ in range(bench.runs)), strict=True)
        bench.figure(f"start_{name}", list(starts), "ms until an agent has begun", most=50.0)
        bench.figure(f"move_{name}", list(moves), "ms a move", most=5.0)
    ratios = [asyncio.run(slowdown()) for _ in range(bench.runs)]
    bench.figure("beside_searches", ratios, f"times as long a move, beside {HOSTILE} deep searches", most=2.0)


@contextmanager
def computing() -> Iterator[Compute]:
    made = Compute(workers=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)
    try:
        yield made
    finally:
        made.close()


async def new_agent(compute: Compute, game: str, spec: str, payer: str, match: int) -> WorkerAgent:
    """An agent that has begun."""
    made = compute.agent(spec, game, payer=payer, match=match)
    assert isinstance(made, WorkerAgent)
    await compute.run_blocking(made.begin, make_game(game), 0, stream(match, "agent", 0))
    return made


async def move_time(agent: WorkerAgent, game: str, moves: int) -> float:
    """The median time of a first move, in milliseconds."""
    state, times = make_game(game).new_initial_state(), []
    for _ in range(moves):
        start = time.perf_counter()
        reply = await agent.reply(Request(0, Position(state, hidden=False), None, 0))
        times.append(1000.0 * (time.perf_counter() - start))
        assert reply.error is None, reply.error
    return median(times)


async def start_and_move(game: str, spec: str) -> tuple[float, float]:
    with computing() as compute:
        agents = [await new_agent(compute, game, spec, "ann", 0)]
        await move_time(agents[0], game, 3)
        await asyncio.sleep(0.5)  # the template loads what the first one needed
        times = []
        for number in range(STARTS):
            start = time.perf_counter()
            agents.append(await new_agent(compute, game, spec, "ann", number + 1))
            times.append(1000.0 * (time.perf_counter() - start))
        return median(times), await move_time(agents[-1], game, MOVES)


async def slowdown() -> float:
    """How many times as long a move takes beside many deep searches of another person."""
    with computing() as compute:
        agent = await new_agent(compute, "dilemma", "pavlov", "ann", 0)
        alone = await move_time(agent, "dilemma", MOVES)
        state, searches = make_game("pawns").new_initial_state(), []
        for number in range(HOSTILE):
            deep = await new_agent(compute, "pawns", DEEP, "mallory", number + 1)
            searches.append(asyncio.create_task(deep.reply(Request(0, Position(state, hidden=False), None, 0))))
        await asyncio.sleep(2.0)
        beside = await move_time(agent, "dilemma", MOVES)
        for number in range(HOSTILE):
            compute.cancel(number + 1)
        await asyncio.gather(*searches)
        return beside / alone
