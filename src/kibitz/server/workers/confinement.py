"""The limits under which a worker process runs: its memory, its files and its priority.

Only the worker itself is limited, so a limit that the system does not offer is left out, and the server, which also
watches memory and time from outside, still stops what goes too far.
"""

import os
import resource
from contextlib import suppress
from pathlib import Path

import msgspec

NICE = 5
"""How much a worker gives way to the server, which answers everyone."""
LARGEST_FILE = 1 << 28


class Confinement(msgspec.Struct, frozen=True):
    """What a worker may use: bytes of memory beyond those of a new one (None: any)."""

    memory: int | None = None


def confine(limits: Confinement) -> None:
    """Limit this process."""
    with suppress(OSError):
        os.nice(NICE)
    with suppress(OSError):  # if the system runs out of memory, it ends workers first
        Path("/proc/self/oom_score_adj").write_text("1000")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.memory is not None:
        lower_limit(resource.RLIMIT_AS, address_space() + limits.memory)
        lower_limit(resource.RLIMIT_FSIZE, LARGEST_FILE)


def lower_limit(which: int, most: int) -> None:
    """Set a limit, unless there is a lower one."""
    hard = resource.getrlimit(which)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(which, (most, most))


def address_space() -> int:
    """Bytes of the address space that this process uses now."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 1 << 31
