"""Runs one program for kibitz: keeps it and all it starts within their bounds, and ends them together.

kibitz runs this file with a bare interpreter, so it imports nothing of kibitz; the template of workers uses its
functions. Orphans of the program become children of this process, so nothing gets away. The leash is a pipe from
kibitz: `t` asks the program to end, `k` kills it, and its end means that kibitz has died. An error of starting the
program goes to the report pipe as a number.
"""

import ctypes
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NoReturn

PAUSE = 0.25
"""Seconds between two looks at what the program uses."""
LONGEST_WAIT = 0.02
"""Seconds between two looks at whether the program runs, where the system does not tell."""
GRACE = 1.0
"""Seconds that the program has to end after kibitz died."""
SUBREAPER = 36
TICK = os.sysconf("SC_CLK_TCK")


class Bounds:
    """What the program and all it started may use together."""

    def __init__(self, memory: str, cpu: str, processes: str, files: str, scratch: str, nice: str) -> None:
        self.memory, self.cpu, self.nice = float(memory), float(cpu), int(nice)
        self.processes, self.files, self.scratch = int(processes), int(files), int(scratch)

    def set_limits(self, confined: bool) -> None:
        """Set the limits that the system keeps for each process; bwrap sets that of a confined program's processes."""
        limits = [
            (resource.RLIMIT_DATA, int(self.memory * 2**30)),
            (resource.RLIMIT_CPU, int(self.cpu)),
            (resource.RLIMIT_NOFILE, self.files),
            (resource.RLIMIT_FSIZE, self.scratch),
            (resource.RLIMIT_CORE, 0),
        ]
        if not confined and os.getuid() != 0:
            limits.append((resource.RLIMIT_NPROC, own_processes() + self.processes))
        for kind, most in limits:
            lower_limit(kind, most)

    def excess(self, pids: list[int], confined: bool) -> str:
        """What of the bounds these processes exceed, in words; empty if nothing."""
        own = resource.getrusage(resource.RUSAGE_CHILDREN)
        threads, seconds, memory = 0, own.ru_utime + own.ru_stime, 0
        for pid in pids:
            words = stat_words(pid)
            if words:
                seconds += sum(map(int, words[11:15])) / TICK
                threads += int(words[17])
                memory += own_memory(pid)
        if threads > self.processes + 2 * confined:  # two of them are bwrap's
            return f"started more than {self.processes} processes"
        if seconds > self.cpu:
            return f"used more than {self.cpu:g} s of CPU"
        if memory > self.memory * 2**30:
            return f"used more than {self.memory:g} GiB of memory"
        return ""


def lower_limit(kind: int, most: int) -> None:
    """Set a limit of this process, unless there is a lower one."""
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def own_processes() -> int:
    """Number of processes and threads of the current user: the system counts them all against the limit."""
    count, user = 0, os.getuid()
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        try:
            if name.isdecimal() and os.stat(f"/proc/{name}").st_uid == user:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:  # it has ended meanwhile
            continue
    return count


def stat_words(pid: int) -> list[str]:
    """The fields of a process from its state on; none if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].decode().split()
    except OSError:
        return []


def own_memory(pid: int) -> int:
    """Bytes of a process in memory that are no files; of pages that forks share, its share."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            rows = [line.split() for line in file]
    except OSError:
        return 0
    return sum(int(row[1]) << 10 for row in rows if row[0] in ("Pss_Anon:", "Pss_Shmem:", "SwapPss:"))


def children(pid: int) -> list[int]:
    """The processes that *pid* has started; none if it has ended, or this is not Linux."""
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def descendants(pid: int) -> list[int]:
    """The processes that *pid* and its children have started, parents first."""
    found = children(pid)
    for each in found:
        found += children(each)
    return found


