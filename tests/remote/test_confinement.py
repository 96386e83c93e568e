"""Programs that run wild are stopped, and where bwrap works they reach neither network nor disk."""

import errno
import os
import shlex
import socket
import stat
import sys
from pathlib import Path

import pytest

from kibitz import play
from kibitz.remote import confinement
from kibitz.remote.process import Process

BOT = """
import json, os, resource, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        print(json.dumps({{"type": "ready", "name": str({name})}}), flush=True)
    elif message["type"] == "act":
        {act}
        print(json.dumps({{"type": "action", "seq": message["seq"], "action": "cooperate"}}), flush=True)
"""


def bot(folder: Path, name: str = "''", act: str = "pass") -> str:
    path = folder / "bot.py"
    path.write_text(BOT.format(name=name, act=act))
    return shlex.join([sys.executable, "-I", "-S", str(path)])


def told(agent: Process) -> str:
    """What a bot says its name is."""
    name = str(play("dilemma(rounds=1)", [agent, "dilemma.grim"]).header.truths[0]["name"])
    agent.close()
    return name


def test_limits_hold_in_the_program(tmp_path: Path) -> None:
    limits = "[resource.getrlimit(k)[1] for k in (resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_CORE)]"
    assert told(Process(bot(tmp_path, limits), memory=0.5, cpu=7)) == "[536870912, 7, 0]"


def test_a_program_that_takes_too_much_memory_dies_and_nobody_else(tmp_path: Path) -> None:
    agent = Process(bot(tmp_path, act="x = bytearray(10**9)"), memory=0.25)
    record = play("dilemma(rounds=2)", [agent, "dilemma.grim"])
    assert "MemoryError" in record.entries[0].faults[0].message


def test_a_program_that_takes_too_much_time_is_killed(tmp_path: Path) -> None:
    agent = Process(bot(tmp_path, act="while True: pass"), cpu=1, move=20.0)
    record = play("dilemma(rounds=1)", [agent, "dilemma.grim"])
    assert "was killed by SIG" in record.entries[0].faults[0].message


def test_where_bwrap_works_a_program_is_started_through_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake, said = tmp_path / "bin" / "bwrap", tmp_path / "said"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho "$*" >> {said}\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv(confinement.NO_SANDBOX, raising=False)
    assert confinement.sandbox_trouble() is None
    assert told(Process(bot(tmp_path, "'confined'"))) == "confined"
    _, started = said.read_text().splitlines()
    for word in ("--unshare-all", "--die-with-parent", "--ro-bind / /"):
        assert word in started
    assert started.endswith("bot.py")
    monkeypatch.setenv(confinement.NO_SANDBOX, "1")
    assert told(Process(bot(tmp_path, "'free'"))) == "free"
    assert len(said.read_text().splitlines()) == 2


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are confined by the real bwrap."""
    trouble = confinement.sandbox_trouble()
    if trouble is not None:
        pytest.skip(f"{trouble} (on Debian: apt-get install bubblewrap)")
    monkeypatch.delenv(confinement.NO_SANDBOX, raising=False)


TRY = """
def tried(work):
    try:
        work()
    except OSError as error:
        return type(error).__name__ + " " + str(error.errno)
    return "done"
"""


@pytest.mark.usefixtures("sandbox")
def test_a_confined_program_writes_nowhere_but_in_its_own_empty_folder(tmp_path: Path) -> None:
    beside, home = tmp_path / "written", Path.home() / "written"
    command = bot(tmp_path, "[tried(lambda: open(path, 'w')) for path in PATHS]")
    path = tmp_path / "bot.py"
    paths = f"[{str(beside)!r}, {str(home)!r}, os.environ['TMPDIR'] + '/x']"
    path.write_text(f"{TRY}\nimport os\nPATHS = {paths}\n{path.read_text()}")
    assert told(Process(command)) == f"['OSError {errno.EROFS}', 'OSError {errno.EROFS}', 'done']"
    assert not beside.exists()


@pytest.mark.usefixtures("sandbox")
def test_a_confined_program_has_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = bot(tmp_path, f"tried(lambda: socket.create_connection({server.getsockname()!r}, 5))")
        path = tmp_path / "bot.py"
        path.write_text(f"{TRY}\nimport socket\n{path.read_text()}")
        assert told(Process(command)) != "done"
        monkeypatch.setenv(confinement.NO_SANDBOX, "1")
        assert told(Process(command)) == "done", "it would reach somebody if it could"


def test_a_bwrap_that_does_not_work_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'no permission' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert "no permission" in str(confinement.sandbox_trouble())
    assert confinement.sandbox_command(["true"]) == ["true"]


def test_without_bwrap_doctor_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert confinement.sandbox_trouble() == "bwrap is not installed"
