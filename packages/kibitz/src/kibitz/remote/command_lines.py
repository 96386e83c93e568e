"""The command lines of programs, which only processes of the operator know; all else names a program and its hash.

The files that a command line needs to run: its own folder, its interpreter, what its words name. Everything else of the
disk stays out of sight of a confined program.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import msgspec

from kibitz.core.errors import UnknownName, printable

SYSTEM = tuple(Path(name) for name in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"))
"""Folders of the system's programs and libraries, which every program sees."""
SPECIAL = (*SYSTEM, Path("/proc"), Path("/dev"), Path("/sys"))
INTERPRETER = re.compile(
    r"(python|pypy|lua|ruby|perl|php|guile)[\d.]*|(ba|da|z|k|a)?sh|node|deno|bun|java|julia|Rscript"
)
MARKS = ("pyvenv.cfg", "lib/python3*", "lib/node_modules", "lib/ruby", "lib/jvm", "jmods")
"""What lies in the folder above the `bin` of an interpreter."""
MOST_SHOWN = 2000
"""Most files beside the server's data that are shown one by one."""


def own_file(words: Sequence[str], folder: Path) -> Path:
    """The file of the program itself: the script if the first word is an interpreter of one."""
    executable = find_executable(words[0], folder)
    if INTERPRETER.fullmatch(executable.name):
        for word in words[1:]:
            if not word.startswith("-") and (folder / word).is_file():
                return absolute(word, folder)
    return executable


def program_name(command: str, folder: Path) -> str:
    """The name of a program's file, without its folder and what is passed to it."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    if not words or "=" in words[0]:
        return "program"
    try:
        return printable(own_file(words, folder).name)
    except (OSError, ValueError):  # no file can have such a name
        return "program"


def find_executable(name: str, folder: Path) -> Path:
    """The program that the first word of a command line names."""
    return absolute(name, folder) if os.sep in name else absolute(shutil.which(name) or name, folder)


def absolute(name: str | Path, folder: Path) -> Path:
    """A path without dots, in which links stay."""
    return Path(os.path.normpath(folder / name))


def needed_files(words: Sequence[str], folder: Path, hidden: Sequence[Path] = ()) -> list[Path]:
    """The files and folders that a command line needs, without *hidden* ones but for its own file."""
    own, found = own_file(words, folder), list[Path]()
    for path in (*executables(find_executable(words[0], folder)), *executables(own)):
        found += installation(path)
    for path in links(own):
        found += [path] if is_broad(path.parent) else [path.parent]
    for word in words[1:]:
        path = absolute(word.partition("=")[2] or word, folder)
        if not is_broad(path) and path.exists():
            found.append(path)
    shown = [each for path in found for each in without_hidden(path, hidden)]
    return outermost([path for path in (*shown, own) if not is_within(path, SPECIAL)])


def executables(path: Path) -> Iterator[Path]:
    """An executable file, and the interpreter that its first line names."""
    yield path
    try:
        with path.open("rb") as file:
            line = file.readline(256)
    except OSError:
        return
    words = line[2:].decode(errors="replace").split() if line.startswith(b"#!") else []
    if words and Path(words[0]).name == "env":
        named = next((word for word in words[1:] if not word.startswith("-")), "")
        words = [shutil.which(named) or ""]
    if words and words[0]:
        yield Path(words[0])


def installation(executable: Path) -> list[Path]:
    """The folders that an interpreter outside the system's folders is installed in; none for other programs."""
    found = []
    for path in links(executable):
        prefix = path.parent.parent
        if is_within(path, SYSTEM) or is_broad(prefix):
            continue
        settings = prefix / "pyvenv.cfg"
        if path.parent.name == "shims" or any(any(prefix.glob(mark)) for mark in MARKS):
            found.append(prefix)
        if settings.exists():
            home = re.search(r"^home\s*=\s*(.+?)\s*$", settings.read_text(errors="replace"), re.MULTILINE)
            if home and not is_within(Path(home[1]), SYSTEM) and not is_broad(Path(home[1]).parent):
                found.append(Path(home[1]).parent)
    return found


def links(path: Path) -> list[Path]:
    """A path and, if it is a link, where it leads, link by link."""
    found = [path]
    while found[-1].is_symlink() and len(found) < 40:
        found.append(absolute(os.readlink(found[-1]), found[-1].parent))
    return found if found[-1] == path.resolve() else [*found, path.resolve()]


