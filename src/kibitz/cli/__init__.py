"""The command line: parses what is asked, shows what comes back, knows nothing else."""

import signal
import sys


def run() -> None:
    """The `kibitz` command; what it needs is imported inside, so that Ctrl-C is clean from the first moment."""
    for ending in (signal.SIGTERM, signal.SIGHUP):  # stop as cleanly as for Ctrl-C
        if signal.getsignal(ending) is signal.SIG_DFL:
            signal.signal(ending, signal.default_int_handler)
    try:
        from kibitz.cli.main import main

        code = main()
    except KeyboardInterrupt:
        print("\nkibitz: stopped", file=sys.stderr)
        code = 130
    sys.exit(code)
