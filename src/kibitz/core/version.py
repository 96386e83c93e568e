"""The code version: the package's version, and a fingerprint of the code that determines results.

Results name it, so that you can tell results of changed code from those of the current code.
"""

from functools import cache
from hashlib import blake2b
from pathlib import Path

import kibitz

DECIDING = ("agents", "arena", "bridges", "core", "games", "learn", "models", "solve", "studies")
"""The parts of the package whose code and data can change results; display and storage cannot."""


@cache
def code_version() -> str:
    """The version and the fingerprint: `0.1.0+0baf48a7`."""
    return f"{kibitz.__version__}+{fingerprint(Path(kibitz.__file__).parent)}"


def fingerprint(package: Path) -> str:
    """A hash of a package's code and data, the same wherever it is installed."""
    hashed = blake2b(digest_size=4)
    for part in DECIDING:
        for path in sorted((package / part).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                hashed.update(f"{path.relative_to(package).as_posix()}\n".encode())
                hashed.update(blake2b(path.read_bytes(), digest_size=16).digest())
    return hashed.hexdigest()
