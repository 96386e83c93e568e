"""The command line: parses arguments and shows results. A command is a module here and a line in `commands`."""

import gc
import signal
import sys
from typing import Literal

from kibitz import __version__

LISTS: dict[str, Literal["game", "agent", "model"]] = {"games": "game", "agents": "agent", "models": "model"}
"""The commands that list everything of a kind, unless an option says more."""
ALLOCATIONS = 100_000
"""New objects between two searches for cycles: Python's own 700 would search all that is imported dozens of times."""


def run() -> None:
    """The `kibitz` command. It imports what it needs inside, so that Ctrl-C is clean from the first moment."""
    gc.set_threshold(ALLOCATIONS)
    for ending in (signal.SIGTERM, signal.SIGHUP):  # stop as cleanly as for Ctrl-C
        if signal.getsignal(ending) is signal.SIG_DFL:
            signal.signal(ending, signal.default_int_handler)
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
