"""The folder of a server: no other process has it meanwhile, and its files are for their owner alone."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kibitz.core.errors import Refused
from kibitz.core.files import wrap_os_errors

LOCK_FILE = ".server"
"""The file in a folder by which a server keeps others out."""


@contextmanager
def private_files() -> Iterator[None]:
    """Makes all new files and folders of this process for their owner alone, until the end of the block."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def lock_folder(folder: Path | str) -> Iterator[None]:
    """Keeps other processes that do the same out of a folder, until the end of the block or of this process."""
    with wrap_os_errors(folder):
        opened = os.open(Path(folder, LOCK_FILE), os.O_RDWR | os.O_CREAT, 0o600)
    with open(opened, "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"{folder} is in use by a server (process {file.read().strip() or 'unknown'})") from None
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield
