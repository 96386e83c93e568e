"""The standard output of a command: any terminal will do, and a reader may close the pipe."""

import os
import sys
from io import TextIOWrapper

BAD_INPUT, INTERRUPTED = 2, 130
"""Exit codes: of a failure that the user can mend, and of Ctrl-C."""


def prepare_output() -> None:
    """Let a terminal that cannot show a bar still show the rest."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def flush_output() -> str:
    """Write what is still to be written; why that failed, or an empty text. A closed pipe is no failure."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except OSError as error:
        discard_output()
        return f"cannot write the output: {error.strerror or error}"
    return ""


def discard_output() -> None:
    """Write nothing more: the reader of our output has closed the pipe, or the disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
