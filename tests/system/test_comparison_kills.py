"""Comparisons that are killed again and again, and given a larger budget, answer as if nothing had happened."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kibitz.store import Store

pytestmark = pytest.mark.system

COMMAND = [sys.executable, "-m", "kibitz.cli", "compare", "solid", "maniac", "--game", "kuhn(players=2)"]


def compare(*arguments: str, database: str) -> subprocess.Popen[str]:
    line = [*COMMAND, "--least", "0.05", "--json", *arguments, "--db", database]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answer(*arguments: str, database: str) -> dict[str, Any]:
    """What is said in the end, without what differs from time to time; one process plays what is left."""
    process = compare(*arguments, "--workers", "1", database=database)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(re.sub(r'"(seconds|longest)":[^,}]+', r'"\1":0', out))
    return {key: value for key, value in found.items() if key not in ("notes", "stored")}


def stored(database: str) -> int:
    """How many matches are there."""
    with Store(database) as store:
        runs = store.runs()
        return runs[0].stored if runs else 0


@pytest.mark.parametrize("kills", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
def test_a_comparison_killed_and_grown_answers_like_an_undisturbed_one(
    kills: int, database: str, tmp_path: Path
) -> None:
    killed_early = 0
    for most in ("200", "600"):
        for _ in range(kills):
            before = stored(database)
            process = compare("--most", most, "--workers", "2", database=database)
            end = time.monotonic() + 120
            while process.poll() is None and stored(database) < before + 40:
                assert time.monotonic() < end, "the comparison does not go on"
                time.sleep(0.02)
            killed_early += process.poll() is None
            process.kill()
            process.communicate()
            assert stored(database) >= before, "a kill lost what was stored"
        answer("--most", most, database=database)
    assert killed_early >= kills, "the kills came too late to tell"
    undisturbed = answer("--most", "600", database=str(tmp_path / "other.db"))
    assert answer("--most", "600", database=database) == undisturbed
    with Store(database) as store:
        assert len(store.indexes(1)) == store.run(1).stored <= 600
