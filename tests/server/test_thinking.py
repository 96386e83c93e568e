"""Thinking that can be stopped: one client's searches delay nobody else's, and end when their matches do."""

import asyncio
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import pytest

from kibitz.server.compute import Compute
from kibitz.server.lobby import Lobby
from kibitz.server.participants import Participant
from kibitz.server.policy import allowed_spec
from kibitz.server.tables import Table
from kibitz.store import Store

Found = TypeVar("Found")
DEEP = "alphabeta(depth=200)"


def run(work: Coroutine[Any, Any, Found]) -> Found:
    return asyncio.run(asyncio.wait_for(work, 120.0))


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[Lobby]:
    with Store(str(tmp_path / "kept.db")) as store:
        yield Lobby(store, tmp_path / "matches", compute=Compute(workers=2))


def children(pid: int | str = "self") -> list[int]:
    """The processes below one, at any depth."""
    own = [int(each) for task in Path(f"/proc/{pid}/task").glob("*/children") for each in task.read_text().split()]
    return own + [found for each in own for found in children(each)]


def cpu_seconds(pids: list[int]) -> float:
    """The processor time of some processes that still run."""
    found = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found += int(fields[11]) + int(fields[12])
    return found / 100.0


async def move_times(lobby: Lobby, owner: str, moves: int = 15) -> list[float]:
    """Seconds that an agent takes for each of its moves against a person who answers at once."""
    table = lobby.open(allowed_spec("dilemma(rounds=20)"), [None, allowed_spec("pavlov")], owner=owner)
    table.sit(Participant("ann"))
    times: list[float] = []
    async for update in table.updates(0):
        if update.request is not None:
            if len(times) == moves:
                break
            table.guest(0).choose("cooperate")
            times.append(-time.perf_counter())
        elif update.transition is not None and times:
            times[-1] += time.perf_counter()
    await lobby.discard(table)
    return times[2:-1]


async def playing(lobby: Lobby, tables: list[Table]) -> None:
    """Wait until every match has begun, or for a few seconds."""
    end = time.perf_counter() + 5.0
    while time.perf_counter() < end and not all(table.positions for table in tables):
        await asyncio.sleep(0.05)


@pytest.mark.system
@pytest.mark.parametrize("count", [12, pytest.param(80, marks=pytest.mark.slow)])
def test_deep_searches_stall_nobody_and_end_with_their_matches(lobby: Lobby, count: int) -> None:
    async def attacked() -> None:
        alone = median(await move_times(lobby, "ann"))
        deep = allowed_spec(DEEP)
        tables = [lobby.open(allowed_spec("pawns"), [deep, deep], owner="mallory") for _ in range(count)]
        await playing(lobby, tables)
        beside = median(await asyncio.wait_for(move_times(lobby, "ann"), 30.0))
        await asyncio.gather(*(lobby.discard(table) for table in tables))
        await asyncio.sleep(0.5)
        before = cpu_seconds(children())
        await asyncio.sleep(0.5)
        assert cpu_seconds(children()) - before < 0.1, "nobody thinks about matches that are no more"
        assert beside < max(2.0 * alone, 0.02)
        await lobby.close()

    run(attacked())
