"""A real server runs the programs that its operator names: confined, under their names, with nothing of its to read."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from kibitz.remote.confinement import NO_SANDBOX, sandbox_trouble
from kibitz_lab.store import Store
from running_server import wait_until

pytestmark = pytest.mark.system

SPY = """
import json, os, sys

def seen():
    for top in (".", "matches", sys.argv[1]):
        for folder, _, names in os.walk(top):
            for name in names:
                yield os.path.join(folder, name)

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        print(json.dumps({"type": "ready", "name": "somebody else"}), flush=True)
    elif message["type"] == "act":
        found = [path for path in seen() if not path.endswith("spy.py")]
        action = "cooperate" if found else "defect"
        print(json.dumps({"type": "action", "seq": message["seq"], "action": action}), flush=True)
"""


def operators_folder(folder: Path) -> list[str]:
    """The options of a server whose folder holds all: its matches, its database, its agent file and its bot."""
    folder.chmod(0o755)
    (folder / "spy.py").write_text(SPY)
    command = f"{sys.executable} -I -S spy.py {folder}"
    (folder / "agents.toml").write_text(f"[agents]\nspy = {{ command = {json.dumps(command)} }}\n")
    return ["serve", "--api", "--port", "0", "--db", str(folder / "kibitz.db"), "--agents", str(folder / "agents.toml")]


def test_a_bot_on_a_server_finds_nothing_of_its_match_and_is_known_by_name_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(NO_SANDBOX, raising=False)
    if (trouble := sandbox_trouble()) is not None:
        pytest.skip(f"{trouble} (on Debian: apt-get install bubblewrap)")
    words = [sys.executable, "-m", "kibitz.cli", *operators_folder(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split("http://")[1].split("/")[0]
            with httpx2.Client(base_url=f"http://{address}/api", timeout=30.0) as http:
                seats = {"game": "dilemma(rounds=3)", "seats": ["spy", "grim"]}
                match = http.post("/matches", json=seats).json()
                assert [seat["name"] for seat in match["seats"]] == ["spy", "dilemma.grim"]
                wait_until(lambda: bool(http.get("/records").json()))
                assert http.get("/records").json()[0]["names"][0] == "spy"
                record = http.get(f"/records/{match['number']}").json()["lines"]
        finally:
            server.terminate()
    chosen = [line["actions"][0] for line in record if line["type"] == "event"]
    assert chosen == ["defect"] * 3, "it saw a file besides its own"
    assert str(tmp_path) not in json.dumps(record)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "matches", tmp_path / "kibitz.db")}
    assert modes == {"matches": 0o700, "kibitz.db": 0o600}


def test_a_database_is_its_owners_alone_and_others_keep_their_rights(tmp_path: Path) -> None:
    path = tmp_path / "kibitz.db"
    for mode in (0o600, 0o640):
        with Store(str(path)):
            files = [each for each in tmp_path.iterdir() if each.name.startswith("kibitz.db")]
            assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {mode}
        path.chmod(0o640)
