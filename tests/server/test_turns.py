"""Turns: so many pieces of work at once for each person, and limits of time."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from kibitz.server.workers.turns import Budget, BudgetSpent, ThinkingStopped, Turns


class Puppet:
    """A process that is killed by name only."""

    why: ThinkingStopped | None = None

    def __init__(self, compiled: float = 0.0) -> None:
        self.compiled = compiled

    def compiling_seconds(self) -> float:
        return self.compiled

    def kill(self, why: ThinkingStopped | None = None) -> None:
        self.why = why


class Stage:
    """Work that goes on until it is ended."""

    def __init__(self, at_once: int = 2, **limits: float) -> None:
        self.turns = Turns(at_once, Budget(**limits))  # type: ignore[arg-type]
        self.begun: list[str] = []
        self.done: dict[str, asyncio.Event] = {}

    def begin(
        self, name: str, payer: str, match: str | None = None, limit: float | None = None
    ) -> asyncio.Task[Puppet]:
        """Begin work for a person."""
        self.done[name] = asyncio.Event()

        async def work() -> Puppet:
            async with self.turns.turn(payer, match, limit) as turn:
                turn.worker = puppet = Puppet()
                self.begun.append(name)
                await self.done[name].wait()
                return puppet

        return asyncio.create_task(work())

    async def settle(self) -> None:
        """Let everything happen that can."""
        for _ in range(20):
            await asyncio.sleep(0)


class SetClock:
    """A clock that stands still until it is set."""

    seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """The clock of all turns."""
    made = SetClock()
    monkeypatch.setattr("kibitz.server.workers.turns.time", made)
    return made


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 20.0))


def test_the_work_of_one_person_waits_for_itself_and_for_nobody_else() -> None:
    async def played() -> None:
        stage = Stage()
        for name, payer in (("a1", "ann"), ("a2", "ann"), ("a3", "ann"), ("b1", "ben")):
            stage.begin(name, payer)
        await stage.settle()
        assert stage.begun == ["a1", "a2", "b1"]
        stage.done["a2"].set()
        await stage.settle()
        assert stage.begun[-1] == "a3"

    run(played())


def test_work_that_is_cancelled_or_fails_gives_its_turn_back() -> None:
    async def played() -> None:
        stage = Stage(at_once=1)
        first, second, third = (stage.begin(name, "ann") for name in "abc")
        await stage.settle()
        second.cancel()
        first.cancel()
        await stage.settle()
        assert stage.begun == ["a", "c"]
        third.cancel()
        await stage.settle()
        assert not stage.turns.running + stage.turns.waiting

    run(played())


def test_work_for_a_match_that_is_over_is_stopped_whether_it_runs_or_waits() -> None:
    async def played() -> None:
        stage = Stage(at_once=1)
        running, waiting = stage.begin("a", "ann", "one"), stage.begin("b", "ann", "one")
        other = stage.begin("c", "ann", "two")
        await stage.settle()
        stage.turns.stop("one", ThinkingStopped("it is over"))
        await stage.settle()
        with pytest.raises(ThinkingStopped, match="it is over"):
            await waiting
        stage.done["a"].set()
        assert str((await running).why) == "it is over"
        await stage.settle()
        assert stage.begun == ["a", "c"]
        other.cancel()

    run(played())


@pytest.mark.parametrize(("payer", "killed"), [("ann", True), ("op", False)])
def test_a_match_has_so_much_time_unless_an_operator_opened_it(payer: str, killed: bool, clock: SetClock) -> None:
    async def played() -> None:
        stage = Stage(match_seconds=20.0)
        stage.turns.set_unlimited("op", unlimited=True)
        for match in ("one", None):
            name = str(match)
            work = stage.begin(name, payer, match)
            await stage.settle()
            clock.seconds += 30.0
            stage.turns.look()
            stage.done[name].set()
            assert ((await work).why is not None) == killed
        if killed:
            with pytest.raises(BudgetSpent, match="the match has used its 20 s of computing"):
                await stage.begin("again", payer, "one")

    run(played())


def test_a_limit_of_time_does_not_count_compilation(clock: SetClock) -> None:
    async def played() -> None:
        stage = Stage()
        work = stage.begin("a", "", limit=20.0)
        await stage.settle()
        (turn,) = stage.turns.running
        stage.turns.look()
        assert isinstance(turn.worker, Puppet)
        turn.worker.compiled = 50.0
        clock.seconds += 30.0
        stage.turns.look()
        assert turn.worker.why is None
        turn.worker.compiled = 0.0
        stage.turns.look()
        assert str(turn.worker.why) == "no answer within 20 s"
        stage.done["a"].set()
        await work

    run(played())
