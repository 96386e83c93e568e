"""The command lines of programs, which only processes of the operator know; all else names a program and its hash."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import msgspec

from kibitz.core.errors import UnknownName
from kibitz.remote.program_files import SYSTEM, is_within, own_file

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
