"""Pictures of a match: spectators share theirs, and players have their own."""

import asyncio

from kibitz.core.drawing import Drawing, Piece
from kibitz.core.drawing.art import PAWN
from kibitz.core.drawing.positions import drawn_after
from kibitz.web.parts import board
from live_matches import live


def test_the_paths_of_a_figure_are_sent_once() -> None:
    pawn = Piece(id="pawn", x=1.0, y=1.0, art=PAWN, fill="player0", title="a pawn")
    (patch,) = Drawing(1, 1, (pawn,)).patches(Drawing(1, 1, ()))
    assert board.without_art(patch, {"tank"}) == patch
    short = board.without_art(patch, {"pawn"}).svg
    assert "<path" not in short
    assert short.endswith("<title>a pawn</title></g>")


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
