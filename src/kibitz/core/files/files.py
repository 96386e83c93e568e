"""Files that appear whole or not at all, and files that people write; what cannot be done is said in one line."""

import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from kibitz.core.errors import BadDefinition, KibitzError, Unwritable, printable, reason

LARGEST = 50_000_000
"""Bytes; a longer file of text is not read."""
LARGEST_DEFINITION = 1 << 20
"""Bytes a definition file may have."""
Blame = Callable[[object, str], KibitzError]
"""Makes an error of what it is about and why."""


class VersionedFile(Protocol):
    """What tells in its file which program wrote it."""

    @property
    def format(self) -> str: ...

    @property
    def version(self) -> int: ...


Held = TypeVar("Held", bound=VersionedFile)


@contextmanager
def wrap_os_errors(path: Path | str) -> Iterator[None]:
    """Turns what the system says into one line that names the file."""
    try:
        yield
    except (OSError, ValueError) as error:  # a ValueError is a name that no file can have
        if isinstance(error, KibitzError):
            raise
        raise Unwritable(path, reason(error)) from None


@contextmanager
def atomic_write(path: Path | str) -> Iterator[Path]:
    """A path beside *path* to write to; at the end it takes the place of *path*, and after an error it is gone.

    What a link points to is written, and what is no file, as a pipe or a terminal, is written into as it is.
    """
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
    """When a file was last changed, for who keeps what it held; where there is none, the error that *bad* makes."""
    try:
        return Path(path).stat().st_mtime_ns
    except (OSError, ValueError) as error:
        raise bad(path, f"cannot be read: {reason(error)}; {advice}") from None


def read_text(path: Path | str, bad: Blame, *, largest: int = LARGEST, latin: bool = True) -> str:
    """The text of a file; where there is none, the error that *bad* makes of the path and the reason.

    With *latin*, what is no UTF-8 is taken for Latin-1, which older programs wrote.
    """
    try:
        if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
            raise bad(path, "not a regular file")
        with Path(path).open("rb") as file:
            raw = file.read(largest + 1)
    except (OSError, ValueError) as error:  # a ValueError is a name that no file can have
        if isinstance(error, KibitzError):
            raise
        raise bad(path, f"cannot be read: {reason(error)}") from None
    if len(raw) > largest:
        raise bad(path, f"longer than {largest:,} bytes, which are read at most")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if latin:
            return raw.decode("latin-1")
        raise bad(path, f"byte {error.start} is no UTF-8 text") from None


def read_versioned(path: Path | str, kind: type[Held], mark: tuple[str, int], bad: Blame, what: str) -> Held:
    """What a JSON file holds, if it is *what* it should be, with the format and version of *mark*."""
    try:
        found = msgspec.json.decode(read_text(path, bad, latin=False), type=kind)
    except msgspec.MsgspecError as error:
        raise bad(path, f"these are no {what}: {printable(str(error))}") from None
    if (found.format, found.version) != mark:
        raise bad(path, f"format {found.format!r} version {found.version}, but {mark[0]!r} {mark[1]} is read")
    return found


def write_file(path: Path | str, content: bytes | str) -> None:
    """Write a file, text as UTF-8."""
    with wrap_os_errors(path), atomic_write(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


def check_writable(path: Path | str) -> None:
    """Raise Unwritable now where `write_file` would raise it after hours of work."""
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
    """Make a folder; raise Unwritable where no files can be written into it."""
    with wrap_os_errors(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
        probe = Path(folder, ".part")
        probe.write_bytes(b"")
        probe.unlink()


def part_of(path: Path | str) -> Path:
    """The file beside *path* that holds what is written of it so far."""
    return Path(path).with_name(Path(path).name + ".part")


def definition_text(path: Path | str, largest: int = LARGEST_DEFINITION) -> str:
    """The text of a file somebody wrote; raises BadDefinition where there is none."""
    return read_text(path, BadDefinition, largest=largest, latin=False)


def toml_tables(path: Path | str, text: str) -> dict[str, Any]:
    """The tables of a TOML file with this text; raises BadDefinition where it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadDefinition(path, f"no valid TOML: {error}") from None
    except RecursionError:
        raise BadDefinition(path, "no valid TOML: nested too deeply") from None
