"""A class of thirty and two hundred bots on a server behind nginx, which is killed again and again: nothing is lost."""

import asyncio
from pathlib import Path

import pytest

from load import Lesson, percentile, run_class
from proxied import proxied_server

pytestmark = [pytest.mark.system, pytest.mark.alone]

SHORT = Lesson(seconds=60.0, kill_every=30.0)
LONG = Lesson(seconds=600.0, kill_every=120.0)
QUIET = 20.0
"""Milliseconds for 99 of 100 answers on a machine that does nothing else."""


@pytest.mark.parametrize("lesson", [SHORT, pytest.param(LONG, marks=pytest.mark.slow)], ids=["short", "long"])
def test_a_class_plays_while_the_server_is_killed(tmp_path: Path, lesson: Lesson) -> None:
    for name in ("class", "idle"):
        (tmp_path / name).mkdir()
    with proxied_server(tmp_path / "class") as server, proxied_server(tmp_path / "idle", "--api") as idle:
        report = asyncio.run(run_class(server, idle, lesson))
        print(report.words())
        assert report.errors == [], server.logs()[-2000:]
        assert "Traceback" not in server.logs()
    assert report.kills == len(lesson.kill_times())
    assert report.lost == set(), report.words()
    assert len(report.opened) > lesson.bots / 2 + lesson.people
    assert report.reconnections > 0
    assert all(report.late_presses), "people in browsers play on after a kill"
    single = percentile(report.single_answers)
    if lesson == LONG or single <= QUIET:  # beside other tests, a short lesson says little about time
        assert percentile(report.answers) <= max(QUIET, 5.0 * single), report.words()
    if lesson == LONG:
        assert report.growth() < 5.0, report.words()
