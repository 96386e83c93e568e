"""A study that is killed and stopped again and again ends as if nothing had happened."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kibitz.store import Store

pytestmark = pytest.mark.system

COMMAND = [sys.executable, "-m", "kibitz.cli", "study", "ipd", "--quick", "--workers", "2"]


def kibitz(*arguments: str, database: str, folder: Path) -> subprocess.Popen[str]:
    command = [*COMMAND, *arguments, "--db", database, "--out", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def stored(database: str) -> list[int]:
    with Store(database) as store:
        return [run.stored for run in store.runs()]


def wait_for(database: str, count: int) -> None:
    end = time.monotonic() + 120
    while sum(stored(database)) < count:
        assert time.monotonic() < end, "the study does not go on"
        time.sleep(0.02)


def finished(database: str, folder: Path) -> dict[str, Any]:
    """What a study finds, without times and places."""
    process = kibitz("--json", database=database, folder=folder)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    assert (folder / "report.html").exists()
    del found["report"]
    found["tables"] = [table for table in found["tables"] if not table["caption"].startswith("The parts")]
    return found


def stop(process: subprocess.Popen[str], folder: Path) -> None:
    """Interrupt a study as Ctrl-C does; it says what is kept and how to go on."""
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.search(r"\d+ of 896 matches and cases are stored; run the same command to resume", err), err
    assert "Traceback" not in err
    assert "Unfinished" in (folder / "report.html").read_text()


@pytest.mark.parametrize("counts", [(1,), pytest.param((1, 300, 750), marks=pytest.mark.slow)], ids=len)
@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
def test_a_study_killed_and_stopped_in_every_part_ends_as_an_undisturbed_one(
    counts: tuple[int, ...], database: str, tmp_path: Path
) -> None:
    progress = []
    for count in sorted((*counts, 650)):
        process = kibitz(database=database, folder=tmp_path / "killed")
        wait_for(database, count)
        if count == 650:
            stop(process, tmp_path / "killed")
        else:
            process.kill()
            process.communicate()
        progress.append(sum(stored(database)))
    assert progress == sorted(progress), "a kill lost what was stored"
    assert 0 < progress[0] < progress[-1] < 896, "the kills came too early or too late to tell"
    found = finished(database, tmp_path / "killed")
    assert found["complete"]
    assert "Unfinished" not in (tmp_path / "killed" / "report.html").read_text()
    assert stored(database) == [640, 256]
    assert found == finished(str(tmp_path / "undisturbed.db"), tmp_path / "undisturbed")
    rows = [(tmp_path / each / "rows" / "naming.jsonl").read_bytes() for each in ("killed", "undisturbed")]
    assert rows[0] == rows[1]
