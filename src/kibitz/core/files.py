"""Files that appear whole or not at all; what cannot be written is said as Unwritable."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kibitz.core.errors import KibitzError, Unwritable, reason

LARGEST = 50_000_000
"""Bytes; a longer file of text is not read."""


@contextmanager
def explained(path: Path | str) -> Iterator[None]:
    """Turns what the system says into one line that names the file."""
    try:
        yield
    except (OSError, ValueError) as error:  # a ValueError is a name that no file can have
        if isinstance(error, KibitzError):
            raise
        raise Unwritable(path, reason(error)) from None


@contextmanager
def unfinished(path: Path | str) -> Iterator[Path]:
    """A path beside *path* to write to; at the end it takes the place of *path*, and after an error it is gone.

    What a link points to is written, and what is no file, as a pipe or a terminal, is written into as it is.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file() and not target.is_dir():
        with explained(path):
            yield Path(path)
        return
    partial = part_of(target)
    try:
        yield partial
        partial.replace(target)
    except BaseException as error:
        with suppress(OSError, ValueError):
            partial.unlink(missing_ok=True)
        if isinstance(error, OSError):
            with explained(path):
                raise
        raise


def read_text(path: Path | str, bad: Callable[[object, str], KibitzError]) -> str:
    """The text of a file; where there is none, the error that *bad* makes of the path and the reason."""
    try:
        raw = Path(path).read_bytes()
    except (OSError, ValueError) as error:  # a ValueError is a name that no file can have
        raise bad(path, f"cannot be read: {reason(error)}") from None
    if len(raw) > LARGEST:
        raise bad(path, f"it has {len(raw):,} bytes; at most {LARGEST:,} are read")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")  # older programs wrote it


def write_file(path: Path | str, content: bytes | str) -> None:
    """Write a file, text as UTF-8."""
    with explained(path), unfinished(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


def check_writable(path: Path | str) -> None:
    """Raise Unwritable now where `write_file` would raise it after hours of work."""
    with explained(path):
        target = Path(path).resolve()
        if target.is_dir():
            raise Unwritable(path, "it is a folder")
        if not target.parent.is_dir():
            raise Unwritable(path, "there is no such folder")
        if target.is_file() or not target.exists():
            part_of(target).open("a").close()
            part_of(target).unlink()


def make_folder(folder: Path | str) -> None:
    """Make a folder; raise Unwritable where no files can be written into it."""
    with explained(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
        probe = Path(folder, ".part")
        probe.write_bytes(b"")
        probe.unlink()


def part_of(path: Path | str) -> Path:
    """The file beside *path* that holds what is written of it so far."""
    return Path(path).with_name(Path(path).name + ".part")
