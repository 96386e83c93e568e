"""A study that is killed and stopped again and again ends as if nothing had happened."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kibitz_lab.store import Store

pytestmark = pytest.mark.system

COMMAND = [sys.executable, "-m", "kibitz.cli", "study"]
HOLD = "KIBITZ_TEST_HOLD"
"""The variable that names a file to `small_study`, which is slow as long as the file exists."""
ALONE, PAIR = "small_study:STUDY --workers 1", "small_study:STUDY --workers 2"
MATCHES, CASES, STOPPED = 56, 64, 60


def kibitz(study: str, *arguments: str, database: str, folder: Path) -> subprocess.Popen[str]:
    command = [*COMMAND, *study.split(), "--quick", *arguments, "--db", database, "--out", str(folder)]
    here, environment = Path(__file__).parent, {**os.environ, HOLD: str(hold_file(folder))}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=here, env=environment
    )


def hold_file(folder: Path) -> Path:
    """The file that makes the small study slow."""
    return folder.with_suffix(".hold")


def stored(database: str) -> list[int]:
    with Store(database) as store:
        return [run.stored for run in store.runs()]


def wait_for(database: str, count: int) -> None:
    end = time.monotonic() + 120
    with Store(database) as store:
        while sum(run.stored for run in store.runs()) < count:
            assert time.monotonic() < end, "the study does not go on"
            time.sleep(0.02)


def finished(study: str, database: str, folder: Path) -> dict[str, Any]:
    """What a study finds, without times and places."""
    process = kibitz(study, "--json", database=database, folder=folder)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    assert (folder / "report.html").exists()
    del found["report"]
    found["making"] = re.sub(r"for [\w. ]+ on all cores", "", found["making"])
    found["tables"] = [table for table in found["tables"] if not table["caption"].startswith("The parts")]
    return found


def stop(process: subprocess.Popen[str], folder: Path, planned: int) -> None:
    """Interrupt a study as Ctrl-C does; it says what is kept and how to go on."""
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.search(rf"\d+ of {planned} cases are stored; run the same command to resume", err), err
    assert "Traceback" not in err
    assert "Unfinished" in (folder / "report.html").read_text()


@pytest.mark.parametrize("study", [ALONE, pytest.param(PAIR, marks=pytest.mark.slow)])
@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
def test_a_study_killed_and_stopped_in_every_part_ends_as_an_undisturbed_one(
    study: str, database: str, tmp_path: Path
) -> None:
    progress, planned = [], MATCHES + CASES
    hold_file(tmp_path / "killed").touch()
    for count in (1, STOPPED):
        process = kibitz(study, database=database, folder=tmp_path / "killed")
        wait_for(database, count)
        if count == STOPPED:
            stop(process, tmp_path / "killed", planned)
        else:
            process.kill()
            process.communicate()
        progress.append(sum(stored(database)))
    assert progress == sorted(progress), "a kill lost what was stored"
    assert 0 < progress[0] < progress[-1] < planned, "the kills came too early or too late to tell"
    hold_file(tmp_path / "killed").unlink()
    found = finished(study, database, tmp_path / "killed")
    assert found["complete"]
    assert "Unfinished" not in (tmp_path / "killed" / "report.html").read_text()
    assert stored(database) == [MATCHES, CASES]
    assert found == finished(study, str(tmp_path / "undisturbed.db"), tmp_path / "undisturbed")
    rows = [(tmp_path / each / "rows" / "naming.jsonl").read_bytes() for each in ("killed", "undisturbed")]
    assert rows[0] == rows[1]
