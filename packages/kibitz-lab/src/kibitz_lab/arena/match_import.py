"""Imports matches of other programs into the store, each once, however many files hold a copy of it.

The matches of a file are a series, stored together, so the same import resumes after the last stored file.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import msgspec

from kibitz.core.errors import KibitzError
from kibitz.core.kit.matches import ImportedMatch, Importer
from kibitz_lab.arena.series import result_of
from kibitz_lab.store import Run, Store, StoredMatch
from kibitz_lab.store.results import RunKind


class FileReport(msgspec.Struct, frozen=True):
    """What was found in one file."""

    file: str
    matches: int = 0
    """Matches stored now."""
    copies: int = 0
    """Matches skipped because they were stored already."""
    cut: int = 0
    """Matches skipped because they are incomplete."""
    skipped: tuple[str, ...] = ()
    """Lines without effect, each with its number."""
    error: str = ""
    before: bool = False
    """Whether an earlier import stored its matches; then they are not replayed."""

    @property
    def has_content(self) -> bool:
        """Whether the file held any match."""
        return bool(self.matches or self.copies or self.cut or self.skipped)


class ImportRun:
    """Reads files one by one and stores their matches; opens the store only when there is something to store."""

    def __init__(self, importer: Importer, paths: Sequence[Path], db: str | None = None) -> None:
        self.importer, self.paths, self.db = importer, sorted(paths), db
        self.store: Store | None = None
        self.run: Run | None = None
        self.stored: Counter[int] = Counter()
        """Matches already stored, by the number of their file."""
        self.seen: set[str] = set()
        self.names: list[str] = []
        """The name of each record, in order: its file and its first line."""

    def reports(self) -> Iterator[FileReport]:
        """Read every file; report an invalid one, and continue with the others."""
        for number, path in enumerate(self.paths):
            found: list[ImportedMatch] = []
            error = ""
            try:
                for each in self.importer.matches(path):
                    found.append(each)  # noqa: PERF402 - those before an error are kept
            except KibitzError as wrong:
                error = str(wrong)
            new: dict[str, ImportedMatch] = {}
            for each in found:
                if each.identity not in self.seen:
                    new.setdefault(each.identity, each)
            if new and self.stored[number] == len(new):
                self.seen.update(new)
                self.names += map(name_of, new.values())
                yield FileReport(str(path), len(new), len(found) - len(new), error=error, before=True)
            else:
                yield self.read(number, path, found, error)

    def read(self, number: int, path: Path, found: Sequence[ImportedMatch], error: str) -> FileReport:
        """Replay the matches of a file; store the complete and new ones."""
        played: list[StoredMatch] = []
        copies = cut = 0
        skipped: list[str] = []
        try:
            for each in found:
                if each.identity in self.seen:
                    copies += 1
                    continue
                record, skipped_lines = each.read()
                skipped += [f"{line.line}: {line.text}" for line in skipped_lines]
                if not record.complete:
                    cut += 1
                    continue
                self.seen.add(each.identity)
                seconds = (0.0,) * len(each.names)
                row = result_of(record, len(self.names), each.names, seconds, series=number)
                played.append(StoredMatch(row, record.to_bytes()))
                self.names.append(name_of(each))
        except KibitzError as wrong:
            error = error or str(wrong)
        if played:
            self.keep(played)
        return FileReport(str(path), len(played), copies, cut, tuple(skipped), error)

    def keep(self, played: Sequence[StoredMatch]) -> None:
        """Store the matches of a file, all of them or none."""
        if self.store is None:
            self.store = Store(self.db)
        self.run = self.open_run(self.store)
        if not self.stored:
            self.stored.update(each.series for each in self.store.results(self.run.run))
        self.store.add(self.run.run, played)

    def open_run(self, store: Store) -> Run:
        """The run of these files: the same run for the same files."""
        name = f"{self.importer.form}: {len(self.paths)} files"
        return store.begin(RunKind.IMPORT, name, self.definition, len(self.names))

    @cached_property
    def definition(self) -> str:
        """A text that identifies this import."""
        files = [(str(path.resolve()), digest(path)) for path in self.paths]
        return msgspec.json.encode({"importer": repr(self.importer), "files": files}).decode()

    def finish(self) -> Run | None:
        """Mark the run as finished; None if nothing was found."""
        if self.store is None:
            return None
        run = self.open_run(self.store).run
        self.store.finish(run)
        return self.store.run(run)

    def records(self) -> Iterator[tuple[str, bytes]]:
        """All records, each with its name."""
        if self.store is not None and self.run is not None:
            for index, record in self.store.records(self.run.run):
                yield self.names[index], record

    def close(self) -> None:
        """Close the store."""
        if self.store is not None:
            self.store.close()


def name_of(found: ImportedMatch) -> str:
    """A name for the record of a match."""
    return f"{found.path.name.partition('.')[0]}-{found.line}"


def digest(path: Path) -> str:
    """A hash of a file's content; empty if it cannot be read."""
    try:
        return blake2b(path.read_bytes(), digest_size=8).hexdigest()
    except OSError:
        return ""
