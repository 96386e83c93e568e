"""The log says what happened and gives nothing away."""

import base64
import json
import logging
import os
import stat
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import Unwritable
from kibitz_web.server.operations.logs import HIDDEN, JsonFormatter, without_secrets, write_log

House = Any


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    levels = {name: logging.getLogger(name).level for name in ("kibitz", "uvicorn", "uvicorn.error", "uvicorn.asgi")}
    handler = write_log(str(tmp_path / "log.json"))
    yield tmp_path / "log.json"
    logging.getLogger().removeHandler(handler)
    handler.close()
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.long
def test_a_session_is_logged_without_its_secrets(new_house: House, log_file: Path) -> None:
    secrets = [*new_house.tokens.values()]
    with new_house.client("ann") as client, new_house.client("op") as operator:
        secrets.append(operator.post("/api/tokens", json={"name": "cat"}).json()["token"])
        secrets.append(new_house.service.auth.accounts.invite("dan"))
        secrets.append(new_house.service.auth.accounts.sign_in(secrets[-1]))
        client.get(f"/api/me?token={secrets[-1]}&key={secrets[0]}", headers={"cookie": f"kibitz_session={secrets[-1]}"})
        client.get(f"/sign-in/{secrets[-2]}")
        client.get(f"/api/{secrets[-2]}/x")
        seed = 1234567890123456789
        match = {"game": "kuhn", "seats": ["rock", "maniac", "solid"], "seed": seed}
        done = operator.post("/api/matches", json=match).json()["number"]
        new_house.over(client, done)
        number = client.post("/api/matches", json={"game": "pennies", "seats": [None, "random"]}).json()["number"]
        # The client does not wait for the server to notice that it hangs up.
        with suppress(CancelledError), client.websocket_connect("ws://localhost/api/play") as socket:
            socket.send_json({"type": "login", "token": new_house.tokens["ann"], "table": number})
            secrets.append(socket.receive_json()["resume"])
        operator.delete("/api/tokens/cat")
        logging.getLogger("kibitz.test").error(
            "broken: seed=%d, resume %s", seed, secrets[-1], exc_info=ValueError(f"{{'token': '{secrets[0]}'}}")
        )
    text = log_file.read_text()
    entries = [json.loads(line) for line in text.splitlines()]
    assert len(entries) > 10
    assert {"time", "level", "logger", "message"} <= set(entries[0])
    assert len(secrets) == len(set(secrets)) == 7
    for secret in [*secrets, str(seed)]:
        assert secret not in text
    requests = [entry for entry in entries if entry["message"] == "request"]
    assert any((entry["method"], entry["path"], entry["status"]) == ("POST", "/api/matches", 201) for entry in requests)
    assert any(entry["path"] == "/api/tokens/{name}" for entry in requests)
    assert any(entry["message"] == "socket closed" and entry["path"] == "/api/play" for entry in entries)
    assert any(entry["message"] == "match stored" and entry["match"] == done for entry in entries)
    assert any(entry["message"] == "account revoked" and entry["account"] == "cat" for entry in entries)
    assert any("ValueError" in entry.get("exception", "") for entry in entries)


def test_only_the_owner_may_read_the_log_also_after_a_rotation(log_file: Path) -> None:
    log = logging.getLogger("kibitz.test")
    log.info("first")
    log_file.rename(log_file.with_suffix(".1"))
    log.info("second")
    assert [json.loads(log_file.read_text())["message"]] == ["second"]
    assert stat.S_IMODE(log_file.stat().st_mode) == 0o600


@pytest.mark.parametrize("target", ["", "nowhere/log.json", "."])
def test_a_log_that_cannot_be_written_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Unwritable):
        write_log(target)


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcd-efgh",
        "GET /table/3?key=abcd1234&invite=wxyz9876",
        '{"resume": "hush-hush"}',
        "cookie: kibitz_session=abcdefgh; other=1",
        "Record(seed=424242)",
        "password='letmein'",
    ],
)
def test_what_is_named_as_a_secret_is_hidden(text: str) -> None:
    found = without_secrets(text)
    assert HIDDEN in found
    for secret in ("abcd", "wxyz", "hush", "424242", "letmein"):
        assert secret not in found


def test_no_secret_that_we_make_is_taken_for_a_word() -> None:
    random = Random(1)
    for size in (16, 24, 32):
        for _ in range(3000):
            text = base64.urlsafe_b64encode(random.randbytes(size)).decode().rstrip("=")
            assert without_secrets(f"x {text} y") == f"x {HIDDEN} y"
            assert HIDDEN in without_secrets(random.randbytes(size).hex())


@given(st.text(max_size=50), st.dictionaries(st.sampled_from(["a", "b"]), st.text() | st.integers() | st.none()))
def test_any_entry_is_one_line_of_json(message: str, fields: dict[str, Any]) -> None:
    record = logging.LogRecord("a", logging.INFO, os.devnull, 1, "%s", (message,), None)
    record.fields = fields
    line = JsonFormatter().format(record)
    assert "\n" not in line
    json.loads(line)
