"""Reads text files of other programs, gzipped or plain."""

import gzip
import zlib
from pathlib import Path

from kibitz.core.errors import BadRecord, reason

LARGEST = 200_000_000
"""Bytes, unpacked."""


def packed_text(path: Path) -> str:
    """The text of a file, read as Latin-1, as the programs that write such files do."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except (EOFError, zlib.error):
        raise BadRecord(path, "cannot be unpacked: it is cut off or damaged") from None
    except (OSError, ValueError) as error:
        raise BadRecord(path, f"cannot be read: {reason(error)}") from None
    if len(raw) > LARGEST:
        raise BadRecord(path, f"longer than the limit of {LARGEST:,} bytes")
    return raw.decode("latin-1")
