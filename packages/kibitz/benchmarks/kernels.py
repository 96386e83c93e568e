"""Kernels: the time to compile each package's, and how long somebody who has none waits for a first board."""

import os
import pty
import re
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from kibitz_lab.testing.benchmark import Bench

PACKAGES = "kibitz", "kibitz_lab", "kibitz_solve", "kibitz_risk", "kibitz_axis", "kibitz_trails"
WATCHED = {
    "pawns": ["pawns", "s4", "s2"],
    "breakthrough": ["breakthrough"],
    "trails": ["trails"],
    "risk": ["risk"],
    "axis": ["axis"],
    "axis_whole": ["axis(scenario=revised, rules=full)"],
    "dilemma": ["dilemma", "aware", "pavlov"],
}
BOARD, BELIEF = re.compile(rb"\xe2\x95\xad"), re.compile(rb"[0-9]%")
"""What shows a board on the screen, the corner of its frame, and a belief."""
LONGEST = 60.0
WARM_UP = """
import os, sys
from kibitz.core.kernels import warm_up
os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])  # or else two processes compile
warm_up(sys.argv[1:])
"""


def measure(bench: Bench) -> None:
    for package in PACKAGES[:1] if bench.quick else PACKAGES:
        with tempfile.TemporaryDirectory() as folder:
            cold, cached = (processor_seconds(package, folder) for _ in range(2))
        bench.figure(f"{package}_compiled", [cold], "CPU s")
        bench.figure(f"{package}_cached", [cached], "CPU s")
    for name, words in list(WATCHED.items())[: 1 if bench.quick else None]:
        waits = [screen_seconds(words) for _ in range(bench.runs)]
        bench.figure(f"{name}_first_board", [board for board, _ in waits], "s", most=2.0)
        bench.figure(f"{name}_first_belief", [belief for _, belief in waits], "s", most=5.0)


def processor_seconds(package: str, folder: str) -> float:
    """The processor time in which a process imports a package and has all its kernels ready, with this cache."""
    before = getrusage(RUSAGE_CHILDREN)
    environment = {**os.environ, "KIBITZ_KERNELS": folder}
    subprocess.run([sys.executable, "-c", WARM_UP, package], env=environment, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def screen_seconds(words: list[str]) -> tuple[float, float]:
    """The seconds until `kibitz watch` shows a board and a belief in a terminal, without compiled kernels."""
    ours, theirs = pty.openpty()
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).with_name("kibitz")), "watch", *words]
        environment = {**os.environ, "KIBITZ_KERNELS": folder, "TERM": "xterm", "COLUMNS": "120", "LINES": "50"}
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        shown, seconds = b"", {}
        with suppress(OSError), open(ours, "rb", buffering=0) as screen:  # it raises when the program ends
            while len(seconds) < 2 and time.monotonic() - start < LONGEST and (text := screen.read(1 << 16)):
                shown += text
                for what in (BOARD, BELIEF):
                    if what not in seconds and what.search(shown):
                        seconds[what] = time.monotonic() - start
        process.terminate()
        process.wait()
    return seconds.get(BOARD, LONGEST), seconds.get(BELIEF, LONGEST)
