"""Tournaments that are killed again and again end as if nothing had happened."""

import json
import os
import random
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

FIELD = ["random", "second=random", "third=random", "generous"]  # who draws, so that nothing is copied
# With an opening the loop plays the matches: kernels would be done before anything can be killed.
COMMAND = [sys.executable, "-m", "kibitz.cli", "tournament", "dilemma(rounds=200)", *FIELD, "--opening", "1"]
PAIRINGS = 6 * 2


def kibitz(*arguments: str, repeats: int, database: str, workers: int = 2) -> subprocess.Popen[str]:
    command = [*COMMAND, "--workers", str(workers), "--repeats", str(repeats), *arguments, "--db", database]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def children(pid: int) -> list[int]:
    """The processes that *pid* started."""
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in found.read_text().split()] if found.exists() else []


def finished(repeats: int, database: str, workers: int = 2) -> dict[str, Any]:
    """The table of a run that is played to its end, without what differs from time to time."""
    process = kibitz("--json", repeats=repeats, database=database, workers=workers)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    table: dict[str, Any] = json.loads(re.sub(r'"(seconds|longest)":[^,}]+', r'"\1":0', out))
    return table


def stored(database: str) -> int:
    """How many matches are there."""
    with Store(database) as store:
        runs = store.runs()
        return runs[0].stored if runs else 0


def wait_for(database: str, more: int) -> None:
    """Wait until so many more are stored."""
    end = time.monotonic() + 120
    before = stored(database)
    with Store(database) as store:
        while not store.runs() or store.runs()[0].stored < before + more:
            assert time.monotonic() < end, "the tournament does not go on"
            time.sleep(0.05)


@pytest.mark.parametrize(("kills", "repeats"), [(3, 160), pytest.param(10, 600, marks=pytest.mark.slow)])
@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
def test_a_tournament_killed_again_and_again_gives_the_table_of_an_undisturbed_one(
    kills: int, repeats: int, database: str, tmp_path: Path
) -> None:
    chances = random.Random(7)
    progress, planned = [], PAIRINGS * repeats
    for number in range(kills):
        process = kibitz(repeats=repeats, database=database)
        if number % 3 == 2:
            time.sleep(chances.uniform(0.1, 1.0))  # at any moment, before the first match too
        else:
            wait_for(database, chances.randint(1, planned // 24))
        if number % 2:  # a worker: the run must notice and go on
            for pid in children(process.pid)[:1]:
                os.kill(pid, signal.SIGKILL)
            time.sleep(chances.uniform(0.0, 0.3))
        process.kill()
        process.communicate()
        progress.append(stored(database))
    assert progress == sorted(progress), "a kill lost what was stored"
    assert 0 < progress[0] < min(progress[-1], planned), "the kills came too early or too late to tell"
    table = finished(repeats, database)
    assert table["stored"] == table["planned"] == planned
    assert {**table, "run": 1} == finished(repeats, str(tmp_path / "undisturbed.db"), workers=1)


def test_ctrl_c_keeps_what_was_played_and_says_how_to_go_on(tmp_path: Path) -> None:
    database = str(tmp_path / "a.db")
    process = kibitz(repeats=5000, database=database)
    wait_for(database, 1)
    workers = children(process.pid)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert re.search(
        r"\d+ of 60000 matches of run 1 are stored; run the same command, or kibitz resume, to resume", err
    ), err
    assert "Traceback" not in err
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert stored(database) > 0
