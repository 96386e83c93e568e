"""What a program may use while it plays: memory, time, processes and files; where bwrap works, no network and no disk.

Limits stop a bot that runs wild. They do not stop it from reading what its user may read.
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
"""Set in the environment, it leaves programs the network and the disk."""
SCRATCH = "/dev/shm"
"""The one folder that a confined program may write to; it is empty, and gone with the program."""
SANDBOX = (
    *("bwrap", "--unshare-all", "--die-with-parent", "--new-session"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", SCRATCH),
    *("--setenv", "TMPDIR", SCRATCH, "--"),
)


class Allowance(msgspec.Struct, frozen=True):
    """What a program and all that it starts may use."""

    memory: float = 4.0
    """GiB of data each of its processes may hold."""
    cpu: float = 3600.0
    """Seconds of CPU each of its processes may take."""
    processes: int = 64
    files: int = 256
    """Open at once."""

    def limiter(self) -> Callable[[], None]:
        """What sets the limits in a process that is about to become the program."""
        wanted = [
            (resource.RLIMIT_DATA, int(self.memory * 2**30)),
            (resource.RLIMIT_CPU, int(self.cpu)),
            (resource.RLIMIT_NPROC, own_processes() + self.processes),
            (resource.RLIMIT_NOFILE, self.files),
            (resource.RLIMIT_FSIZE, 1 << 28),
            (resource.RLIMIT_CORE, 0),
        ]
        limits = [(kind, (within(kind, most),) * 2) for kind, most in wanted]

        def limit() -> None:  # runs between fork and exec: nothing but system calls here
            for kind, most in limits:
                resource.setrlimit(kind, most)

        return limit


def within(kind: int, most: int) -> int:
    """*most*, or less where less is allowed already."""
    hard = resource.getrlimit(kind)[1]
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def own_processes() -> int:
    """How many processes and threads our user has: the system counts them all against his limit."""
    count, user = 0, os.getuid()
    for status in Path("/proc").glob("[0-9]*/task/*"):
        try:
            count += status.stat().st_uid == user
        except OSError:  # it ended while we looked
            continue
    return count


def sandbox_command(words: list[str]) -> list[str]:
    """A command line that runs *words* without network and with a read-only disk, where that can be had."""
    return [*SANDBOX, *words] if sandbox_trouble() is None and not os.environ.get(NO_SANDBOX) else words


def sandbox_trouble() -> str | None:
    """Why programs cannot be confined here; None where they can."""
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
