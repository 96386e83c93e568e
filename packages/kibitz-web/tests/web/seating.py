"""How people in real browsers get to their seats."""

from typing import Any

from kibitz_web.server.access.cookies import COOKIE
from kibitz_web.visit import match_address


def take_seat(page: Any, served: Any, match: Any, player: int) -> None:
    """Take the seat of a person who was invited."""
    page.goto(served.url(match, player))
    page.get_by_role("button", name="Take the seat").click()
    page.wait_for_url("**key=*")


def visitor_of(page: Any, served: Any) -> Any:
    """The principal in a browser."""
    page.goto(served.address)
    (session,) = [each["value"] for each in page.context.cookies() if each["name"] == COOKIE]
    return served.call(served.service.auth.visitor(session))


def be_host(page: Any, served: Any, match: Any) -> None:
    """Sit on the host's seat."""
    seat = served.call(served.service.lobby.sit_host(match, visitor_of(page, served)))
    page.goto(served.address + match_address(match.number, seat))
