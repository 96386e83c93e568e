"""Lines of a stream as they come."""

from collections.abc import Iterator
from typing import BinaryIO

from kibitz.core.errors import BadPlan

LONGEST = 1_000_000
"""The most bytes of a line; a longer one is told as a broken line."""


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


def decode_line(raw: bytes, source: object, number: int) -> str | BadPlan:
    """The text of a line, or the error."""
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        return BadPlan(source, "it is not text in UTF-8", number)
    return BadPlan(source, "it is binary data", number) if "\0" in text else text
