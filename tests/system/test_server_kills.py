"""A real server: killed without a goodbye, it loses nothing; it keeps to its options."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets.sync.client import ClientConnection, connect

from kibitz_lab.store import Store
from kibitz_lab.store.accounts import Accounts

pytestmark = pytest.mark.system


class Server:
    """A server that was started, and how to talk to it."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process, self.address = process, address
        self.http = httpx2.Client(base_url=f"http://{address}", timeout=30.0)

    def post(self, path: str, **body: Any) -> Any:
        answer = self.http.post(f"/api/{path}", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def get(self, path: str) -> Any:
        return self.http.get(f"/api/{path}").json()

    @contextmanager
    def bot(self, **login: Any) -> Iterator[ClientConnection]:
        with connect(f"ws://{self.address}/api/play") as socket:
            socket.send(json.dumps({"type": "login", **login}))
            yield socket

    def until(self, path: str, wanted: Any) -> Any:
        end = time.monotonic() + 120
        while not wanted(found := self.get(path)):
            assert time.monotonic() < end, found
            time.sleep(0.05)
        return found


@contextmanager
def serving(folder: Path, database: str, *options: str) -> Iterator[Server]:
    command = [sys.executable, "-m", "kibitz.cli", "serve", "--api", "--port", "0", "--db", database]
    process = subprocess.Popen(
        [*command, "--folder", str(folder), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder.parent,
    )
    try:
        assert process.stdout is not None
        said = ""
        while "kibitz is at" not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        server = Server(process, said.split("http://")[1].split("/")[0])
        with server.http:
            yield server
    finally:
        process.kill()
        process.wait(30)
        assert process.stdout is not None
        process.stdout.close()


def received(socket: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(socket.recv(timeout=30))
        if message["type"] == kind:
            return message


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
def test_a_killed_server_goes_on_where_it_was(database: str, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    with serving(folder, database) as server:
        done = server.post("matches", game="kuhn", seats=["rock", "maniac", "solid"], seed=5)["number"]
        server.until("records", lambda records: len(records) == 1)
        kept = server.get(f"records/{done}")
        cut = server.post("matches", game="dilemma(rounds=4)", seats=[None, "tit_for_tat"])["number"]
        open_one = server.post("matches", game="pawns", seats=[None, None])["number"]
        with server.bot(name="ann", table=cut) as bot:
            resume = received(bot, "welcome")["resume"]
            for _ in range(2):
                act = received(bot, "act")
                bot.send(json.dumps({"type": "action", "seq": act["seq"], "action": "defect"}))
            heard = received(bot, "act")["seq"]
            server.process.send_signal(signal.SIGKILL)
            server.process.wait(30)
    with serving(folder, database) as server:
        assert server.get(f"records/{done}") == kept
        server.until(f"matches/{cut}", lambda match: match["plies"] == 2)
        told = {each["number"]: (each["status"], each["plies"]) for each in server.get("matches")}
        assert told == {cut: ("playing", 2), open_one: ("open", 0)}
        assert [seat["name"] for seat in server.get(f"matches/{cut}")["seats"]] == ["ann", "dilemma.tit_for_tat"]
        with server.bot(resume=f"{cut}.guess") as thief:
            assert "no running match" in received(thief, "error")["error"]
        with server.bot(resume=resume, heard=heard) as bot:
            assert received(bot, "welcome")["resume"] == resume
            act = received(bot, "act")
            assert (act["seq"], act["events"]) == (heard, [])
            for _ in range(2):
                bot.send(json.dumps({"type": "action", "seq": act["seq"], "action": "cooperate"}))
                act = json.loads(bot.recv(timeout=30))
            assert act["type"] == "end"
        server.until("records", lambda records: len(records) == 2)
        lines = server.get(f"records/{cut}")["lines"]
        assert [line["actions"][0] for line in lines[1:-1]] == ["defect", "defect", "cooperate", "cooperate"]
        again = server.post("matches", game="dilemma(rounds=2)", seats=["grim", "pavlov"])["number"]
        assert again == open_one + 1
        server.until("records", lambda records: len(records) == 3)


def test_who_resigned_before_the_server_was_killed_has_resigned(tmp_path: Path) -> None:
    """Among three, when it is the turn of another: no event tells of it."""
    folder, database = tmp_path / "tables", str(tmp_path / "kept.db")
    folder.mkdir()
    names = ("ann", "ben", "cyd")
    with serving(folder, database) as server, ExitStack() as stack:
        number = server.post("matches", game="kuhn", seats=[None, None, None])["number"]
        bots = [stack.enter_context(server.bot(name=name, table=number, seat=seat)) for seat, name in enumerate(names)]
        resume = [received(bot, "welcome")["resume"] for bot in bots]
        received(bots[0], "act")
        bots[1].send(json.dumps({"type": "resign"}))
        bots[1].send("?")
        received(bots[1], "error")
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(30)
    with serving(folder, database) as server, ExitStack() as stack:
        for seat in (0, 2):
            bot = stack.enter_context(server.bot(resume=resume[seat]))
            act = received(bot, "act")
            bot.send(json.dumps({"type": "action", "seq": act["seq"], "action": "pass"}))
        received(bot, "end")
        server.until("records", len)
        *_, first, second, third, ending = server.get(f"records/{number}")["lines"]
        assert [entry["actions"] for entry in (first, second, third)] == [["pass"]] * 3
        faults = [fault for entry in (first, second, third) for fault in entry.get("faults", ())]
        assert [(fault["player"], fault["kind"]) for fault in faults] == [(1, "resigned")]
        assert ending["forfeits"] == [1]


def test_a_server_stops_agents_whose_match_has_spent_its_seconds(tmp_path: Path) -> None:
    folder, database = tmp_path / "tables", str(tmp_path / "kept.db")
    folder.mkdir()
    with Store(database) as store:
        token = Accounts(store).make_token("ann")
    with serving(folder, database, "--match-seconds", "1") as server:
        server.http.headers["authorization"] = f"Bearer {token}"
        number = server.post("matches", game="pawns", seats=["alphabeta(depth=200)", "random"], strikes=1)["number"]
        over = server.until(f"matches/{number}", lambda match: match["status"] in ("finished", "failed"))
        said = over["failure"]  # on a busy machine the second is over before the match has begun
        if over["status"] == "finished":
            server.until("records", len)
            said = server.get(f"records/{number}")["lines"][1]["faults"][0]["message"]
        assert said.startswith("the match has used its 1 s of computing")


def test_without_tokens_a_server_is_not_opened_to_the_world(tmp_path: Path) -> None:
    def kibitz(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "kibitz.cli", *words, "--db", "kept.db"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)

    refused = kibitz("serve", "--api", "--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 2
    assert "make a token first" in refused.stderr
    assert list(tmp_path.iterdir()) == [], "who is refused leaves nothing behind"


def kibitz(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "kibitz.cli", *words], capture_output=True, text=True, timeout=60)


def test_a_database_has_one_server(database: str, tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    backup = str(tmp_path / "all.zip")
    with serving(first, database) as server:
        server.post("matches", game="kuhn", seats=["random", "random", "random"])
        server.until("matches/1", lambda found: found["status"] == "finished")
        assert kibitz("backup", backup, "--db", database, "--folder", str(first)).returncode == 0
        for words in (["serve", "--api", "--port", "0"], ["restore", backup, "--force"]):
            refused = kibitz(*words, "--db", database, "--folder", str(second))
            assert refused.returncode == 2
            assert f"by a server with the folder {first} (process {server.process.pid} on " in refused.stderr
            assert " UTC; wait for it, stop it, or take the run from it: kibitz runs 1 --release" in refused.stderr
        assert server.until("records", lambda found: found)
    with serving(second, database) as server:  # the first was killed: its claim is void
        assert [each["number"] for each in server.get("records")] == [1]
        assert server.post("matches", game="kuhn", seats=["random", "random", "random"])["number"] == 2


def test_a_server_whose_database_was_taken_stops(database: str, tmp_path: Path) -> None:
    with serving(tmp_path / "a", database) as server:
        assert kibitz("runs", "1", "--release", "--db", database).returncode == 0
        body = {"game": "kuhn", "seats": ["random", "random", "random"]}
        with suppress(httpx2.ConnectError):  # it may have noticed by itself, and stopped
            assert server.http.post("/api/matches", json=body).status_code == 503
        assert server.process.wait(30) == 2
