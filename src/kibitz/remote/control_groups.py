"""Groups of processes whose memory and number Linux bounds as a whole (cgroups, version 2).

A server can make some where its group was delegated to it: with systemd, by `Delegate=yes`. It then moves into a group
inside that one, and every program gets another beside it.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
SERVER, PROGRAM = "server", "program-"
NEEDED = ("memory", "pids")
WEIGHT = "10"
"""The share of CPU of a program where the cores do not suffice; 100 is the server's."""


def own_group() -> Path | None:
    """The group of this process; None where there are none of version 2."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    path = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    return None if path is None or not (ROOT / "cgroup.controllers").exists() else ROOT / path


def is_delegated(group: Path) -> bool:
    """Whether the system's manager leaves this group to us."""
    try:
        return os.getxattr(group, "user.delegate") == b"1" and os.access(group / "cgroup.procs", os.W_OK)
    except (AttributeError, OSError):
        return False


def enter_server_group() -> bool:
    """Move the processes of a delegated group into a group inside, so that there can be others; whether that worked."""
    group = own_group()
    if group is None or not is_delegated(group):
        return programs_folder() is not None
    try:
        (group / SERVER).mkdir(exist_ok=True)
        for pid in (group / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                (group / SERVER / "cgroup.procs").write_text(pid)
        offered = (group / "cgroup.controllers").read_text().split()
        for name in (*NEEDED, "cpu"):
            if name in offered:
                (group / "cgroup.subtree_control").write_text(f"+{name}")
    except OSError:
        return False
    for old in group.glob(f"{PROGRAM}*"):  # of a server that was killed
        with suppress(OSError):
            old.rmdir()
    return programs_folder() is not None


def programs_folder() -> Path | None:
    """The group in which groups for programs can be made; None if there is none."""
    group = own_group()
    if group is None or group.name != SERVER or not is_delegated(group.parent):
        return None
    with suppress(OSError):
        if set(NEEDED) <= set((group.parent / "cgroup.subtree_control").read_text().split()):
            return group.parent
    return None


def program_group(memory: float, processes: int) -> Path | None:
    """A new group for a program with its bounds, GiB and processes; None where none can be made."""
    folder = programs_folder()
    if folder is None:
        return None
    group = folder / f"{PROGRAM}{secrets.token_hex(8)}"
    settings = {"memory.max": str(int(memory * 2**30)), "memory.oom.group": "1", "pids.max": str(processes + 2)}
    try:
        group.mkdir()
        for name, value in settings.items():
            (group / name).write_text(value)
        for name, value in (("memory.swap.max", "0"), ("cpu.weight", WEIGHT)):
            if (group / name).exists():
                (group / name).write_text(value)
    except OSError:
        with suppress(OSError):
            group.rmdir()
        return None
    return group
