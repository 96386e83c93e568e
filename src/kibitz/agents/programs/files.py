"""Programs in files: as Python source, which is read and never run, and as JSON."""

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
"""Bytes; what is longer is no program that people read."""


def checked_suffix(path: Path | str) -> str:
    """How a program of this name is written; raises BadProgram where the name does not say."""
    suffix = Path(path).suffix
    if suffix not in SUFFIXES:
        raise BadProgram(path, f"a program is one of {', '.join(SUFFIXES)}")
    return suffix


def write_program(path: Path | str, written: WrittenProgram, notes: Sequence[str] = ()) -> None:
    """Write a program as .py or .json, as the name says; *notes* tell readers of source where it comes from."""
    write_file(path, python_source(written, notes) if checked_suffix(path) == ".py" else written.to_json())


def read_program(path: Path | str) -> WrittenProgram:
    """The program of a file; nothing in it is run."""
    suffix = checked_suffix(path)
    text = read_text(path, BadProgram, largest=LARGEST, latin=False)
    if suffix == ".py":
        return read_source(text, path)
    made = decode_program(text, WrittenProgram, path)
    for fault in faults(made):
        raise BadProgram(path, fault)
    return made


def faults(written: WrittenProgram) -> Iterator[str]:
    """What is wrong with a program that was not written by us."""
    yield from written.program.faults()
    if [*written.kinds] != [column.name for column in written.program.columns]:
        yield "its variables are not the columns of its program"
    if written.player not in (0, 1):
        yield f"it plays player {written.player}, who is none of 0 and 1"
    for label in written.program.labels:
        answer = written.answers.get(str(label))
        if isinstance(answer, dict) != (written.what == "actions") or answer is None:
            yield f"its answer {label!r} says nothing that a program for {written.what} can say"
        if isinstance(answer, dict) and (min(answer.values()) < 0.0 or abs(sum(answer.values()) - 1.0) > 1e-9):
            yield f"the probabilities of its answer {label!r} are not at least 0 or do not add up to 1"
