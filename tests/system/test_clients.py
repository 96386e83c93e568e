"""The clients in examples/: one file each, without kibitz, they finish matches from what the messages say alone."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2
import pytest
from websockets.sync.server import ServerConnection, serve

from checkout import EXAMPLES
from running_server import RunningServer

pytestmark = pytest.mark.system

CLIENTS = EXAMPLES / "clients"
BARE = [sys.executable, "-I", "-S"]
"""An interpreter that finds the standard library only."""
NODE = shutil.which("node")
PLAYER = '''
import importlib.util, json, sys

assert importlib.util.find_spec("kibitz") is None
assert importlib.util.find_spec("msgspec") is None
sys.path.insert(0, sys.argv[1])
from kibitz_client import Client

made = []

def kuhn(turn):
    """Bets with the best card only."""
    return "bet" if turn.secret["card"] == turn.board["deck"][-1] else "pass"

def chips(counts):
    return " ".join(f"{counts[colour]} {colour}" for colour in counts if counts[colour]) or "nothing"

def trails(turn):
    """Agrees to everything, keeps its promises, and takes any step towards the goal that it can pay."""
    fields, board, me = turn.fields, turn.board, turn.player
    if fields["phase"] == "offer":
        other = fields["chips"][fields["partner"]]
        asked = {colour: 1 for colour in board["colours"] if other.get(colour, 0) > fields["chips"][me].get(colour, 0)}
        given = {colour: 1 for colour in board["colours"] if fields["chips"][me].get(colour, 0) > other.get(colour, 0)}
        return f"offer {chips(given)} for {chips(asked)}" if given and asked else "pass"
    if fields["phase"] == "answer":
        return "accept"
    if fields["phase"] == "exchange":
        if not fields.get("offer"):
            return "send nothing"
        return "send " + chips(fields["offer"]["given" if me == fields["proposer"] else "asked"])
    row, column = fields["positions"][me]
    goal_row, goal_column = board["goal"]
    for word, down, right in (("up", -1, 0), ("left", 0, -1), ("right", 0, 1), ("down", 1, 0)):
        vertical, horizontal = abs(row + down - goal_row), abs(column + right - goal_column)
        nearer = vertical + horizontal < abs(row - goal_row) + abs(column - goal_column)
        if nearer and fields["chips"][me].get(board["grid"][row + down][column + right]):
            return word
    return "stay"

def choose(turn):
    action = globals()[sys.argv[3]](turn)
    made.append((turn.act["seq"], action, turn.secret))
    return action

trouble = []

def hear(message):
    if message["type"] == "error":
        trouble.append(message["error"])

client = Client(sys.argv[2], match=int(sys.argv[4]), choose=choose, hear=hear)
returns = client.play()
assert client.begin["about"]["rules"] and client.begin["board"]
print(json.dumps({"player": client.begin["player"], "returns": returns, "made": made, "trouble": trouble}))
'''


class Server(RunningServer):
    """A server, and what its interface for programs answers."""

    def open(self, game: str, seats: list[str | None]) -> int:
        answer = httpx2.post(f"{self.address}/api/matches", json={"game": game, "seats": seats}, timeout=60.0)
        assert answer.status_code == 201, answer.text
        return int(answer.json()["number"])

    def returns_of(self, number: int) -> Any:
        end = time.monotonic() + 60
        while (answer := httpx2.get(f"{self.address}/api/records/{number}", timeout=60.0)).status_code != 200:
            assert time.monotonic() < end, answer.text
            time.sleep(0.05)
        return answer.json()["lines"][-1]["returns"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("server"), accounts=False)
    try:
        started.start()
        yield started
    finally:
        started.stop()


def run(command: list[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=240, cwd=folder, env={**os.environ, **environment}, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        ("kuhn", [None, "maniac", "rock"]),
        ("trails", ["always_renege", None]),
    ],
)
def test_a_program_without_kibitz_plays_by_what_it_is_told(
    game: str, seats: list[str | None], server: Server, tmp_path: Path
) -> None:
    (tmp_path / "player.py").write_text(PLAYER, encoding="utf-8")
    number = server.open(game, seats)
    name = game.partition("(")[0]
    told = json.loads(run([*BARE, "player.py", str(CLIENTS), server.address, name, str(number)], tmp_path))
    assert told["trouble"] == []
    assert told["player"] == seats.index(None)
    assert told["made"]
    assert told["returns"] == server.returns_of(number)
    if name == "kuhn":
        assert all((action == "bet") == (secret["card"] == "A") for _, action, secret in told["made"])
    if name == "trails":
        assert {"accept", "up"} <= {action for _, action, _ in told["made"]}


def test_the_client_prints_what_the_game_is_and_plays_any_legal_action(server: Server, tmp_path: Path) -> None:
    number = server.open("offers", ["fair", None])
    said = run([*BARE, str(CLIENTS / "kibitz_client.py"), server.address, str(number), "--name", "ann"], tmp_path)
    for words in ("Offers\n", "Secret: The other player's favourite kind.", "player 1 (you)", "give <n> <kind>: "):
        assert words in said
    assert returns_in(said) == server.returns_of(number)


def test_what_the_server_refuses_is_one_line(server: Server, tmp_path: Path) -> None:
    client = [*BARE, str(CLIENTS / "kibitz_client.py")]
    for where, words in (("9999", "9999"), ("nonesuch", "nonesuch")):
        done = subprocess.run([*client, server.address, where], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr
    done = subprocess.run([*client, "http://127.0.0.1:9", "kuhn"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


@pytest.mark.skipif(NODE is None, reason="no node here (on Debian: apt-get install nodejs)")
def test_the_client_in_javascript_plays_by_its_parts_too(server: Server, tmp_path: Path) -> None:
    number = server.open("trails", [None, "honest"])
    said = run([*javascript_client(), server.address, str(number)], tmp_path)
    assert "Actions:" in said
    assert returns_in(said) == server.returns_of(number)


@pytest.mark.skipif(NODE is None, reason="no node here (on Debian: apt-get install nodejs)")
def test_two_clients_who_want_the_same_game_meet(server: Server, tmp_path: Path) -> None:
    game = "pennies(lead=2)"
    first = subprocess.Popen([*javascript_client(), server.address, game], stdout=subprocess.PIPE, text=True)
    while not httpx2.get(f"{server.address}/api/matches?status=open").json():
        time.sleep(0.02)
    said = run([*BARE, str(CLIENTS / "kibitz_client.py"), server.address, game], tmp_path)
    other, _ = first.communicate(timeout=60)
    assert first.returncode == 0
    assert returns_in(said) == returns_in(other)
    assert "mismatcher, who wants them to differ (you)" in said
    assert "matcher, who wants the coins to be equal (you)" in other


def javascript_client() -> list[str]:
    assert NODE is not None
    return [NODE, "--experimental-websocket", "--no-warnings", str(CLIENTS / "kibitz_client.js")]


def returns_in(said: str) -> Any:
    """What the players earned, by the last line of a client."""
    return json.loads(said.rsplit("earned ", 1)[1].rstrip(".\n"))


def test_a_server_that_hangs_up_is_answered_so_that_it_need_not_wait(tmp_path: Path) -> None:
    answered: list[Any] = []

    def hang_up(line: ServerConnection) -> None:
        line.recv(timeout=30)
        line.close()
        answered.append(line.protocol.close_rcvd)

    with serve(hang_up, "127.0.0.1", 0) as rude:
        thread = Thread(target=rude.serve_forever)
        thread.start()
        host, port = rude.socket.getsockname()
        command = [*BARE, str(CLIENTS / "kibitz_client.py"), f"ws://{host}:{port}", "kuhn"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        rude.shutdown()
        thread.join(30)
    assert (done.returncode, done.stderr) == (1, "the server has closed the line before the end of the match\n")
    assert answered[0] is not None


def broken_lines(script: str, folder: Path, *arguments: str) -> str:
    """What a script prints that uses the client of the folder."""
    (folder / "script.py").write_text(script, encoding="utf-8")
    return run([*BARE, "script.py", str(CLIENTS), *arguments], folder)


def test_a_broken_line_is_mended_and_nothing_is_missed(server: Server, tmp_path: Path) -> None:
    number = server.open("dilemma(rounds=8)", [None, "tit_for_tat"])
    script = """
import socket, sys
sys.path.insert(0, sys.argv[1])
import kibitz_client

lines, plies = [], []
class Line(kibitz_client.Line):
    def __init__(self, *given):
        super().__init__(*given)
        lines.append(self)

def choose(turn):
    plies.extend(event["ply"] for event in turn.act["events"])
    if turn.act["seq"] in (3, 6) and len(lines) <= turn.act["seq"] // 3:
        lines[-1].socket.shutdown(socket.SHUT_RDWR)  # the answer does not arrive
    return "defect"

kibitz_client.Line = Line
client = kibitz_client.Client(sys.argv[2], match=int(sys.argv[3]), choose=choose)
print(client.play(), len(lines), sorted(set(plies)))
"""
    said = broken_lines(script, tmp_path, server.address, str(number))
    assert said.strip() == f"{server.returns_of(number)} 3 [0, 1, 2, 3, 4, 5, 6]"
