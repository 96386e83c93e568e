"""Read and write programs in files: Python source, which is never run."""

from collections.abc import Sequence
from pathlib import Path

from kibitz.agents.programs.reader import read_source
from kibitz.agents.programs.source import python_source
from kibitz.agents.programs.written_program import WrittenProgram
from kibitz.core.errors import BadProgram
from kibitz.core.files import read_text, write_file

SUFFIX = ".py"
LARGEST = 1_000_000
"""In bytes; longer files are not programs for people to read."""


def check_suffix(path: Path | str) -> None:
    """Raise BadProgram unless a file's name ends as that of a program."""
    if Path(path).suffix != SUFFIX:
        raise BadProgram(path, f"the name of a program's file ends in {SUFFIX}")


def write_program(path: Path | str, written: WrittenProgram, notes: Sequence[str] = ()) -> None:
    """Write a program as Python source; *notes* tell readers where it comes from."""
    check_suffix(path)
    write_file(path, python_source(written, notes))


def read_program(path: Path | str) -> WrittenProgram:
    """Read a program from a file, without running anything in it."""
    check_suffix(path)
    return read_source(read_text(path, BadProgram, largest=LARGEST, latin=False), path)
