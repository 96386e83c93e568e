"""The command line: parses arguments, shows results. A command is a class, and a line in the plugin of its package."""

import signal
import sys
from types import FrameType

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
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # stop as cleanly as for Ctrl-C
        if signal.getsignal(ending) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(ending, interrupt)
    signal.signal(signal.SIGALRM, interrupt)
    try:
        from kibitz.cli.main import main

        code = main()
    except KeyboardInterrupt:
        print("\nkibitz: stopped", file=sys.stderr)
        code = 130
    sys.exit(code)
