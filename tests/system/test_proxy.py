"""A public server behind a real nginx with TLS and a base path: REST, bots, spectators, and a page in a browser."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from browser import PATIENCE
from kibitz_web.server.access.cookies import COOKIE
from proxied import BASE, ProxiedServer, proxied_server

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProxiedServer]:
    with proxied_server(tmp_path_factory.mktemp("proxied")) as running:
        yield running


def test_programs_use_rest_under_the_base_path(proxied: ProxiedServer) -> None:
    with proxied.http() as client:
        assert client.get("/api/me").json()["name"] == "op"
        assert client.get("/api/me", headers={"x-forwarded-for": "9.9.9.9", "host": "evil.example"}).status_code == 400
        assert client.get("/api/me", headers={"origin": "https://evil.example"}).status_code == 403
        docs = client.get("/api/docs")
        assert docs.status_code == 200
        assert docs.headers["strict-transport-security"]
        assert client.get(proxied.public.removesuffix(BASE) + "/api/me").status_code == 404
        cookie = {"cookie": f"kibitz_session={'s' * 32}"}
        assert client.post("/api/matches", headers=cookie, json={}).status_code == 403, "no Origin beside a session"
    with proxied.http("nobody") as stranger:
        assert stranger.get("/api/games").status_code == 401


def test_bots_play_and_spectators_watch_through_the_proxy(proxied: ProxiedServer) -> None:
    with proxied.http() as client:
        number = client.post("/api/matches", json={"game": "dilemma(rounds=3)", "seats": [None, "pavlov"]}).json()[
            "number"
        ]
        watch = {"type": "watch", "token": proxied.operator, "table": number, "since": 0}
        login = {"type": "login", "token": proxied.operator, "table": number}
        with proxied.socket("/api/watch", **watch) as spectator, proxied.socket("/api/play", **login) as bot:
            while (message := json.loads(bot.recv(timeout=30)))["type"] != "end":
                if message["type"] == "act":
                    bot.send(json.dumps({"type": "action", "seq": message["seq"], "action": "cooperate"}))
            seen = [json.loads(spectator.recv(timeout=30))]
            while seen[-1]["returns"] is None:
                seen.append(json.loads(spectator.recv(timeout=30)))
        assert seen[-1]["returns"] == message["returns"] == [9.0, 9.0]


def test_sockets_of_other_sites_do_not_open(proxied: ProxiedServer) -> None:
    address = proxied.public.replace("https", "wss") + "/api/play"
    with pytest.raises(InvalidStatus, match="403"):
        connect(address, ssl=proxied.trust, origin="https://evil.example").close()  # type: ignore[arg-type]


def test_a_browser_plays_under_the_base_path(proxied: ProxiedServer, browser: Any) -> None:
    """The first page, its style and script, a match by a press, and the links; nothing outside the base path."""
    with browser.new_context(ignore_https_errors=True) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        asked: list[str] = []
        failed: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda made: asked.append(made.url))
        page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(proxied.command("invite", "ann", "--public", proxied.public).strip())
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{proxied.public}/")
        (cookie,) = [each for each in context.cookies() if each["name"] == COOKIE]
        assert (cookie["secure"], cookie["httpOnly"], cookie["path"]) == (True, True, BASE)
        page.get_by_role("button", name="Play Pawns now").first.click()
        page.wait_for_url(f"**{BASE}/match/*")
        page.wait_for_selector("text=Your move")
        page.get_by_text("type it instead").click()
        page.get_by_label("type a move").fill("base-c1")
        page.get_by_label("type a move").press("Enter")
        page.wait_for_selector(".moves li:nth-child(2)")
        page.get_by_role("link", name="Records").click()
        page.wait_for_url(f"**{BASE}/records")
        page.wait_for_selector("text=Records")
        own = (proxied.public, proxied.public.replace("https", "wss"), "data:", "blob:")
        assert [url for url in asked if not url.startswith(own)] == []
        assert any("kibitz-static/kibitz.css" in url for url in asked)
        assert any(url.startswith("wss") for url in asked), "pages need no polling"
        assert failed == []


def test_the_log_of_the_proxy_holds_no_keys(proxied: ProxiedServer) -> None:
    code = proxied.make_links(["zoe"])[0].rpartition("/")[2]
    with proxied.http() as client:
        page = f"{proxied.public}/match/1?key=secret-key"
        client.get("/match/1?key=secret-key")
        client.get("/api/me", headers={"referer": page})
        assert client.get(f"/join/{code}").status_code == 200
        assert client.get("/api/matches?status=logged").status_code == 200
    log = (proxied.folder / "access.log").read_text()
    assert f"GET {BASE}/join/ 200" in log
    assert "secret-key" not in log
    assert code not in log
