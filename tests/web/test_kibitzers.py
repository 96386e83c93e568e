"""Models that watch a live table, in this process and in workers: what becomes of one that breaks."""

import asyncio
import os
import signal
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from table_play import house_in, run

from kibitz.core import registry
from kibitz.core.records import Record
from kibitz.web.house import House, Setup, Sitting

FRAGILE = """
    from kibitz import core


    class Fragile(core.Model):
        '''Breaks at the second event.'''

        answers = ("mood",)

        def observe(self, transition):
            if transition.ply == 1:
                raise ZeroDivisionError("oops")

        def belief(self, player):
            return {"well": 1.0}
    """


@pytest.fixture
def _fragile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with a model that breaks; workers find it as well."""
    (tmp_path / "fragile_models.py").write_text(textwrap.dedent(FRAGILE))
    info = tmp_path / "fragile_models-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fragile-models\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kibitz.models]\nfragile = fragile_models:Fragile\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry.forget()
    yield
    registry.forget()


async def cooperate(sitting: Sitting, player: int) -> None:
    """Play to the end, for a player of the dilemma."""
    async for update in sitting.table.updates(player):
        if update.request is not None:
            sitting.table.guest(player).choose("cooperate")


async def kept(house: House, sitting: Sitting) -> Record:
    """The record when the match is over and its watchers are done."""
    await asyncio.gather(*sitting.tasks)
    await house.lobby.close()
    return house.record(str(sitting.number))


@pytest.mark.usefixtures("_fragile")
@pytest.mark.parametrize("workers", [0, 1])
def test_a_model_that_raises_is_named_in_the_record(tmp_path: Path, workers: int) -> None:
    async def played() -> Record:
        house = house_in(tmp_path, workers)
        setup = Setup("dilemma(rounds=3)", ("grim", "pavlov"), ("fragile", "strategy_filter"))
        return await kept(house, house.open(setup))

    record = run(played())
    assert record.ending is not None
    assert record.ending.model_errors == {"fragile": "ply 1: ZeroDivisionError: oops"}
    assert [sorted(entry.beliefs) for entry in record.entries] == [
        ["fragile", "strategy_filter"],
        ["strategy_filter"],
        ["strategy_filter"],
    ]


def test_models_whose_worker_dies_are_named_in_the_record(tmp_path: Path) -> None:
    async def played() -> Record:
        house = house_in(tmp_path, workers=1)
        sitting = house.open(Setup("dilemma(rounds=2)", (None, None), ("strategy_filter",)))
        while not sitting.kibitzers.thoughts:
            await asyncio.sleep(0.01)
        assert house.compute.workers is not None
        os.kill(house.compute.workers.running[0].process.pid, signal.SIGKILL)
        await asyncio.gather(cooperate(sitting, 0), cooperate(sitting, 1))
        return await kept(house, sitting)

    record = run(played())
    assert record.ending is not None
    gone = "the worker process died: killed by SIGKILL"
    assert record.ending.model_errors == {"strategy_filter": gone}