def without_hidden(path: Path, hidden: Sequence[Path]) -> Iterator[Path]:
    """*path*, or the parts of it that are not hidden; beside a database lie files that begin with its name."""
    real = path.resolve()
    inside = [each for each in hidden if each != real and each.is_relative_to(real)]
    if any(real.is_relative_to(each) or (real.parent == each.parent and is_beside(real, each)) for each in hidden):
        return
    if not inside:
        yield path
        return
    parts = sorted(path.iterdir())
    if len(parts) > MOST_SHOWN:
        raise ValueError(f"{path} holds the server's data and too many files; put the program into a folder of its own")
    for part in parts:
        yield from without_hidden(part, hidden)


def is_beside(path: Path, database: Path) -> bool:
    """Whether a file is a journal of *database*."""
    return path.name.startswith(f"{database.name}-")


def is_broad(path: Path) -> bool:
    """Whether a folder holds more than a program: the root, its folders, homes, and what homes lie in."""
    home = Path(os.path.expanduser("~"))
    holds_home = path == home or path in home.parents or path == home.resolve()
    return len(path.parts) <= 2 or holds_home or path.parent == Path("/home") or path == home / ".local"


def is_within(path: Path, folders: Iterable[Path]) -> bool:
    """Whether a path is one of *folders* or lies in one."""
    return any(path.is_relative_to(folder) for folder in folders)


def outermost(paths: Iterable[Path]) -> list[Path]:
    """The paths that lie in no other of them, sorted."""
    found: list[Path] = []
    for path in sorted(set(paths)):
        if not is_within(path, found):
            found.append(path)
    return found


SHORTEST_SECRET = 4
"""Characters of the shortest value of a variable that is redacted."""
BETWEEN_WORDS = re.compile(r"[\s=;,:&?@|<>()\[\]{}'\"]+")
LIKE_A_KEY = re.compile(r"(?!--)(.{16,}|(?=.*[0-9])(?=.*[A-Za-z]).{10,})", re.DOTALL)
"""Words of a command line that are redacted, unless they name a file."""

Key = tuple[str, str]
"""The name of a program and its hash."""


class Commands(msgspec.Struct):
    """The programs that a process knows: the parameters of each, and the names of those that may use the network."""

    known: dict[Key, dict[str, Any]] = {}
    networked: set[str] = set()

    def learn(self, others: "Commands") -> None:
        """Add what another process of the operator knows."""
        self.known |= others.known
        self.networked |= others.networked

    def hash_known(self, name: str) -> str:
        """The hash of a known program of this name; empty if there is none."""
        return next((each for own, each in self.known if own == name), "")


commands = Commands()
"""What this process knows. It is sent to workers with their work, and written nowhere."""


def allow_network(names: Iterable[str]) -> None:
    """Let the programs of these names use the network; raises UnknownName if no program has one of them."""
    for name in names:
        known = sorted({own for own, _ in commands.known})
        if name not in known:
            raise UnknownName("program", name, known, "(--network names a program that plays)")
        commands.networked.add(name)


def program_hash(command: str, folder: Path, parameters: Mapping[str, Any]) -> str:
    """A hash of a program's parameters and, unless it belongs to the system, of its file."""
    found = sha256(msgspec.json.encode(parameters, order="sorted"))
    with suppress(OSError, ValueError, IndexError):
        path = own_file(shlex.split(command), folder)
        if path.is_file() and not is_within(path.resolve(), SYSTEM):
            with path.open("rb") as file:
                found.update(file_digest(file, "sha256").digest())
    return found.hexdigest()[:16]


class Redactor:
    """Replaces the values of variables, and long words of a command line that name no file, in what a program says."""

    def __init__(self, variables: Mapping[str, str], words: Sequence[str], folder: Path) -> None:
        secrets = {line: f"${name}" for name, value in variables.items() for line in (value, *value.splitlines())}
        said = {word: "***" for words in words for word in BETWEEN_WORDS.split(words) if is_suspect(word, folder)}
        found = {word: other for word, other in (said | secrets).items() if len(word) >= SHORTEST_SECRET}
        self.secrets = {
            word.encode(errors="surrogateescape"): found[word].encode() for word in sorted(found, key=len, reverse=True)
        }

    def data(self, data: bytes) -> bytes:
        """Bytes without secrets."""
        for secret, other in self.secrets.items():
            data = data.replace(secret, other)
        return data

    def text(self, text: str) -> str:
        """Text without secrets."""
        return self.data(text.encode(errors="surrogateescape")).decode(errors="surrogateescape")


def is_suspect(word: str, folder: Path) -> bool:
    """Whether a word of a command line may be a key: a long one, and neither an option nor a file."""
    try:
        return LIKE_A_KEY.fullmatch(word) is not None and not (folder / word).exists()
    except (OSError, ValueError):
        return True