class Supervisor:
    """Starts the program, watches it, and ends with it."""

    def __init__(self, bounds: Bounds, leash: int, report: int, confined: bool, words: list[bytes]) -> None:
        self.bounds, self.leash, self.confined = bounds, leash, confined
        self.status: int | None = None
        self.child = self.start(words, report)
        self.deadline = float("inf")
        for standard in (0, 1):  # the program's alone: their ends must mean that it has closed them
            os.close(standard)

    def start(self, words: list[bytes], report: int) -> int:
        """The process of the program, in its own session."""
        child = os.fork()
        if child:
            os.close(report)
            return child
        try:
            os.setsid()
            os.nice(self.bounds.nice)
            self.bounds.set_limits(self.confined)
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            os.execvp(words[0], words)
        except OSError as error:
            os.write(report, str(error.errno).encode())
        finally:
            os._exit(127)

    def run(self) -> NoReturn:
        """Watch until the program has ended or must end, then end what is left of it."""
        poll = select.poll()
        poll.register(self.leash, select.POLLIN)
        noticed = hasattr(os, "pidfd_open")
        if noticed:
            poll.register(os.pidfd_open(self.child), select.POLLIN)
        why, look = "", time.monotonic() + PAUSE
        while self.status is None and not why and time.monotonic() < self.deadline:
            wait = max(0.0, min(look, self.deadline) - time.monotonic())
            for number, _ in poll.poll(1000 * (wait if noticed else min(wait, LONGEST_WAIT))):
                if number == self.leash:
                    self.obey(poll)
            self.reap()
            if time.monotonic() >= look and self.status is None:
                why = self.bounds.excess(descendants(os.getpid()), self.confined)
                look = time.monotonic() + PAUSE
        if why:
            os.write(2, f"\n{why}\n".encode())
        self.kill_all()
        depart(-signal.SIGKILL if why or self.status is None else self.status)

    def obey(self, poll: select.poll) -> None:
        """Do what kibitz says on the leash."""
        word = os.read(self.leash, 1)
        if word == b"t":
            kill_group(self.child, signal.SIGTERM)
            return
        poll.unregister(self.leash)
        self.deadline = 0.0 if word == b"k" else time.monotonic() + GRACE

    def reap(self) -> None:
        """Take note of children that have ended."""
        self.status = dict(ended_children()).get(self.child, self.status)

    def kill_all(self) -> None:
        """Kill all that the program has started."""
        if self.status is None:
            kill_group(self.child, signal.SIGKILL)
        self.status = kill_descendants().get(self.child, self.status)


def ended_children() -> Iterator[tuple[int, int]]:
    """The children that have ended, with their exit codes."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            yield found[0], os.waitstatus_to_exitcode(found[1])


def kill_descendants() -> dict[int, int]:
    """Kill all that this process has started; return the exit codes of its children.

    A process that is started meanwhile is found in the next round.
    """
    end, codes = time.monotonic() + 10.0, dict(ended_children())
    while (left := descendants(os.getpid())) and time.monotonic() < end:
        kill_processes(left)
        time.sleep(0.002)
        codes |= ended_children()
    return codes


def kill_processes(pids: list[int]) -> None:
    """Kill processes at once: who is stopped starts nothing."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            with suppress(OSError):
                os.kill(pid, number)


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent has ended."""
    with suppress(AttributeError, OSError):  # not Linux: process groups are all that can be ended together
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def kill_group(leader: int, number: int) -> None:
    """Send a signal to a process group."""
    with suppress(OSError):
        os.killpg(leader, number)


def departure(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"exited with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def depart(status: int) -> NoReturn:
    """End as the program did: with its exit status, or by the same signal."""
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -status not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
        time.sleep(1.0)
    os._exit(status if status >= 0 else 128 - status)


def main() -> NoReturn:
    """Supervise a program; the words are three pipes, whether it is confined, and its bounds.

    The third pipe brings the program's own words, because all users may read those of a process.
    """
    leash, report = int(sys.argv[1]), int(sys.argv[2])
    with open(int(sys.argv[3]), "rb") as file:
        words = file.read().split(b"\0")
    for pipe in (leash, report):
        os.set_inheritable(pipe, False)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    Supervisor(Bounds(*sys.argv[5:]), leash, report, sys.argv[4] == "confined", words).run()


if __name__ == "__main__":
    main()
