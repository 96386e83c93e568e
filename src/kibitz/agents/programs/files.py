"""Read and write programs in files: as Python source, which is never run, and as JSON."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from kibitz.agents.programs.reader import read_source
from kibitz.agents.programs.source import python_source
from kibitz.agents.programs.written_program import WrittenProgram
from kibitz.core.errors import BadProgram
from kibitz.core.files import read_text, write_file
from kibitz.learn.programs.program import decode_program

SUFFIXES = (".py", ".json")
LARGEST = 1_000_000
"""In bytes; longer files are not programs for people to read."""


def checked_suffix(path: Path | str) -> str:
    """The format that a file name's suffix says; raises BadProgram if it is unknown."""
    suffix = Path(path).suffix
    if suffix not in SUFFIXES:
        raise BadProgram(path, f"the name of a program's file ends in one of {', '.join(SUFFIXES)}")
    return suffix


def write_program(path: Path | str, written: WrittenProgram, notes: Sequence[str] = ()) -> None:
    """Write a program as .py or .json, by its suffix; *notes* tell readers of the source where it comes from."""
    write_file(path, python_source(written, notes) if checked_suffix(path) == ".py" else written.to_json())


def read_program(path: Path | str) -> WrittenProgram:
    """Read a program from a file, without running anything in it."""
    suffix = checked_suffix(path)
    text = read_text(path, BadProgram, largest=LARGEST, latin=False)
    if suffix == ".py":
        return read_source(text, path)
    made = decode_program(text, WrittenProgram, path)
    for fault in faults(made):
        raise BadProgram(path, fault)
    return made


def faults(written: WrittenProgram) -> Iterator[str]:
    """The faults of a program that people or other tools may have written."""
    yield from written.program.faults()
    if [*written.kinds] != [column.name for column in written.program.columns]:
        yield "its variables differ from the columns of its program"
    if written.player not in (0, 1):
        yield f"it plays player {written.player}, which is neither 0 nor 1"
    for label in written.program.labels:
        answer = written.answers.get(str(label))
        if isinstance(answer, dict) != (written.what == "actions") or answer is None:
            yield f"its answer {label!r} is not one that a program for {written.what} can give"
        if isinstance(answer, dict) and (min(answer.values()) < 0.0 or abs(sum(answer.values()) - 1.0) > 1e-9):
            yield f"the probabilities of its answer {label!r} are negative or do not add up to 1"
