"""A real server process on this machine, with its log, for tests that attack it."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kibitz_lab.store import Store
from kibitz_lab.store.accounts import Accounts, Role
from page_client import Page, sign_in

PATIENCE = 60.0
WRONG = ("Traceback", "exception", "never retrieved", "was destroyed", "never awaited", "Unhandled")
"""Words in a log that no client may cause."""


def wait_until(condition: Callable[[], bool]) -> None:
    """Ask again and again until it is so; fail after a minute."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


class RunningServer:
    """`kibitz serve`; with *accounts* it knows an operator's token `op` and people of every role."""

    def __init__(self, folder: Path, *options: str, accounts: bool = True) -> None:
        self.folder, self.options, self.sessions = folder, options, dict[str, str]()
        self.store = Store(str(folder / "kept.db"))
        self.accounts = Accounts(self.store)
        """The accounts as another process changes them, such as the command line."""
        self.token = self.accounts.make_token("op", "operator") if accounts else ""
        self.log, self.errors = folder / "log.json", folder / "stderr"
        self.process: subprocess.Popen[str] | None = None
        self.address = ""
        self.read = 0

    def start(self) -> None:
        """Start the server, and wait until it says where it is."""
        words = ["serve", "--port", "0", "--folder", "tables", "--db", "kept.db", "--log", str(self.log)]
        printed = self.folder / "stdout"
        with printed.open("w") as out, self.errors.open("a") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "kibitz.cli", *words, *self.options],
                cwd=self.folder, stdout=out, stderr=errors, text=True,
            )  # fmt: skip
        until = time.monotonic() + PATIENCE
        while "kibitz is at" not in printed.read_text():
            assert self.process.poll() is None, self.errors.read_text()
            assert time.monotonic() < until, "it never started"
            time.sleep(0.02)
        self.address = printed.read_text().split()[3].rstrip(";").rstrip("/")

    def sign_in(self, name: str, role: Role = "player") -> str:
        """The session of a person with a new account."""
        self.sessions[name] = sign_in(self.address, self.accounts.invite(name, role))
        return self.sessions[name]

    def page(self, path: str, name: str = "") -> Page:
        """A page, as somebody who signed in sees it."""
        return Page(self.address, path, self.sessions.get(name, ""))

    def wrongs(self) -> list[str]:
        """What the log and the standard error say since the last call that no client may cause."""
        with self.log.open(errors="replace") as log:
            log.seek(self.read)
            fresh = log.read()
            self.read = log.tell()
        found = [line for line in fresh.splitlines() if any(word in line for word in WRONG) or is_server_error(line)]
        return [*found, *([self.errors.read_text()] if self.errors.stat().st_size else [])]

    def kill(self) -> None:
        """End the server without a goodbye."""
        assert self.process is not None, "it was started"
        self.process.kill()
        self.process.wait(20)

    def stop(self) -> None:
        """End the server."""
        self.store.close()
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(20)


def is_server_error(line: str) -> bool:
    """Whether a line of the log is about a request that failed by our fault; a busy store (503) is none."""
    if '"status":5' not in line:
        return False
    return json.loads(line).get("status") != 503


@contextmanager
def running_server(folder: Path, *options: str, accounts: bool = True) -> Iterator[RunningServer]:
    """A server until the end of the block."""
    made = RunningServer(folder, *options, accounts=accounts)
    try:
        made.start()
        yield made
    finally:
        made.stop()
