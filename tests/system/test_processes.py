"""Real processes: killed, interrupted, and played in a real terminal."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kibitz.core.match.play import play
from kibitz.core.records import read_record
from kibitz.core.records.replay import replaying
from running_server import wait_until

pytestmark = pytest.mark.system

KIBITZ = [sys.executable, "-m", "kibitz.cli"]
SLOW_MATCH = """
import sys, time
from kibitz import core, play

class Slow(core.Strategy):
    "Takes its time."
    def policy(self, view): return core.Distribution.uniform(view.legal_actions(self.player))
    def act(self, view, clock):
        time.sleep(0.01)
        return super().act(view, clock)

play("dilemma(rounds=5000)", [Slow(), Slow()], models=["strategy_filter"], seed=6, path=sys.argv[1])
"""


def events_in(path: Path) -> int:
    """How many events a record holds so far."""
    return len(read_record(path).entries) if path.exists() and path.stat().st_size else 0


@pytest.mark.parametrize("events", [1, 20, 70])
def test_kill_nine_leaves_a_prefix_that_replays(events: int, tmp_path: Path) -> None:
    path = tmp_path / "match.krec"
    process = subprocess.Popen([sys.executable, "-c", SLOW_MATCH, str(path)])
    try:
        wait_until(lambda: events_in(path) >= events)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    record = read_record(path)
    assert not record.complete
    assert len(record.entries) >= events
    assert len(list(replaying(record, models=["strategy_filter(drift=0.1)"]))) == len(record.entries) + 1
    shown = subprocess.run([*KIBITZ, "replay", str(path)], capture_output=True, text=True, check=True)
    assert f"unfinished: it ends after {len(record.entries)} events" in shown.stdout


def test_the_prefix_is_what_an_undisturbed_match_begins_with(tmp_path: Path) -> None:
    path = tmp_path / "match.krec"
    command = [*KIBITZ, "watch", "pennies(lead=400)", "biased", "random", "--seed", "5", "--record", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: events_in(path) >= 30)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    prefix = read_record(path).without_times()
    options = {"models": ["strategy_filter"], "seed": 5, "insights": True}
    whole = play("pennies(lead=400)", ["biased", "random"], **options).without_times()
    assert prefix.entries == whole.entries[: len(prefix.entries)]
    assert prefix.header == whole.header


class Terminal:
    """A command in a real terminal."""

    def __init__(self, *arguments: str) -> None:
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", COLUMNS="110", LINES="40")
            os.execv(sys.executable, [*KIBITZ, *arguments])
        self.text = ""

    def read_until(self, words: str, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while words not in self.text:
            assert time.monotonic() < end, f"{words!r} never came; the screen says {self.text[-2000:]}"
            if select.select([self.screen], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.screen, 65536).decode(errors="replace")
                except OSError:
                    break
        assert words in self.text, self.text[-2000:]

    def read_on(self) -> None:
        """Read what is on the screen, so that the command can go on writing."""
        while select.select([self.screen], [], [], 0.0)[0]:
            self.text += os.read(self.screen, 65536).decode(errors="replace")

    def type(self, words: str) -> None:
        self.text = ""
        os.write(self.screen, words.encode())

    def exit_code(self) -> int:
        while True:
            try:
                if not os.read(self.screen, 65536):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_a_person_plays_in_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "match.krec"
    terminal = Terminal("play", "dilemma(rounds=3)", "--against", "tit_for_tat", "--seed", "1", "--record", str(path))
    terminal.read_until("player 0> ")
    terminal.type("defect\n")
    terminal.read_until("player 0> ")
    assert "believes" in terminal.text
    terminal.type("c\n")
    terminal.read_until("player 0> ")
    terminal.type("c\n")
    terminal.read_until("earned")
    assert terminal.exit_code() == 0
    assert [entry.actions for entry in read_record(path).entries] == [
        ("defect", "cooperate"),
        ("cooperate", "defect"),
        ("cooperate", "cooperate"),
    ]


def test_interrupting_a_watched_match_stops_cleanly_and_keeps_the_record(tmp_path: Path) -> None:
    path = tmp_path / "match.krec"
    terminal = Terminal("watch", "pennies(lead=300)", "--delay", "0.05", "--record", str(path))

    def has_begun() -> bool:
        terminal.read_on()
        return events_in(path) > 3

    wait_until(has_begun)
    terminal.type("\x03")
    terminal.read_until("kibitz: stopped")
    assert "Traceback" not in terminal.text
    assert terminal.exit_code() == 130
    assert len(read_record(path).entries) > 3


@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_reader_who_has_seen_enough_is_no_error(reader: str) -> None:
    piped = f"set -o pipefail; {' '.join(KIBITZ)} watch dilemma | {reader}"
    shown = subprocess.run(["bash", "-c", piped], capture_output=True, text=True)
    assert (shown.returncode, shown.stderr) == (0, "")


def test_a_full_disk_under_the_output_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        shown = subprocess.run([*KIBITZ, "games"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert shown.returncode == 2
    assert shown.stderr.count("\n") == 1


def test_a_refused_match_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "match.krec"
    command = [*KIBITZ, "watch", "dilemma", "kuhn.rock", "random", "--record", str(path)]
    assert subprocess.run(command, capture_output=True).returncode == 2
    assert not path.exists()
