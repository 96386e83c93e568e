"""Work that the tests send to other processes, who must be able to import it."""

import os
import signal
import time
from pathlib import Path

from kibitz.core.errors import BadSeed


def square(number: int) -> int:
    return number * number


done_here = 0


def named_square(item: tuple[int, str]) -> tuple[int, str]:
    """The square, and which node did it; the second node names itself in a file and is stuck at its 20th item."""
    global done_here
    number, path = item
    node = os.environ["KIBITZ_NODE"]
    done_here += 1
    if node == "second" and done_here == 20:
        Path(path).touch()
        time.sleep(600.0)
    time.sleep(0.04)
    return number * number, node


def fussy(number: int) -> int:
    """Does not like 7 and 8."""
    if number == 7:
        raise BadSeed(number)
    if number == 8:
        raise ValueError("no eights,\nplease")
    return number


def deadly_once(path: str) -> str:
    """Kills its process unless the file is there already."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return path


def deadly(number: int) -> int:
    """Kills its process at 3, always."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number
