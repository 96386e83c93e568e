"""The system calls that a confined program may not use, as a filter that Linux runs (seccomp).

It lists what is refused: memory that counts for no process (memory files, System V segments), what makes namespaces and
mounts, and parts of the kernel that no bot needs and that had many holes.
"""

import errno
import platform
import struct

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The kernel's names for the two kinds of machine, from `linux/audit.h`."""

REFUSED = {
    # name: (number on x86_64, number on aarch64)
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "open_by_handle_at": (304, 265),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
}
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE3 = 435
NAMESPACES = 0x7E020000
"""The flags of `clone` that make namespaces."""

LOAD, EQUAL, SET, AT_LEAST, ANSWER = 0x20, 0x15, 0x45, 0x35, 0x06
"""Instructions of the filter: load a word, jump if equal, if any bit is set, if at least; return."""
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
"""Where in `seccomp_data` these words are; the low half of an argument comes first on both machines."""
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
OLD_ABI = 0x40000000
"""Numbers from here on are those of a second table (x32) on x86_64."""


def system_call_filter(machine: str = platform.machine()) -> bytes | None:
    """The filter for this kind of machine; None if it is not one we know."""
    if machine not in ARCHITECTURES:
        return None
    column = list(ARCHITECTURES).index(machine)
    refuse, missing = (ANSWER, 0, 0, REFUSE | errno.EPERM), (ANSWER, 0, 0, REFUSE | errno.ENOSYS)
    steps = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        refuse,
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, OLD_ABI),
        refuse,
    ]
    for numbers in REFUSED.values():
        steps += [(EQUAL, 0, 1, numbers[column]), refuse]
    # The flags of clone3 lie in memory, where no filter looks; without it, the C library calls clone.
    steps += [(EQUAL, 0, 1, CLONE3), missing]
    steps += [(EQUAL, 0, 3, CLONE[machine]), (LOAD, 0, 0, FIRST_ARGUMENT), (SET, 0, 1, NAMESPACES), refuse]
    steps.append((ANSWER, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
