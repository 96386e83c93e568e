"""Where a control group was delegated to kibitz, the system itself bounds a program and all it starts.

Run these as `systemd-run --user --scope -p Delegate=yes pytest tests/remote/test_control_groups.py`, or in a service.
"""

import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from kibitz.core.errors import BotFailed
from kibitz.remote import control_groups
from kibitz.remote.confinement import NO_SANDBOX, Allowance, kept_bounds
from kibitz.remote.program import Program

pytestmark = pytest.mark.system


@pytest.fixture(params=["confined", "unconfined"])
def groups(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the programs' groups."""
    if not control_groups.enter_server_group():
        pytest.skip("no control group was delegated to these tests (systemd-run --scope -p Delegate=yes)")
    monkeypatch.setenv(NO_SANDBOX, "1" if request.param == "unconfined" else "")
    folder = control_groups.programs_folder()
    assert folder is not None
    return folder


def program(folder: Path, code: str, allowance: Allowance) -> Program:
    folder.chmod(0o755)
    (folder / "bot.py").write_text(f"import os, time\n{code}")
    return Program(shlex.join([sys.executable, "-I", "-S", str(folder / "bot.py")]), allowance)


def programs(folder: Path) -> list[Path]:
    return list(folder.glob(f"{control_groups.PROGRAM}*"))


def test_the_system_bounds_the_memory_of_a_program_and_its_children(groups: Path, tmp_path: Path) -> None:
    code = """
for _ in range(8):
    if os.fork() == 0:
        eaten = bytearray(b"x") * (1 << 26)
        time.sleep(60)
time.sleep(60)
"""
    started = program(tmp_path, code, Allowance(memory=0.25))
    (group,) = programs(groups)
    assert (group / "memory.max").read_text() == f"{1 << 28}\n"
    with pytest.raises(BotFailed, match=r"used more than 0\.25 GiB of memory"):
        started.hear(time.monotonic() + 60.0)
    assert programs(groups) == []
    assert kept_bounds()["memory"] == "the system, for all together"


def test_the_system_counts_the_processes_of_a_program(groups: Path, tmp_path: Path) -> None:
    code = """
made = 0
for _ in range(1000):
    try:
        if os.fork() == 0:
            time.sleep(60)
        made += 1
    except OSError:
        break
print(made, flush=True)
time.sleep(60)
"""
    started = program(tmp_path, code, Allowance(processes=16))
    line = started.hear(time.monotonic() + 60.0)
    assert line is not None
    assert int(line) <= 18
    started.close(grace=0.0)
    assert programs(groups) == []


def test_a_group_that_is_not_ours_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(control_groups, "own_group", lambda: tmp_path)
    assert not control_groups.is_delegated(tmp_path)
    assert not control_groups.enter_server_group()
    assert control_groups.program_group(1.0, 16) is None
    assert os.listdir(tmp_path) == []
