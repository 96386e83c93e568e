"""Progress in words: counts that agree with what is printed at the end, and times only where they can be told."""

import pytest

from kibitz.cli import tables
from kibitz.cli.tables import Pace, ProgressDisplay


def test_no_time_is_told_before_enough_is_done() -> None:
    pace = Pace()
    assert pace.seconds_left(1000.0, now=0.0) is None
    pace.reach(1.0, steps=1, now=30.0)  # the first one waited for processes and compilers
    assert pace.seconds_left(1000.0, now=30.0) is None
    for number in range(2, 11):
        pace.reach(float(number), steps=1, now=30.0 + number)
        assert pace.seconds_left(1000.0, now=30.0 + number) is None
    pace.reach(21.0, steps=11, now=50.0)
    assert pace.seconds_left(1000.0, now=50.0) == pytest.approx(979.0)


def test_many_quick_steps_tell_nothing_before_some_seconds_have_passed() -> None:
    pace = Pace()
    pace.reach(1.0, steps=1, now=1.0)
    pace.reach(200.0, steps=199, now=1.5)
    assert pace.seconds_left(10_000.0, now=1.5) is None
    pace.reach(4000.0, steps=3800, now=21.0)
    assert pace.seconds_left(10_000.0, now=21.0) == pytest.approx(6000.0 / 199.95, rel=0.01)


def test_few_long_steps_tell_a_time_when_a_quarter_is_done() -> None:
    pace = Pace()
    for number in range(1, 4):
        pace.reach(float(number), steps=1, now=600.0 * number)
    assert pace.seconds_left(12.0, now=1800.0) is None
    pace.reach(4.0, steps=1, now=2400.0)
    assert pace.seconds_left(12.0, now=2400.0) == pytest.approx(4800.0)


def test_work_that_was_there_before_says_nothing_of_the_pace() -> None:
    pace = Pace(900.0)
    assert pace.seconds_left(1000.0, now=5.0) is None
    pace.reach(901.0, steps=1, now=10.0)
    pace.reach(921.0, steps=20, now=30.0)
    assert pace.seconds_left(1000.0, now=30.0) == pytest.approx(79.0)


def test_lines_of_progress_tell_counts_and_a_time_that_means_something(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(tables, "EVERY", 0.5)
    watch = ProgressDisplay(400, clock=lambda: now[0])
    with watch:
        for number in range(1, 41):
            now[0] += 1.0
            watch.reach(number, 400, "cases", work=(2.0 * number, 1000.0))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "1 of 400, 1/s"
    assert lines[-1] == "40 of 400, 1/s, about 8 min left"  # of work 920 is left, at 2 a second
    assert len([line for line in lines if "left" in line]) < len(lines)
