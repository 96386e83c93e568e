"""Pages in the hands of somebody who controls the browser: they never leave a page and press whatever was on it."""

import time
from collections.abc import Iterator

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from page_client import Page
from running_server import RunningServer, running_server

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with running_server(tmp_path_factory.mktemp("hostile")) as running:
        yield running
        assert running.wrongs() == []


def invite_somebody(page: Page, name: str) -> None:
    """Use the operator's form."""
    page.fire(page.find("name"), "update:value", name)
    page.press("Make a link")


@pytest.mark.parametrize("end", ["revoked", "lowered", "signed out"])
def test_the_page_of_a_former_operator_does_nothing(server: RunningServer, end: str) -> None:
    name = end.replace(" ", "-")
    session = server.sign_in(name, "operator")
    page = server.page("/admin", name)
    assert "Accounts" in page.told(0.3)
    invite_somebody(page, f"before-{name}")
    assert "/join/" in page.told(0.5)
    if end == "revoked":
        server.accounts.revoke(name)
    elif end == "lowered":
        server.accounts.set_role(name, "spectator")
    else:
        headers = {"cookie": f"kibitz_session={session}", "origin": server.address}
        assert httpx2.post(f"{server.address}/sign-out", headers=headers).status_code == 200
    time.sleep(1.5)
    page.told(0.1)
    try:
        invite_somebody(page, f"after-{name}")
        told = page.told(0.5)
    except ConnectionClosed:
        told = ""
    assert "/join/" not in told
    known = {each.name for each in server.accounts.all()}
    assert f"before-{name}" in known
    assert f"after-{name}" not in known
    page.close()


def test_a_page_takes_no_events_from_another_browser(server: RunningServer) -> None:
    server.sign_in("vic", "operator")
    server.sign_in("eve", "player")
    theirs, mine = server.page("/admin", "vic"), server.page("/", "eve")
    theirs.told(0.3)
    theirs.client, own = mine.client, theirs.client
    button = theirs.find("Make a link")
    mine.client = own
    mine.fire(button, "click", {})
    assert "a name has" not in theirs.told(0.5)
    with pytest.raises((ConnectionClosed, InvalidStatus)):
        for _ in range(3):
            mine.say("ack", {"client_id": own, "next_message_id": 0})
            time.sleep(0.2)
    for page in (theirs, mine):
        page.close()
