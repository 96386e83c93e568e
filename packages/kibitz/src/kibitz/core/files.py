"""Reads and writes files: atomically, with size limits, and with errors in one line; cells of CSV files."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from kibitz.core.errors import CONTROL, KibitzError, Unwritable, printable, reason

LARGEST = 50_000_000
"""Largest file that is read, in bytes; records may be larger."""
Blame = Callable[[object, str], KibitzError]
"""Makes an error from a source and a reason."""


class VersionedFile(Protocol):
    """A file's content that names its format and version."""

    @property
    def format(self) -> str: ...

    @property
    def version(self) -> int: ...


Held = TypeVar("Held", bound=VersionedFile)
Cell = TypeVar("Cell")
FORMULA = re.compile(r"'*[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf", re.IGNORECASE)


@contextmanager
def wrap_os_errors(path: Path | str) -> Iterator[None]:
    """Turns system errors into one line that names the file; refuses names with control characters."""
    if CONTROL.search(str(path)):
        raise Unwritable(path, "its name holds a control character")
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: no file can have that name
        if isinstance(error, KibitzError):
            raise
        raise Unwritable(path, reason(error)) from None


@contextmanager
def atomic_write(path: Path | str) -> Iterator[Path]:
    """A path beside *path* to write to; at the end it replaces *path*, after an error it is removed.

    A link's target is replaced, not the link. A pipe or terminal is written to directly.
    """
    with wrap_os_errors(path):
        target = Path(path).resolve()
    if target.exists() and not target.is_file() and not target.is_dir():
        with wrap_os_errors(path):
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
            with wrap_os_errors(path):
                raise
        raise


def changed_at(path: Path | str, bad: Blame, advice: str) -> int:
    """The time of a file's last change, for caches; if it cannot be read, raises the error that *bad* makes."""
    try:
        return Path(path).stat().st_mtime_ns
    except (OSError, ValueError) as error:
        raise bad(path, f"cannot be read: {reason(error)}; {advice}") from None


def read_bytes(path: Path | str, bad: Blame, largest: int = LARGEST) -> bytes:
    """The content of a file; if it cannot be read, raises the error that *bad* makes of the path and the reason."""
    try:
        if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
            raise bad(path, "not a regular file")
        with Path(path).open("rb") as file:
            raw = file.read(largest + 1)
    except (OSError, ValueError) as error:  # ValueError: no file can have that name
        if isinstance(error, KibitzError):
            raise
        raise bad(path, f"cannot be read: {reason(error)}") from None
    if len(raw) > largest:
        raise bad(path, f"longer than the limit of {largest:,} bytes")
    return raw


def read_text(path: Path | str, bad: Blame, *, largest: int = LARGEST, latin: bool = True) -> str:
    """The text of a file, read as `read_bytes` does.

    With *latin*, text that is not UTF-8 is read as Latin-1, which older programs wrote.
    """
    raw = read_bytes(path, bad, largest)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if latin:
            return raw.decode("latin-1")
        raise bad(path, f"byte {error.start} is not UTF-8 text") from None


def read_versioned(path: Path | str, kind: type[Held], mark: tuple[str, int], bad: Blame, what: str) -> Held:
    """The content of a JSON file of *what*, with the format and version of *mark*."""
    try:
        found = msgspec.json.decode(read_text(path, bad, latin=False), type=kind)
    except msgspec.MsgspecError as error:
        raise bad(path, f"the file holds no {what}: {printable(str(error))}") from None
    if (found.format, found.version) != mark:
        raise bad(path, f"format {found.format!r} version {found.version}, but kibitz reads {mark[0]!r} {mark[1]}")
    return found


def write_file(path: Path | str, content: bytes | str) -> None:
    """Write a file, text as UTF-8."""
    with wrap_os_errors(path), atomic_write(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


def check_writable(path: Path | str) -> None:
    """Raise Unwritable now if `write_file` would raise it later, after hours of work."""
    with wrap_os_errors(path):
        target = Path(path).resolve()
        if target.is_dir():
            raise Unwritable(path, "it is a folder")
        if not target.parent.is_dir():
            raise Unwritable(path, "there is no such folder")
        if target.is_file() or not target.exists():
            part_of(target).open("a").close()
            part_of(target).unlink()


def make_folder(folder: Path | str) -> None:
    """Make a folder; raise Unwritable if no files can be written to it."""
    with wrap_os_errors(folder):
        if Path(folder).is_file():
            raise Unwritable(folder, "it is a file, and a folder is needed; name another")
        Path(folder).mkdir(parents=True, exist_ok=True)
        probe = Path(folder, ".part")
        probe.write_bytes(b"")
        probe.unlink()


def part_of(path: Path | str) -> Path:
    """The temporary file beside *path*."""
    return Path(path).with_name(Path(path).name + ".part")


def csv_cell(value: Cell) -> Cell | str:
    """A value as a cell of a CSV file; an apostrophe marks text that a spreadsheet would take for a formula.

    >>> [csv_cell(value) for value in ("=1+1", "-3.5", "grim", -2)]
    ["'=1+1", '-3.5', 'grim', -2]
    """
    formula = isinstance(value, str) and FORMULA.match(value) and not NUMBER.fullmatch(value)
    return f"'{value}" if formula else value


def cell_text(cell: str) -> str:
    """The text of a cell that `csv_cell` wrote."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
