"""Lines of a stream as they come, from a pipe or from a file that grows."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kibitz.core.errors import BadPlan

LONGEST = 1_000_000
"""The most bytes of a line; a longer one is told as a broken line."""
PAUSE = 0.2
"""Seconds between looks at a file that grows."""


def read_lines(stream: BinaryIO, source: object = "stdin") -> Iterator[tuple[int, str | BadPlan]]:
    """The lines of a stream until it ends, with their numbers; of a line that is not text, the error."""
    number = 0
    while raw := stream.readline(LONGEST):
        number += 1
        if len(raw) >= LONGEST and not raw.endswith(b"\n"):
            while len(more := stream.readline(LONGEST)) >= LONGEST and not more.endswith(b"\n"):
                pass
            yield number, BadPlan(source, f"the line is longer than {LONGEST:,} bytes", number)
        else:
            yield number, decode_line(raw, source, number)


def follow_file(path: Path | str, pause: float = PAUSE) -> Iterator[tuple[int, str | BadPlan]]:
    """The lines of a file and all that are added to it, without end; a file that was replaced is read again."""
    number, started = 0, b""
    try:
        file = open(path, "rb")  # noqa: SIM115  it is replaced when the file is
    except OSError as error:
        raise BadPlan(path, f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    try:
        while True:
            raw = file.readline(LONGEST)
            started += raw
            if started.endswith(b"\n"):
                number += 1
                yield number, decode_line(started, path, number)
                started = b""
            elif len(started) >= LONGEST:
                number += 1
                yield number, BadPlan(path, f"the line is longer than {LONGEST:,} bytes", number)
                started = b""
            elif not raw:
                if was_replaced(file, path):
                    file.close()
                    file, number, started = open(path, "rb"), 0, b""  # noqa: SIM115
                time.sleep(pause)
    finally:
        file.close()


def was_replaced(file: BinaryIO, path: Path | str) -> bool:
    """Whether a path now names another file than the one that was opened, or the file was cut."""
    try:
        now = os.stat(path)
    except OSError:
        return False  # it was moved, and the new one is not there yet
    held = os.fstat(file.fileno())
    return (now.st_ino, now.st_dev) != (held.st_ino, held.st_dev) or now.st_size < file.tell()


def decode_line(raw: bytes, source: object, number: int) -> str | BadPlan:
    """The text of a line, or the error."""
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        return BadPlan(source, "it is not text in UTF-8", number)
    return BadPlan(source, "it is binary data", number) if "\0" in text else text
