"""An external program that exchanges lines with kibitz, which survives it hanging, flooding, lying or dying."""

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
import typing
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from kibitz.core.errors import BotFailed, printable
from kibitz.remote.confinement import Allowance, sandbox_command

CHUNK = 1 << 16
LONGEST_LINE = 1_000_000
LONGEST_BACKLOG = 1_000_000
"""Most bytes that may wait for a program that does not read."""
STDERR_KEPT = 4096
GRACE = 0.5
"""Seconds that a program has to exit after its input closes, and again after SIGTERM."""
INHERITED = ("PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "TMP", "TEMP", "TZ")
"""The environment variables that a program gets, with LC_*: no keys, tokens or passwords."""
GUARD = 'read -r _; sleep 1; kill -s KILL -- "-$1"'
"""Waits until the process that holds its input has died, then kills the group $1.

Linux's PR_SET_PDEATHSIG would kill a program as soon as the *thread* that started it ends, and would spare the
program's own children.
"""


def split_command(command: str) -> list[str]:
    """The words of a command line whose program exists; raises ValueError with the reason otherwise."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"the command line cannot be read: {str(error).lower()}") from None
    if not words:
        raise ValueError("the command line is empty; name a program, such as command='./my-bot --level 3'")
    name = words[0]
    if shutil.which(name) is None:
        if os.sep not in name:
            raise ValueError(f"there is no program {name!r} on the PATH (one in this folder is ./{name})")
        if Path(name).is_dir():
            raise ValueError(f"{name} is a folder, not a program")
        if not Path(name).exists():
            raise ValueError(f"there is no file {name}")
        raise ValueError(f"{name} is not executable; try chmod +x")
    return words


def environment() -> dict[str, str]:
    """The environment of a program."""
    return {name: value for name, value in os.environ.items() if name in INHERITED or name.startswith("LC_")}


class Program:
    """A running program in its own process group, with pipes that never block beyond a deadline."""

    def __init__(self, command: str, allowance: Allowance | None = None) -> None:
        """Start it within its limits; raises ValueError or OSError if that fails."""
        self.command, self.owner = command, os.getpid()
        self.selector = selectors.DefaultSelector()
        limit = (allowance or Allowance()).limiter()
        plain = split_command(command)
        words = sandbox_command(plain)
        self.confined = words != plain
        self.child = start_process(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, limit=limit)
        try:
            self.guard = start_process(["/bin/sh", "-c", GUARD, "guard", str(self.child.pid)])
        except BaseException:
            self.child.kill()
            self.child.wait()
            raise
        pipes = (self.child.stdin, self.child.stdout, self.child.stderr)
        self.stdin, self.stdout, self.stderr = (typing.cast("IO[bytes]", pipe) for pipe in pipes)
        self.inbox, self.outbox, self.complaints = bytearray(), bytearray(), bytearray()
        self.watch(self.stdout.fileno(), selectors.EVENT_READ, self.receive)
        self.watch(self.stderr.fileno(), selectors.EVENT_READ, self.receive_complaint)
        os.set_blocking(self.stdin.fileno(), False)

    @property
    def running(self) -> bool:
        """Whether it can be used: not closed, and a child of this process; a fork does not inherit children."""
        return not self.stdin.closed and os.getpid() == self.owner

    def watch(self, pipe: int, event: int, react: Callable[[], None]) -> None:
        """Call *react* whenever *pipe* can be read or written."""
        os.set_blocking(pipe, False)
        self.selector.register(pipe, event, react)

    def say(self, line: bytes) -> None:
        """Send a line, as much as the program takes now; `hear` sends the rest."""
        if len(self.outbox) > LONGEST_BACKLOG:
            raise self.failure_error("does not read its input")
        if self.outbox:
            self.outbox += line
            return
        self.outbox += line
        self.send()
        if self.outbox:
            self.watch(self.stdin.fileno(), selectors.EVENT_WRITE, self.send_rest)

    def hear(self, deadline: float) -> bytes | None:
        """The next line; None if there is none by *deadline* (of `time.monotonic`)."""
        while (end := self.inbox.find(b"\n", 0, LONGEST_LINE + 1)) < 0:
            if len(self.inbox) > LONGEST_LINE:
                raise self.failure_error("sent more than 1 MB without the end of a line")
            left = deadline - time.monotonic()
            if left <= 0.0:
                return None
            for key, _ in self.selector.select(left):
                key.data()
        line = bytes(self.inbox[:end])
        del self.inbox[: end + 1]
        return line

    def receive(self) -> None:
        data = os.read(self.stdout.fileno(), CHUNK)
        if not data:
            raise self.death_error()
        self.inbox += data

    def receive_complaint(self) -> None:
        data = os.read(self.stderr.fileno(), CHUNK)
        self.complaints = (self.complaints + data)[-STDERR_KEPT:]
        if not data:
            self.selector.unregister(self.stderr.fileno())

    def send(self) -> None:
        try:
            while self.outbox:
                del self.outbox[: os.write(self.stdin.fileno(), self.outbox[:CHUNK])]
        except BlockingIOError:
            pass  # it is not reading now
        except BrokenPipeError:
            raise self.death_error() from None

    def send_rest(self) -> None:
        self.send()
        if not self.outbox:
            self.selector.unregister(self.stdin.fileno())

    def failure_error(self, why: str) -> BotFailed:
        """Kill the program; return the error to raise."""
        self.close(grace=0.0)
        return BotFailed(self.command, why)

    def death_error(self) -> BotFailed:
        """The error to raise for a program that closed its pipes."""
        gone = self.gone_within(GRACE)
        with suppress(BlockingIOError, KeyError):  # KeyError: read to the end already
            for _ in range(16):  # its children may write errors for ever
                self.receive_complaint()
        self.close(grace=0.0)
        how = departure(self.ending()) if gone else "closed its input or output"
        lines = [line for line in self.complaints.decode(errors="replace").splitlines() if line.strip()]
        return BotFailed(self.command, f"{how}: {printable(lines[-1])[:200]}" if lines else how)

    def ending(self) -> int:
        """Its exit status, negative for a signal; bwrap reports signals as a shell does."""
        status = self.child.returncode
        return 128 - status if self.confined and status > 128 else status

    def gone_within(self, seconds: float) -> bool:
        """Whether it ends in time; it is not reaped, so that its group's number cannot be reused yet."""
        deadline, pause = time.monotonic() + seconds, 0.0005
        while True:
            try:
                if os.waitid(os.P_PID, self.child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                    return True
            except ChildProcessError:  # another process has reaped it
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(pause)
            pause = min(2 * pause, 0.02)

    def close(self, grace: float = GRACE) -> None:
        """Stop it and its children: close its input, then SIGTERM, then SIGKILL."""
        if not self.running:
            return
        self.selector.close()
        self.stdin.close()
        if grace and not self.gone_within(grace):
            self.signal(signal.SIGTERM)
            self.gone_within(grace)
        self.signal(signal.SIGKILL)
        self.child.wait()
        self.guard.kill()
        self.guard.wait()
        for pipe in (self.stdout, self.stderr, self.guard.stdin):
            assert pipe is not None
            pipe.close()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the whole group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.child.pid, number)


def start_process(
    words: list[str],
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
    limit: Callable[[], None] | None = None,
) -> subprocess.Popen[bytes]:
    """A process in its own session, so that no Ctrl-C reaches it, with few environment variables."""
    return subprocess.Popen(
        words,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        env=environment(),
        start_new_session=True,
        preexec_fn=limit,
    )


def departure(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"exited with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
