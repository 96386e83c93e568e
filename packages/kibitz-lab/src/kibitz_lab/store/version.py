"""The code version: the version of our packages, and a fingerprint of the code that determines results.

Results name it, so that you can tell results of changed code from those of the current code.
"""

from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

import kibitz
from kibitz.members import MEMBERS

ASIDE = ("cli", "plots", "remote", "store", "testing")
"""The folders whose code cannot change results; nor can that of the web app."""


@cache
def code_version() -> str:
    """The version and the fingerprint: `0.1.0+0baf48a7`."""
    specs = (find_spec(f"kibitz_{member}") for member in MEMBERS if member != "web")
    others = (Path(spec.origin).parent for spec in specs if spec is not None and spec.origin)
    return f"{kibitz.__version__}+{fingerprint(Path(kibitz.__file__).parent, *others)}"


def fingerprint(*packages: Path) -> str:
    """A hash of the code and data of packages, the same wherever they are installed."""
    hashed = blake2b(digest_size=4)
    for package in packages:
        for path in sorted(package.rglob("*")):
            parts = path.relative_to(package).parts
            if path.is_file() and "__pycache__" not in parts and parts[0] not in ASIDE:
                hashed.update(f"{'/'.join((package.name, *parts))}\n".encode())
                hashed.update(blake2b(path.read_bytes(), digest_size=16).digest())
    return hashed.hexdigest()
