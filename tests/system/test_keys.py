"""A key that a program needs is in nothing that kibitz writes, shows or starts."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx2
import pytest
import zstandard

from checkout import EXAMPLES
from kibitz.remote.confinement import NO_SANDBOX
from kibitz_lab.arena.plan import Plan
from kibitz_lab.arena.runs import open_run
from kibitz_lab.arena.tournament import Tournament
from kibitz_lab.store import Store
from kibitz_lab.studies.arenas import rps
from kibitz_lab.studies.report import make_report
from kibitz_lab.studies.runs import StudyRun
from running_server import wait_until

pytestmark = [pytest.mark.system, pytest.mark.long]

PASSED, CARELESS = f"sk-passed-4f9a8b7c{os.getpid()}", f"sk-careless-1a2b3c4d{os.getpid()}"
"""A key in the environment that `pass_env` names, and one in the arguments of a program; no two test processes share
one, as bots look at all processes."""

BOT = """
import json, os, pathlib, sys

key, acts = os.environ["PLANTED_KEY"], 0
pathlib.Path(__file__).with_name("keys-seen").write_text(key)
for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
    try:
        words = path.read_bytes().split(bytes(1))
    except OSError:
        continue
    if words[3:4] != [__file__.encode()]:  # a bot's own process shows its arguments
        with open(pathlib.Path(__file__).with_name("processes"), "a") as file:
            print([word.decode(errors="replace") for word in words], file=file)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        print(json.dumps({"type": "ready", "name": f"bot of {key}, {sys.argv[1]}"}), flush=True)
    elif message["type"] == "act":
        acts += 1
        answer = {"type": "action", "seq": message["seq"], "action": f"{key} {sys.argv[1]}"}
        if acts == 1:
            print(json.dumps(answer), flush=True)
        elif acts == 2:
            print("x" * 60, key, sys.argv[1], flush=True)
        else:
            raise KeyError(f"no {sys.argv[1]} for {key} in {'y' * 150}{key}")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bot that says its keys wherever it can, and an agent file that names it."""
    monkeypatch.setenv(NO_SANDBOX, "1")  # so that it sees all processes
    monkeypatch.setenv("PLANTED_KEY", PASSED)
    for name in ("bot", "here"):
        (tmp_path / name).mkdir()
    (tmp_path / "bot" / "bot.py").write_text(BOT)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "here"))
    command = json.dumps(f"{sys.executable} -I -S {tmp_path / 'bot' / 'bot.py'} {CARELESS}")
    (tmp_path / "bot" / "agents.toml").write_text(
        f'[agents]\nmine = {{ command = {command}, pass_env = ["PLANTED_KEY"] }}\ngrim = "dilemma.grim"\n'
    )
    return tmp_path


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    """What a command prints."""
    words = [sys.executable, "-m", "kibitz.cli", *arguments]
    done = subprocess.run(words, cwd=folder / "here", capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def unpacked(path: Path) -> bytes:
    """The content of a file, also if it is compressed."""
    content = path.read_bytes()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as file:
            return content + b"".join(map(file.read, file.namelist()))
    if content.startswith(b"\x28\xb5\x2f\xfd"):
        return zstandard.ZstdDecompressor().stream_reader(content, read_across_frames=True).read()
    return content


def check_secret(folder: Path, *printed: str) -> None:
    """No key is in what was printed, in a file that kibitz wrote, or in the list of processes."""
    assert (folder / "bot" / "keys-seen").read_text() == PASSED, "the program never had its key"
    paths = [path for path in (folder / "here").rglob("*") if path.is_file()]
    assert paths
    for what, content in [*((path, unpacked(path)) for path in paths), *((text, text.encode()) for text in printed)]:
        for key in (PASSED, CARELESS):
            assert key.encode() not in content, what
    processes = (folder / "bot" / "processes").read_text()
    assert "supervisor.py" in processes
    for key in (PASSED, CARELESS):
        assert key not in processes


def test_no_key_is_in_what_a_tournament_writes(folder: Path) -> None:
    options = ("--repeats", "1", "--workers", "1", "--db", "kept.db")
    file = str(folder / "bot" / "agents.toml")
    printed = [
        run(folder, "tournament", "dilemma(rounds=4)", "--agents", file, *options, "--csv", "a.csv", "--records", "r"),
        run(folder, "runs", "--db", "kept.db"),
        run(folder, "runs", "1", "--db", "kept.db", "--json", "--by", "seat", "--csv", "b.csv"),
        run(folder, "resume", "1", "--db", "kept.db"),
        run(folder, "backup", "kept.zip", "--db", "kept.db"),
        run(folder, "doctor"),
    ]
    records = sorted((folder / "here" / "r").iterdir())
    printed += [
        run(folder, "replay", str(records[0])),
        run(folder, "replay", str(records[0]), "--json"),
    ]
    assert "process(name='bot.py'" in printed[6]
    assert "$PLANTED_KEY" in printed[7]
    check_secret(folder, *printed)


def test_workers_of_a_cluster_get_commands_and_show_no_key(folder: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    file = str(folder / "bot" / "agents.toml")
    options = ("--repeats", "1", "--executor", "ray", "--workers", "1", "--db", "kept.db")
    check_secret(folder, run(folder, "tournament", "dilemma(rounds=4)", "--agents", file, *options))


def test_no_key_is_in_what_a_match_writes(folder: Path) -> None:
    command = f"{sys.executable} -I -S {folder / 'bot' / 'bot.py'} {CARELESS}"
    spec = f'process(command={command!r}, pass_env=["PLANTED_KEY"])'
    game = "dilemma(rounds=4)"
    printed = [
        run(folder, "watch", game, spec, "grim", "--record", "a.krec", "--memory", "players"),
        run(folder, "watch", game, spec, "grim", "--json"),
        run(folder, "compare", spec, "grim", "--game", game, "--most", "4", "--workers", "1", "--db", "kept.db"),
        run(folder, "runs", "1", "--db", "kept.db"),
        run(folder, "watch", game, spec[:-1], "grim", code=2),
        run(folder, "watch", game, spec.replace("command", "comand"), "grim", code=2),
        run(folder, "watch", game, f"cmd:KEY={CARELESS} ./bot", "grim", code=2),
        run(folder, "watch", game, f"strategy_filter(strategies=[{spec}])", "grim", code=2),
        run(folder, "play", game, f"cmd:{command}", code=2),
        run(folder, "tournament", game, f"cmd:./no-bot {CARELESS}", "grim", code=2),
        run(folder, "watch", game, f'process(command="sh", pass_env=["{PASSED}"])', "grim", code=2),
    ]
    (folder / "bot" / "processes").write_text("supervisor.py")  # a shell's user sees what they type
    check_secret(folder, *printed)


def test_no_key_is_in_what_a_server_says(folder: Path) -> None:
    options = ["--port", "0", "--db", "kept.db", "--agents", str(folder / "bot" / "agents.toml"), "--log", "log"]
    words = [sys.executable, "-m", "kibitz.cli", "serve", *options, "--allow-unconfined"]
    here = folder / "here"
    with (here / "errors").open("w") as errors:
        server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=here)
    with server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split("http://")[1].split("/")[0]
            with httpx2.Client(base_url=f"http://{address}", timeout=30.0) as http:
                seats = {"game": "dilemma(rounds=4)", "seats": ["mine", "grim"]}
                match = http.post("/api/matches", json=seats).json()
                wait_until(lambda: bool(http.get("/api/records").json()))
                definition = 'game = "dilemma"\nagents = ["mine", "grim"]\nrepeats = 1'
                started = http.post("/api/tournaments", json={"definition": definition})
                number = match["number"]
                paths = [
                    "/",
                    f"/replay/{number}",
                    "/records",
                    "/runs",
                    "/setup?game=dilemma",
                    "/api/games/dilemma/agents",
                ]
                paths += [
                    "/metrics",
                    "/api/records",
                    f"/api/records/{number}",
                    f"/api/matches/{number}",
                    "/api/tournaments",
                ]
                printed = [started.text, *(http.get(path).text for path in paths)]
        finally:
            server.terminate()
    with Store(str(here / "kept.db")) as store:
        stored = [unpacked_bytes for run in store.runs() for _, unpacked_bytes in store.records(run.run)]
    assert stored
    (here / "record").write_bytes(stored[0])
    check_secret(folder, json.dumps(match), *printed)


def test_no_key_is_in_what_a_study_keeps(folder: Path) -> None:
    with Store(str(folder / "here" / "kept.db")) as store:
        run = StudyRun(rps.STUDY, store, quick=True, changed={"agents": [f"cmd:python3 bot.py {CARELESS}", "mcts"]})
        assert CARELESS not in repr((run.changed, run.settings, run.parts, make_report(run).plain()))
        assert run.settings["agents"][1] == "mcts"
    assert CARELESS.encode() not in (folder / "here" / "kept.db").read_bytes()


def test_a_run_is_resumed_with_its_program_named_again(folder: Path) -> None:
    command = f"cmd:{sys.executable} -I -S {EXAMPLES / 'bots' / 'any_legal.py'}"
    wanted = Tournament(games=("dilemma(rounds=2)",), agents={"mine": command, "grim": "dilemma.grim"}, repeats=2)
    with Store(str(folder / "here" / "kept.db")) as store:
        open_run(Plan.of(wanted), store)
    missing = run(folder, "resume", "1", "--db", "kept.db", code=2).strip().splitlines()[-1]
    assert "run 1: agents.mine: bad spec \"process(name='any_legal.py', hash='" in missing
    assert "run the same command again, or kibitz resume --program cmd:COMMAND" in missing
    other = run(folder, "resume", "1", "--db", "kept.db", "--program", f"{command} 5", code=2).strip().splitlines()[-1]
    assert "has changed" in other
    again = run(folder, "resume", "1", "--db", "kept.db", "--program", command, "--workers", "1")
    assert "4 of 4 matches" in again
