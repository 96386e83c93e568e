"""Turns on cores and budgets, with processes that only note what is done to them and a clock that stands still."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from kibitz.server.workers import budgets
from kibitz.server.workers.budgets import HOUR, Budget, Budgets, BudgetSpent, ThinkingStopped
from kibitz.server.workers.scheduler import HALF_LIFE, SHORT_PER_CORE, Scheduler, Turn


class Clock:
    seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


class Puppet:
    """A process that is paused, resumed and killed by name only."""

    def __init__(self) -> None:
        self.paused = self.yields = False
        self.why: ThinkingStopped | None = None
        self.compiled = 0.0

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False

    def yield_to_short(self) -> None:
        self.yields = True

    def kill(self, why: ThinkingStopped | None = None) -> None:
        self.why = why

    def compiling_seconds(self) -> float:
        return self.compiled


class Stage:
    """A scheduler of one core, and work that goes on until it is ended."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.clock = Clock()
        self.scheduler = Scheduler(1, Budgets(budget, now=self.clock), now=self.clock)
        self.tasks: list[asyncio.Task[None]] = []

    async def begin(self, payer: str, match: str = "", limit: float | None = None) -> tuple[Puppet, asyncio.Event]:
        """Begin work for a person; its process, and the event that ends it."""
        puppet, done = Puppet(), asyncio.Event()

        async def work() -> None:
            async with self.scheduler.turn(payer, match or payer, limit) as turn:
                turn.worker = puppet
                await done.wait()

        self.tasks.append(asyncio.create_task(work()))
        await asyncio.sleep(0)
        return puppet, done

    async def spend(self, seconds: float, steps: int = 1) -> None:
        """Let time pass for those who have a core."""
        for _ in range(steps):
            self.clock.seconds += seconds / steps
            self.scheduler.look_again()
            await asyncio.sleep(0)

    def who_thinks(self) -> list[str]:
        return [turn.payer for turn in self.scheduler.long]


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 10.0))


def test_many_searches_of_one_person_take_no_more_than_one() -> None:
    async def shared() -> None:
        stage = Stage()
        for number in range(20):
            await stage.begin("mallory", f"m{number}")
        await stage.begin("ann")
        shares = {"mallory": 0, "ann": 0}
        for _ in range(500):
            await stage.spend(0.1)
            for payer in stage.who_thinks():
                shares[payer] += 1
        assert 0.4 < shares["ann"] / 500 < 0.6
        matches = {turn.match: turn.held for turn in stage.scheduler.running + stage.scheduler.waiting}
        assert all(0.5 < held < 2.5 for match, held in matches.items() if match != "ann"), "their matches share as well"

    run(shared())


def test_short_work_begins_at_once_beside_a_long_search_and_takes_no_turn_from_it() -> None:
    async def begun() -> None:
        stage = Stage()
        search, _ = await stage.begin("ann")
        await stage.spend(1.0)
        move, done = await stage.begin("ann", "another match")
        assert not search.paused
        assert search.yields
        assert stage.scheduler.waiting == []
        done.set()
        await stage.spend(0.01)
        assert not move.yields

    run(begun())


def test_when_all_cores_are_taken_who_had_least_comes_first() -> None:
    async def queued() -> None:
        stage = Stage()
        await stage.begin("mallory")
        await stage.spend(10.0)
        for _ in range(SHORT_PER_CORE):
            await stage.begin("mallory", "flood")
        await stage.begin("mallory", "flood")
        assert len(stage.scheduler.waiting) == 1
        await stage.begin("ann")
        assert [turn.payer for turn in stage.scheduler.short].count("ann") == 1, "it need not wait"
        assert len(stage.scheduler.paused) == 1

    run(queued())


@pytest.mark.parametrize("same_match", [False, True])
def test_interrupted_work_has_its_turn_again_however_much_short_work_comes(same_match: bool) -> None:
    """Of the same person, and for the same match or others."""

    async def flooded() -> None:
        stage = Stage()
        await stage.begin("ann", "search")
        await stage.spend(6.0, steps=60)
        (search,) = stage.scheduler.long
        before = search.held
        for number in range(100):
            _, done = await stage.begin("ann", "search" if same_match else f"m{number}")
            await stage.spend(0.6, steps=6)
            done.set()
            await asyncio.sleep(0)
        assert search.held - before > 15.0, "a quarter of the time"

    run(flooded())


def test_two_long_searches_of_one_match_take_turns() -> None:
    async def shared() -> None:
        stage = Stage()
        for _ in range(2):
            await stage.begin("ann", "match")
        await stage.spend(60.0, steps=600)
        held = [turn.held for turn in stage.scheduler.running + stage.scheduler.waiting]
        assert min(held) > 20.0

    run(shared())


def test_old_use_is_forgotten() -> None:
    async def forgotten() -> None:
        stage = Stage()
        scheduler = stage.scheduler
        scheduler.persons.add("mallory", 100.0, stage.clock())
        stage.clock.seconds += 200 * HALF_LIFE
        scheduler.persons.add("ann", 0.1, stage.clock())
        assert scheduler.persons.booked.get("mallory", 0.0) < scheduler.persons.booked["ann"]

    run(forgotten())


def test_work_that_is_cancelled_while_it_waits_leaves_the_queue() -> None:
    async def cancelled() -> None:
        stage = Stage()
        await stage.begin("ann", "a")
        await stage.spend(1.0)
        paused, _ = await stage.begin("ann", "b")
        await stage.spend(1.0)
        assert len(stage.scheduler.paused) == 1
        stage.scheduler.stop("b", ThinkingStopped("the match is over"))
        assert str(paused.why) == "the match is over"
        for task in stage.tasks:
            task.cancel()
        await asyncio.gather(*stage.tasks, return_exceptions=True)
        assert not stage.scheduler.running + stage.scheduler.waiting

    run(cancelled())


def test_a_limit_counts_seconds_on_a_core_but_no_compiling() -> None:
    async def limited() -> None:
        stage = Stage()
        late, _ = await stage.begin("ann", limit=1.0)
        late.compiled = 5.0
        await stage.spend(5.5)
        assert late.why is None
        await stage.spend(1.0)
        assert str(late.why) == "no answer within 1 s"

    run(limited())


def test_budgets_are_spent_and_come_back() -> None:
    async def spent() -> None:
        stage = Stage(Budget(seconds=36.0, match_seconds=10.0))
        budgets = stage.scheduler.budgets
        search, done = await stage.begin("ann", "a")
        await stage.spend(11.0)
        assert str(search.why) == "the match has used its 10 s of computing"
        done.set()
        other, done = await stage.begin("ann", "b")
        budgets.charge("ann", None, 26.0)
        await stage.spend(0.1)
        assert "ann has used 36 s of computing in an hour, which is the limit; wait about 8 min" in str(other.why)
        done.set()
        with pytest.raises(BudgetSpent):
            async with stage.scheduler.turn("ann", "c"):
                pass
        budgets.set_unlimited("ann", unlimited=True)
        async with stage.scheduler.turn("ann", "c") as turn:
            assert isinstance(turn, Turn)
        budgets.set_unlimited("ann", unlimited=False)
        stage.clock.seconds += 0.2 * HOUR
        assert not budgets.refusal("ann", "c")
        assert "the match" in budgets.refusal("ann", "a"), "a match's seconds do not come back"

    run(spent())


def test_operators_are_remembered_as_long_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "MOST_KNOWN", 5)
    known = Budgets()
    for number in range(20):
        for name in (f"browser {number}", "ann"):
            known.set_unlimited(name, unlimited=True)
    assert list(known.unlimited) == ["", "browser 17", "browser 18", "browser 19", "ann"]
    known.set_unlimited("ann", unlimited=False)
    assert "ann" not in known.unlimited
