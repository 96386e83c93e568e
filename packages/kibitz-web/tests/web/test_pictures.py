"""Pictures of a match: spectators share theirs, and players have their own."""

import asyncio

from kibitz.core.pictures.match_pictures import drawn_after
from kibitz_web.parts import board
from live_matches import live


def test_spectators_share_pictures_and_players_do_not() -> None:
    match = live("kuhn", ["rock", "maniac", "solid"], seed=5)

    async def play() -> None:
        match.start()
        await match.ended.wait()

    asyncio.run(play())
    plies = range(1, len(match.events) + 1)
    for ply in plies:
        assert board.picture_after(match, ply, None) is board.picture_after(match, ply, None)
        own = board.picture_after(match, ply, 0)
        assert own == drawn_after(match.game, match.events[ply - 1], 0, all_seen=False)
    differing = [board.picture_after(match, ply, 0) != board.picture_after(match, ply, None) for ply in plies]
    assert any(differing), "a player sees their card"
    assert len(match.drawings) <= board.SHARED
