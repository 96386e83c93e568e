"""Limits for external programs: memory, time, processes and files; with bwrap also no network and a read-only disk.

Limits stop a runaway bot. They do not stop it from reading the files of its user.
"""

import os
import resource
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

NO_SANDBOX = "KIBITZ_NO_SANDBOX"
"""An environment variable that turns the sandbox off."""
SCRATCH = "/dev/shm"
"""The one folder that a confined program may write to; it starts empty and is deleted with the program."""
SANDBOX = (
    *("bwrap", "--unshare-all", "--die-with-parent", "--new-session"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", SCRATCH),
    *("--setenv", "TMPDIR", SCRATCH, "--"),
)


class Allowance(msgspec.Struct, frozen=True):
    """The limits of a program and its child processes."""

    memory: float = 4.0
    """GiB of memory per process."""
    cpu: float = 3600.0
    """Seconds of CPU per process."""
    processes: int = 64
    files: int = 256
    """Open files at once."""

    def limiter(self) -> Callable[[], None]:
        """A function that sets the limits in the child process before it executes the program."""
        wanted = [
            (resource.RLIMIT_DATA, int(self.memory * 2**30)),
            (resource.RLIMIT_CPU, int(self.cpu)),
            (resource.RLIMIT_NPROC, own_processes() + self.processes),
            (resource.RLIMIT_NOFILE, self.files),
            (resource.RLIMIT_FSIZE, 1 << 28),
            (resource.RLIMIT_CORE, 0),
        ]
        limits = [(kind, (within(kind, most),) * 2) for kind, most in wanted]

        def limit() -> None:  # runs between fork and exec: only system calls are safe here
            for kind, most in limits:
                resource.setrlimit(kind, most)

        return limit


def within(kind: int, most: int) -> int:
    """*most*, or the current limit if that is lower."""
    hard = resource.getrlimit(kind)[1]
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def own_processes() -> int:
    """Number of processes and threads of the current user: the system counts them all against the limit."""
    count, user = 0, os.getuid()
    for status in Path("/proc").glob("[0-9]*/task/*"):
        try:
            count += status.stat().st_uid == user
        except OSError:  # it has ended meanwhile
            continue
    return count


def sandbox_command(words: list[str]) -> list[str]:
    """A command line that runs *words* without network and with a read-only disk, if bwrap works here."""
    return [*SANDBOX, *words] if sandbox_trouble() is None and not os.environ.get(NO_SANDBOX) else words


def sandbox_trouble() -> str | None:
    """Why programs cannot be confined here; None if they can."""
    path = shutil.which("bwrap")
    return "bwrap is not installed" if path is None else _trouble(path)


@cache
def _trouble(path: str) -> str | None:
    try:
        tried = subprocess.run([path, *SANDBOX[1:], "true"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{path} does not run: {error}"
    said = tried.stderr.decode(errors="replace").strip().splitlines()
    return None if tried.returncode == 0 else f"{path} does not work here: {said[-1] if said else tried.returncode}"
