"""Who may ask what their next move would tell the kibitzers."""

from collections.abc import Sequence

from kibitz.server.live.matches import LiveMatch
from kibitz.server.live.seats import Seat
from kibitz.server.workers.what_if import WhatIf
from kibitz.web.belief_panel import Ask


def what_if_question(match: LiveMatch, seat: Seat | None) -> Ask | None:
    """The question for the holder of a seat; None for others, and where beliefs are hidden from them."""
    if seat is None or match.setup.secret or match.setup.experiment is not None:
        return None
    player = seat.number

    async def ask() -> Sequence[WhatIf]:
        if match.models is None or seat.request is None:
            return ()
        return await match.models.what_if(player)

    return ask
