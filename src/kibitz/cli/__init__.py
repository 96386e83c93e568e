"""The command line: parses arguments and shows results. A command is a module here and a line in `commands`."""

import signal
import sys

from kibitz import __version__


def run() -> None:
    """The `kibitz` command. It imports what it needs inside, so that Ctrl-C is clean from the first moment."""
    for ending in (signal.SIGTERM, signal.SIGHUP):  # stop as cleanly as for Ctrl-C
        if signal.getsignal(ending) is signal.SIG_DFL:
            signal.signal(ending, signal.default_int_handler)
    if sys.argv[1:2] == ["--version"]:  # it needs no other import
        print(f"kibitz {__version__}")
        return
    try:
        from kibitz.cli.main import main

        code = main()
    except KeyboardInterrupt:
        print("\nkibitz: stopped", file=sys.stderr)
        code = 130
    sys.exit(code)
