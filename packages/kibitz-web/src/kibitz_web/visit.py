"""One visit of a page: who looks, and at which server. Every page is built from a visit, and may do what it may."""

from collections.abc import Callable, Hashable
from typing import ParamSpec, TypeVar

import msgspec
from nicegui import ui

from kibitz_web.choices import Choices
from kibitz_web.page_frame import errors_shown, while_viewed
from kibitz_web.parts.game_cards import Gallery
from kibitz_web.server.access.auth import Principal
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.seats import Seat
from kibitz_web.server.live.setup import MatchSetup
from kibitz_web.server.service import Service

Given = ParamSpec("Given")
Found = TypeVar("Found")


class Visit(msgspec.Struct, frozen=True):
    """A visitor of the pages of a server."""

    service: Service
    visitor: Principal
    choices: Choices
    gallery: Gallery

    async def run_thread(self, work: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """The result of *work* in a thread, among few at once of the visitor."""
        return await self.service.compute.run_for(self.visitor.id, work, *given, **named)

    async def run_cpu(self, work: Callable[..., Found], *given: object, match: Hashable = None) -> Found:
        """The result of *work* in a worker, at the visitor's expense; it is stopped when they leave the page."""
        compute, payer = self.service.compute, self.visitor.id
        compute.turns.set_unlimited(payer, unlimited=self.visitor.role == "operator")
        return await while_viewed(compute.run_cpu(work, *given, payer=payer, match=match))


def match_address(number: int, seat: Seat | None = None) -> str:
    """The page of a match, with the key of the visitor's own seat, if it is known."""
    return f"/match/{number}" + (f"?key={seat.key}" if seat is not None and seat.key else "")


def own_seat(match: LiveMatch, visitor: Principal) -> Seat | None:
    """The visitor's seat in a match; None if they have none."""
    found = (seat for seat in match.seats.values() if seat.principal.id == visitor.id and not seat.revoked)
    return next(found, None)


def own_seats(visit: Visit) -> list[Seat]:
    """The visitor's seats in matches that are not over, the newest last."""
    seats = (own_seat(match, visit.visitor) for match in visit.service.lobby.live_matches())
    return sorted((seat for seat in seats if seat is not None), key=lambda seat: seat.match.number)


def invitation_address(number: int, code: str) -> str:
    """The page on which an invited person takes a seat."""
    return f"/match/{number}?invite={code}"


async def open_match(visit: Visit, setup: MatchSetup) -> None:
    """Open a match with the visitor as its host, and go to its page."""
    lobby = visit.service.lobby
    opening = ui.notification("Setting up the table …", spinner=True, timeout=None)
    with errors_shown():
        match = await lobby.open(setup, visit.visitor)
        seat = await lobby.sit_host(match, visit.visitor)
        ui.navigate.to(match_address(match.number, seat))
        return
    opening.dismiss()


async def sit_down(visit: Visit, number: int) -> None:
    """Take the first open seat of a match, and go to its page."""
    lobby = visit.service.lobby
    with errors_shown():
        seat = await lobby.sit(lobby.find(number), visit.visitor)
        ui.navigate.to(match_address(number, seat))
