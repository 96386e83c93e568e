"""Puts matches of other programs into the store: each once, however many files hold a copy of it."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from kibitz.arena.series import result_of
from kibitz.core.errors import KibitzError
from kibitz.core.importing import Imported, Importer
from kibitz.store import Played, Run, Store

KIND = "import"


class FileReport(msgspec.Struct, frozen=True):
    """What was found in one file."""

    file: str
    matches: int = 0
    """Put into the store."""
    copies: int = 0
    """Left out: they were there already."""
    cut: int = 0
    """Left out: they have no end."""
    skipped: tuple[str, ...] = ()
    """Lines without effect, each with its number."""
    error: str = ""


class Importing:
    """Reads files one by one; `records` and `results` are those that are kept."""

    def __init__(self, importer: Importer, paths: Sequence[Path]) -> None:
        self.importer, self.paths = importer, paths
        self.seen: set[str] = set()
        self.played: list[Played] = []
        self.names: list[str] = []
        """What each record may be called: its file, and the line it begins at."""

    def reports(self) -> Iterator[FileReport]:
        """Read every file; one that cannot be right is reported, and the others are read all the same."""
        for path in self.paths:
            found: list[Imported] = []
            error = ""
            try:
                for each in self.importer.matches(path):
                    found.append(each)  # noqa: PERF402 - those before an error are kept
            except KibitzError as wrong:
                error = str(wrong)
            yield self.kept(path, found, error)

    def kept(self, path: Path, found: Iterable[Imported], error: str) -> FileReport:
        """Keep the matches of a file that are whole and new."""
        matches = copies = cut = 0
        skipped: list[str] = []
        for each in found:
            skipped += [f"{line.line}: {line.text}" for line in each.skipped]
            if each.identity in self.seen:
                copies += 1
            elif not each.record.complete:
                cut += 1
            else:
                matches += 1
                self.seen.add(each.identity)
                row = result_of(each.record, len(self.played), each.names, (0.0,) * len(each.names))
                self.played.append(Played(row, each.record.to_bytes()))
                self.names.append(f"{path.name.partition('.')[0]}-{each.line}")
        return FileReport(str(path), matches, copies, cut, tuple(skipped), error)

    def store(self, store: Store) -> Run:
        """Put everything into the store: a run of its own, the same one if the same is imported again."""
        files = sorted(str(path.resolve()) for path in self.paths)
        definition = msgspec.json.encode({"importer": repr(self.importer), "files": files}).decode()
        name = f"{self.importer.form}: {len(files)} files"
        run = store.begin(KIND, name, definition, len(self.played))
        store.add(run.run, self.played)
        store.finish(run.run, {})
        return store.run(run.run)
