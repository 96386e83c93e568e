"""The limits under which a worker process runs: its memory, its files, its priority, and that it starts no others.

Only the worker itself is limited, so a limit that the system does not offer is left out, and the server, which also
watches memory and time from outside, still stops what goes too far.
"""

import ctypes
import os
import platform
import resource
import struct
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

NICE = 5
"""How much a worker gives way to the server, which answers everyone."""
LARGEST_FILE = 1 << 28
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
"""Options of `prctl`."""
FORKING = {"x86_64": (0xC000003E, 56, 435, (57, 58)), "aarch64": (0xC00000B7, 220, 435, ())}
"""For each kind of processor: its name in filters, and the system calls clone, clone3, and fork and vfork."""
THREAD = 0x10000
"""The flag of clone for a thread, which belongs to the same process and ends with it."""
ALLOW, REFUSE, NOT_OFFERED = 0x7FFF0000, 0x00050001, 0x00050026
"""The answers of a filter: go on; not permitted; there is no such call, so that the C library uses clone."""


class Confinement(msgspec.Struct, frozen=True):
    """What a worker may use: bytes of memory beyond those of a new one (None: any), and whether it may fork."""

    memory: int | None = None
    forks: bool = True


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
    if not limits.forks:
        forbid_forks()


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


def forbid_forks() -> bool:
    """Let the system refuse this process new processes, but not threads; return whether it can."""
    numbers = FORKING.get(platform.machine())
    if sys.platform != "linux" or numbers is None:
        return False
    architecture, clone, clone3, others = numbers
    load, equal, has_bits, answer = 0x20, 0x15, 0x45, 0x06
    program = [
        (load, 0, 0, 4),  # the kind of processor
        (equal, 1, 0, architecture),
        (answer, 0, 0, REFUSE),
        (load, 0, 0, 0),  # the number of the call
        (equal, 0, 1, clone3),
        (answer, 0, 0, NOT_OFFERED),
        *(step for number in others for step in ((equal, 0, 1, number), (answer, 0, 0, REFUSE))),
        (equal, 1, 0, clone),
        (answer, 0, 0, ALLOW),
        (load, 0, 0, 16),  # its first argument, the flags
        (has_bits, 0, 1, THREAD),
        (answer, 0, 0, ALLOW),
        (answer, 0, 0, REFUSE),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    described = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    system = ctypes.CDLL(None)
    return bool(system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 == system.prctl(SECCOMP, FILTER, described, 0, 0))
