"""Checks whether processes run or have ended, for tests of code that starts and stops them."""

import time
from collections.abc import Iterable
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def wait_for_exit(pids: Iterable[int], seconds: float = 30.0) -> bool:
    """Whether all of these processes end within some seconds."""
    waited, end = list(pids), time.monotonic() + seconds
    while any(map(alive, waited)):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True
