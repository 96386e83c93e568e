"""The command line: parses arguments and shows results. A command is a module here and a line in `commands`."""

import gc
import signal
import sys
from types import FrameType
from typing import Literal

from kibitz import __version__

LISTS: dict[str, Literal["game", "agent", "model"]] = {"games": "game", "agents": "agent", "models": "model"}
"""The commands that list everything of a kind, unless an option says more."""
ALLOCATIONS = 100_000
"""New objects between two searches for cycles: Python's own 700 would search all that is imported dozens of times."""
IMPORTING = "<frozen importlib._bootstrap>"
"""The code that loads modules."""
LATER = 0.02
"""Seconds until an interrupt that came while a module was loaded comes again."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """Stop, but not while a module is loaded: some extensions drop what is raised then, and the work would go on."""
    while frame is not None:
        if frame.f_code.co_filename == IMPORTING:
            signal.setitimer(signal.ITIMER_REAL, LATER)
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def run() -> None:
    """The `kibitz` command. It imports what it needs inside, so that Ctrl-C is clean from the first moment."""
    gc.set_threshold(ALLOCATIONS)
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # stop as cleanly as for Ctrl-C
        if signal.getsignal(ending) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(ending, interrupt)
    signal.signal(signal.SIGALRM, interrupt)
    if sys.argv[1:2] == ["--version"]:  # it needs no other import
        print(f"kibitz {__version__}")
        return
    try:
        if sys.argv[1:2] and sys.argv[1] in LISTS and set(sys.argv[2:]) <= {"--json"}:  # nothing to parse
            from kibitz.cli.lists import print_all

            gc.disable()  # it ends at once
            code = print_all(LISTS[sys.argv[1]], json="--json" in sys.argv)
        else:
            from kibitz.cli.main import main

            code = main()
    except KeyboardInterrupt:
        print("\nkibitz: stopped", file=sys.stderr)
        code = 130
    sys.exit(code)
