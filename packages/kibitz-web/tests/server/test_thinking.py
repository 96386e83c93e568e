"""Thinking that can be stopped: one person's searches delay nobody else's, and end when their matches do."""

import asyncio
import os
import textwrap
import time
from collections.abc import Coroutine, Iterator
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import pytest

from kibitz.core.processes.supervisor import descendants
from kibitz.core.records import Record
from kibitz_lab.store import Store
from kibitz_web.server.live.lobby import Lobby
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.setup import allowed_setup
from kibitz_web.server.workers import Budget, BudgetSpent, ThinkingStopped
from kibitz_web.server.workers.compute import Compute
from live_matches import player, sit
from other_package import installed_plugin

pytestmark = pytest.mark.system

Found = TypeVar("Found")
RUNNER = asyncio.Runner()
HOSTILE = '''
    import time
    from kibitz import core

    class Sleeper(core.Agent):
        def act(self, view, clock):
            time.sleep(1000.0)

    class Spinner(core.Agent):
        def act(self, view, clock):
            while True:
                pass

    class Eater(core.Agent):
        def act(self, view, clock):
            eaten = []
            while True:
                eaten.append(bytes(1 << 24))
                time.sleep(0.001)

    class Sulker(core.Strategy):
        """Raises at the first event, and cooperates."""

        def observe(self, transition):
            if transition.ply == 0:
                raise ValueError("I did not want to know")

        def policy(self, view):
            return core.Distribution.certain(0, view.legal_actions(self.player))

'''
DEEP = ("pawns", "alphabeta(depth=200)")
MEAN = tuple(("dilemma", name) for name in ("sleeper", "spinner", "eater"))


def run(work: Coroutine[Any, Any, Found]) -> Found:
    return RUNNER.run(asyncio.wait_for(work, 100.0))


