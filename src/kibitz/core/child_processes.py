"""Starts child processes that end with their parent. You need it for work that other processes do."""

import ctypes
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from signal import SIGKILL

ERRORS = 2
"""Where children print: agents' output must not mix with ours."""
DEATH_SIGNAL = 1
"""The option of `prctl` for a signal at the parent's death."""


def spawn_process(serve: str) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """A child process that runs *serve*, and a socket to it.

    Its arguments are the number of its end of the socket, and the id of the parent whose death ends it, or 0.
    """
    ours, theirs = socket.socketpair()
    # The system ends workers with the thread that started them, so only the main thread may ask for it.
    owner = os.getpid() if threading.current_thread() is threading.main_thread() else 0
    with theirs:
        # Its own session keeps a terminal's Ctrl-C away: the parent decides when to stop.
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", serve, str(theirs.fileno()), str(owner)],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=ERRORS,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    return process, ours


def die_with(parent: int) -> None:
    """Let the system end this process with its parent, even inside compiled code that lets no thread run."""
    if parent and sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(DEATH_SIGNAL, SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
