"""Which code this is: the version, and a fingerprint of the code that decides what is played and what is found.

Results name it, so that those of changed code are not taken for those of the code at hand.
"""

from functools import cache
from hashlib import blake2b
from pathlib import Path

import kibitz

DECIDING = ("agents", "arena", "core", "games", "learn", "models", "solve", "studies")
"""The parts of the package whose code and data change results; how they are shown or kept does not."""


@cache
def code_version() -> str:
    """The version and the fingerprint: `0.1.0+0baf48a7`."""
    return f"{kibitz.__version__}+{fingerprint(Path(kibitz.__file__).parent)}"


def fingerprint(package: Path) -> str:
    """What tells one state of a package's code and data from another, wherever it is installed."""
    hashed = blake2b(digest_size=4)
    for part in DECIDING:
        for path in sorted((package / part).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                hashed.update(f"{path.relative_to(package).as_posix()}\n".encode())
                hashed.update(blake2b(path.read_bytes(), digest_size=16).digest())
    return hashed.hexdigest()
