"""Two processes on one run: the second is refused, and takes over at once when the first is killed."""

import signal
import subprocess
import sys
import time
from contextlib import AbstractContextManager

import pytest

from child_process import child_process
from kibitz.store import Store
from kibitz.store.claims import playing

pytestmark = pytest.mark.system

FIELD = [
    "random",
    "second=random",
    "third=random",
]  # who draws, so that nothing is copied; an opening, so none is compiled
COMMAND = [
    sys.executable,
    "-m",
    "kibitz.cli",
    "tournament",
    "dilemma(rounds=200)",
    *FIELD,
    "--repeats",
    "10000",
    "--opening",
    "1",
]


def kibitz(database: str) -> AbstractContextManager[subprocess.Popen[str]]:
    command = [*COMMAND, "--executor", "inline", "--db", database]
    return child_process(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_until_played_by(process: subprocess.Popen[str], store: Store) -> None:
    """Wait until the process holds the run."""
    end = time.monotonic() + 120
    while not any(f"process {process.pid} " in words for words in playing(store).values()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "the tournament does not begin"
        time.sleep(0.05)


def test_a_second_process_is_refused_and_goes_on_when_the_first_is_killed(database: str) -> None:
    with kibitz(database) as first, Store(database) as store:
        wait_until_played_by(first, store)
        with kibitz(database) as second:
            out, err = second.communicate(timeout=120)
        assert (second.returncode, out) == (2, "")
        assert err.startswith(f"kibitz: run 1 is being played by process {first.pid} on "), err
        assert err.count("\n") == 1
        first.kill()
        first.communicate()
        before = store.run(1).stored
        with kibitz(database) as third:
            wait_until_played_by(third, store)
            third.send_signal(signal.SIGINT)
            _, err = third.communicate(timeout=120)
        assert third.returncode == 130, err
        assert before == 0 or f"resuming run 1: {before} of 60000 matches are stored" in err
        assert store.run(1).stored >= before
        assert playing(store) == {}
