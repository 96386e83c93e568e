"""The command line: parses what is asked, shows what comes back, knows nothing else."""

import sys


def run() -> None:
    """The `kibitz` command; what it needs is imported inside, so that Ctrl-C is clean from the first moment."""
    try:
        from kibitz.cli.main import main

        code = main()
    except KeyboardInterrupt:
        print("\nkibitz: stopped", file=sys.stderr)
        code = 130
    sys.exit(code)