@pytest.fixture(scope="module")
def lobby(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lobby]:
    """A lobby with two workers, and a package of hostile agents that they find as well."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "hostile.py").write_text(textwrap.dedent(HOSTILE))
    names = ("Sleeper", "Spinner", "Eater", "Sulker")
    package = installed_plugin(folder, "hostile", f"agents={ {name.lower(): f'hostile:{name}' for name in names} }")
    with package, Store(str(folder / "kept.db")) as store:
        made = Lobby(store, folder / "matches", compute=Compute(workers=2))
        yield made
        run(made.close())
        RUNNER.close()


@pytest.fixture
def compute(lobby: Lobby) -> Iterator[Compute]:
    """Its workers; budgets are as before afterwards."""
    before = lobby.compute.turns.budget
    yield lobby.compute
    lobby.compute.turns.budget = before


async def open_table(lobby: Lobby, game: str, *seats: str | None, owner: str = "mallory", **options: Any) -> LiveMatch:
    """A match of somebody who is no operator."""
    public = tuple(seat for seat, spec in enumerate(seats) if spec is None)
    setup = allowed_setup(game, seats, models=(), public=public, **options)
    return await lobby.open(setup, player(owner))


async def until(condition: Any, seconds: float = 60.0) -> None:
    """Wait for a condition."""
    end = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < end, "it takes too long"
        await asyncio.sleep(0.01)


def cpu_seconds() -> float:
    """The processor time of all processes below this one that still run."""
    found = 0
    for pid in descendants(os.getpid()):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found += int(fields[11]) + int(fields[12])
    return found / os.sysconf("SC_CLK_TCK")


async def move_times(lobby: Lobby, moves: int = 15) -> list[float]:
    """Seconds from the move of a person to the answer of an agent, which moves at the same time."""
    table = await open_table(lobby, "dilemma(rounds=100)", None, "pavlov", owner="ann")
    sit(table, "ann")
    times: list[float] = []
    async for update in table.seats[0].updates():
        if update.transition is not None and times:
            times[-1] += time.perf_counter()
        if len(times) > moves:
            break
        if update.request is not None:
            times.append(-time.perf_counter())
            table.seats[0].choose("cooperate")
    await lobby.discard(table)
    return times[3:-1]


@pytest.mark.alone
@pytest.mark.parametrize(
    ("count", "attacks"),
    [
        pytest.param(80, (DEEP,), marks=pytest.mark.slow),
        (5, (DEEP, *MEAN)),
        pytest.param(50, (DEEP, *MEAN), marks=pytest.mark.slow),
    ],
)
def test_hostile_agents_delay_nobody_and_end_with_their_matches(
    lobby: Lobby, compute: Compute, count: int, attacks: tuple[tuple[str, str], ...]
) -> None:
    """Two agents a match: deep searches, and agents that sleep, compute or eat memory for ever."""
    compute.turns.budget = Budget(memory=1 << 28, total_memory=1 << 30)

    async def attacked() -> None:
        await move_times(lobby)
        first = await open_table(lobby, "pawns", "alphabeta(depth=1)", "alphabeta(depth=1)", max_plies=2)
        await first.over()
        alone = median(await move_times(lobby))
        hostile = [await open_table(lobby, game, agent, agent) for game, agent in islice(cycle(attacks), count)]
        await until(lambda: len(compute.turns.running) >= compute.turns.at_once)
        beside = min([median(await move_times(lobby, 30)) for _ in range(3)])  # other programs come and go
        await asyncio.gather(*(lobby.discard(table) for table in hostile))
        await until(lambda: compute.usage()["workers"] <= len(compute.spare))
        alone = max(alone, median(await move_times(lobby)))  # other programs may have come or gone
        used = []
        while not used or (used[-1] >= 0.1 and len(used) < 20):
            before = cpu_seconds()
            await asyncio.sleep(0.3)
            used.append(cpu_seconds() - before)
        assert used[-1] < 0.1, f"somebody thinks about matches that are no more: {used}"
        assert beside < 2.0 * alone + 0.002
        print(f"alone {1e3 * alone:.2f} ms, beside {count} matches {1e3 * beside:.2f} ms")

    run(attacked())


def test_an_agent_that_eats_memory_harms_only_itself(lobby: Lobby, compute: Compute) -> None:
    compute.turns.budget = Budget(memory=1 << 28)

    async def played() -> Record:
        return await (await open_table(lobby, "dilemma(rounds=9)", "grim", "eater")).over()

    record = run(played())
    assert record.ending is not None
    assert record.ending.forfeits == (1,)
    assert "MemoryError" in record.entries[0].faults[0].message


def test_resigning_ends_the_thinking_of_the_opponent(lobby: Lobby, compute: Compute) -> None:
    async def resigned() -> LiveMatch:
        table = await open_table(lobby, "dilemma(rounds=9)", None, "spinner")
        sit(table, "ann")
        await until(lambda: table.positions)
        await asyncio.sleep(0.1)
        table.seats[0].leave()
        await table.over()
        await until(lambda: compute.usage()["workers"] <= len(compute.spare))
        return table

    assert run(resigned()).record.ending.reason == "resigned"  # type: ignore[union-attr]


def test_work_ends_with_who_waits_for_it_or_with_its_match(compute: Compute) -> None:
    async def stopped() -> None:
        leaving = asyncio.create_task(compute.run_cpu(time.sleep, 1000.0, payer="ann", match="a"))
        staying = asyncio.create_task(compute.run_cpu(time.sleep, 1000.0, payer="ann", match="b"))
        await until(lambda: len(compute.turns.running) == 2)
        leaving.cancel()
        await asyncio.wait([leaving])
        compute.cancel("b")
        with pytest.raises(ThinkingStopped, match="the match is over"):
            await staying
        await until(lambda: compute.usage()["workers"] <= len(compute.spare))

    run(stopped())


def test_the_agents_of_a_match_that_has_spent_its_time_forfeit(lobby: Lobby, compute: Compute) -> None:
    compute.turns.budget = Budget(match_seconds=1.0)

    async def spent() -> LiveMatch:
        table = await open_table(lobby, "dilemma(rounds=9)", "grim", "spinner", owner="ann")
        await table.ended.wait()
        with pytest.raises(BudgetSpent, match="the match has used its 1 s of computing"):
            await compute.run_cpu(os.getpid, payer="ann", match=table.number)
        compute.turns.set_unlimited("ann", unlimited=True)  # an operator
        assert await compute.run_cpu(os.getpid, payer="ann", match=table.number) != os.getpid()
        compute.turns.set_unlimited("ann", unlimited=False)
        return table

    table = run(spent())  # on a busy machine the second is over before the match has begun
    assert table.failure or 1 in table.record.ending.forfeits  # type: ignore[union-attr]
    assert "the match has used its" in (table.failure or table.record.entries[0].faults[0].message)


def test_an_agent_that_ignores_its_clock_is_stopped(
    lobby: Lobby, compute: Compute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz_web.server.workers.worker_agents.PATIENCE", 0.3)

    async def played() -> Record:
        return await (await open_table(lobby, "dilemma(rounds=9)", "grim", "sleeper", move_time=0.1)).over()

    record = run(played())
    assert record.ending is not None
    assert record.ending.forfeits == (1,)
    assert record.entries[0].faults[0].message == "no answer within 0.33 s"


def test_what_is_raised_after_an_event_is_in_the_record(lobby: Lobby, compute: Compute) -> None:
    async def played() -> Record:
        return await (await open_table(lobby, "dilemma(rounds=3)", "grim", "sulker")).over()

    faults = [fault.message for entry in run(played()).entries for fault in entry.faults]
    assert faults == ["ValueError: I did not want to know"]
