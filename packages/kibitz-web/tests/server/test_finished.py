"""Matches that are over: the server lists them for a while, and holds nothing of them but a few words."""

import asyncio
import gc
import weakref
from pathlib import Path
from typing import Any

from kibitz_lab.store import Store
from kibitz_web.server.access.auth import Principal
from kibitz_web.server.access.guard import Limits
from kibitz_web.server.live.lobby import Lobby
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.setup import MatchSetup
from live_matches import player

OWNER = Principal("op", "op", "operator")


async def played_match(lobby: Lobby) -> LiveMatch:
    """A match between two players from outside, stored."""
    match = await lobby.open(MatchSetup("dilemma(rounds=4)", (None, None), public=(0, 1)), OWNER)

    async def play(seat: Any) -> None:
        async for update in seat.updates(0):
            if update.request is not None:
                seat.choose("cooperate")

    await asyncio.gather(*[play(await lobby.sit(match, player(name))) for name in ("ann", "ben")])
    while match.number not in lobby.finished.summaries:
        await asyncio.sleep(0.001)
    return match


def test_a_finished_match_leaves_its_summary_and_its_record_and_no_objects(tmp_path: Path) -> None:
    async def run(store: Store) -> None:
        lobby = Lobby(store, tmp_path / "live", limits=Limits(kept=6, kept_whole=2))
        played = [weakref.ref(await played_match(lobby)) for _ in range(10)]
        gc.collect()
        assert [number for number, found in enumerate(played, 1) if found() is not None] == [9, 10]
        assert list(lobby.matches) == [9, 10]
        listed = lobby.finished.all()
        assert [summary.number for summary in listed] == [5, 6, 7, 8, 9, 10]
        assert {summary.returns for summary in listed} == {(12.0, 12.0)}
        assert [seat.name for seat in listed[0].seats] == ["ann", "ben"]
        assert lobby.finished.is_dropped(8)
        assert not lobby.finished.is_dropped(9)
        assert len(await lobby.compute.run_io(lobby.archive.newest, 20)) == 10, "all are in the store"
        await lobby.close()

    with Store(str(tmp_path / "kept.db")) as store:
        asyncio.run(run(store))
