"""An external program that exchanges lines with kibitz, which survives it hanging, flooding, lying or dying."""

import os
import selectors
import shlex
import shutil
import subprocess
import sys
import time
import typing
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from kibitz.core.errors import BotFailed, printable
from kibitz.core.processes import supervisor
from kibitz.remote.command_lines import Redactor
from kibitz.remote.confinement import LARGEST_FILE, SIZES, USUAL, Allowance, Launch, Sandbox, passed_environment

CHUNK = 1 << 16
LONGEST_LINE = 1_000_000
LONGEST_BACKLOG = 1_000_000
"""Most bytes that may wait for a program that does not read."""
STDERR_KEPT = 4096
GRACE = 0.5
"""Seconds that a program has to exit after its input closes, and again after SIGTERM."""
PATIENCE = 10.0
"""Seconds to wait for the supervisor to kill a program."""
SUPERVISOR = (sys.executable, "-I", "-S", supervisor.__file__)


def split_command(command: str, folder: Path | str = "") -> list[str]:
    """The words of a command line whose program exists, seen from *folder*; raises ValueError with the reason."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"the command line cannot be read: {str(error).lower()}") from None
    if "\0" in command:
        raise ValueError("the command line holds a null byte")
    if not words:
        raise ValueError("the command line is empty; name a program")
    name = words[0]
    if "=" in name:
        raise ValueError("the command line begins with a variable, which no shell sets; name it in pass_env")
    if os.sep not in name:
        if shutil.which(name) is None:
            raise ValueError(f"there is no program {name!r} on the PATH (one in this folder is ./{name})")
    elif shutil.which(path := os.path.join(folder, name)) is None:
        if os.path.isdir(path):
            raise ValueError(f"{name} is a folder, not a program")
        if not os.path.exists(path):
            raise ValueError(f"there is no file {name}")
        raise ValueError(f"{name} is not executable; try chmod +x")
    return words


class Program:
    """A running program under a supervisor, with pipes that never block beyond a deadline."""

    def __init__(
        self, command: str, allowance: Allowance = USUAL, sandbox: Sandbox | None = None, name: str = ""
    ) -> None:
        """Start it within its bounds; raises ValueError or OSError if that fails. Errors call it by its *name*."""
        self.name, self.owner = name, os.getpid()
        self.selector = selectors.DefaultSelector()
        sandbox = sandbox or Sandbox(Path.cwd())
        words = split_command(command, sandbox.folder)
        launch = sandbox.launch(words, allowance.processes)
        self.confined = launch.trouble is None
        self.redactor = Redactor(passed_environment(sandbox.pass_env), words[1:], sandbox.folder)
        self.child, self.leash = start_supervisor(launch, allowance, sandbox.folder)
        pipes = (self.child.stdin, self.child.stdout, self.child.stderr)
        self.stdin, self.stdout, self.stderr = (typing.cast("IO[bytes]", pipe) for pipe in pipes)
        self.inbox, self.outbox, self.complaints = bytearray(), bytearray(), b""
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
        self.complaints = self.redactor.data(self.complaints + data)[-STDERR_KEPT:]
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
        return BotFailed(self.name, why)

    def death_error(self) -> BotFailed:
        """The error to raise for a program that closed its pipes."""
        gone = self.gone_within(GRACE)
        with suppress(BlockingIOError, KeyError):  # KeyError: read to the end already
            for _ in range(16):  # its children may write errors for ever
                self.receive_complaint()
        self.close(grace=0.0)
        how = supervisor.departure(self.ending()) if gone else "closed its input or output"
        lines = [line for line in self.complaints.decode(errors="replace").splitlines() if line.strip()]
        return BotFailed(self.name, f"{how}: {printable(lines[-1])[:200]}" if lines else how)

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
        """Stop it and all it started: close its input, then SIGTERM, then SIGKILL."""
        if not self.running:
            return
        self.selector.close()
        self.stdin.close()
        if grace and not self.gone_within(grace):
            self.tell_supervisor(b"t")
            self.gone_within(grace)
        self.tell_supervisor(b"k")
        os.close(self.leash)
        if not self.gone_within(PATIENCE):
            self.child.kill()
        self.child.wait()
        for pipe in (self.stdout, self.stderr):
            pipe.close()

    def tell_supervisor(self, word: bytes) -> None:
        """Send a word to the supervisor, if there is one left."""
        with suppress(BrokenPipeError):
            os.write(self.leash, word)


def start_supervisor(launch: Launch, allowance: Allowance, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A supervisor that has started its program, in its own session so that no Ctrl-C reaches it; and its leash."""
    theirs, leash = os.pipe()
    report, reporting = os.pipe()
    words, writing = os.pipe()  # the command line stays out of the list of processes
    given = [theirs, reporting, words, *([] if launch.filtered is None else [launch.filtered])]
    confined, largest = launch.trouble is None, sum(SIZES.values()) if launch.trouble is None else LARGEST_FILE
    bounds = (allowance.memory, allowance.cpu, allowance.processes, allowance.files, largest, allowance.nice)
    try:
        child = subprocess.Popen(
            [*SUPERVISOR, *map(str, given[:3]), "confined" if confined else "plain", *map(str, bounds)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=launch.environment,
            pass_fds=given,
            start_new_session=True,
        )
    except BaseException:
        for pipe in (leash, report, writing):
            os.close(pipe)
        raise
    finally:
        for pipe in given:
            os.close(pipe)
    with suppress(BrokenPipeError), os.fdopen(writing, "wb") as file:
        file.write(os.fsencode("\0".join(launch.words)))
    with os.fdopen(report, "rb") as file:
        failure = file.read()  # ends when the program has been started
    if failure:
        os.close(leash)
        with child:  # closes the pipes and waits
            child.kill()
        raise OSError(int(failure), os.strerror(int(failure)))
    return child, leash
