"""Models that watch a live table, in this process and in workers: what becomes of one that breaks."""

import asyncio
import os
import signal
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.core.records import Record
from kibitz_web.server.live.lobby import Lobby
from kibitz_web.server.live.matches import LiveMatch
from live_matches import finish_tasks, lobby_in, open_seated, run
from other_package import installed_plugin

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
def _fragile(tmp_path: Path) -> Iterator[None]:
    """A package with a model that breaks; workers find it as well."""
    (tmp_path / "fragile_models.py").write_text(textwrap.dedent(FRAGILE))
    with installed_plugin(tmp_path, "fragile", 'models={"fragile": "fragile_models:Fragile"}'):
        yield


async def cooperate(match: LiveMatch, player: int) -> None:
    """Play to the end, for a player of the dilemma."""
    async for update in match.seats[player].updates():
        if update.request is not None:
            match.seats[player].choose("cooperate")


async def kept(lobby: Lobby, match: LiveMatch) -> Record:
    """The record when the match is over and its watchers are done."""
    await match.over()
    await finish_tasks(lobby)
    await lobby.close()
    return lobby.archive.record(str(match.number))


@pytest.mark.long
@pytest.mark.usefixtures("_fragile")
@pytest.mark.parametrize("workers", [0, 1])
def test_a_model_that_raises_is_named_in_the_record(tmp_path: Path, workers: int) -> None:
    async def played() -> Record:
        lobby = lobby_in(tmp_path, workers)
        models = ("fragile", "strategy_filter")
        match = await open_seated(lobby, "dilemma(rounds=3)", ("grim", "pavlov"), models=models)
        return await kept(lobby, match)

    record = run(played())
    assert record.ending is not None
    assert record.ending.model_errors == {"fragile": "ply 1: ZeroDivisionError: oops"}
    assert [sorted(entry.beliefs) for entry in record.entries] == [
        ["fragile", "strategy_filter"],
        ["strategy_filter"],
        ["strategy_filter"],
    ]


@pytest.mark.long
def test_models_whose_worker_dies_are_named_in_the_record(tmp_path: Path) -> None:
    async def played() -> Record:
        lobby = lobby_in(tmp_path, workers=1)
        match = await open_seated(lobby, "dilemma(rounds=2)", (None, None), models=("strategy_filter",))
        while not match.models.thoughts:
            await asyncio.sleep(0.01)
        for worker in lobby.compute.owners:
            os.kill(worker.pid, signal.SIGKILL)
        await asyncio.gather(cooperate(match, 0), cooperate(match, 1))
        return await kept(lobby, match)

    record = run(played())
    assert record.ending is not None
    gone = "the worker process was killed by SIGKILL"
    assert record.ending.model_errors == {"strategy_filter": gone}
