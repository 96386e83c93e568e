"""Puts matches of other programs into the store: each once, however many files hold a copy of it.

The matches of a file are a series, stored together, so the same import goes on after the last file that was kept.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import msgspec

from kibitz.arena.series import result_of
from kibitz.core.abilities.importer import ImportedMatch, Importer
from kibitz.core.errors import KibitzError
from kibitz.store import Run, Store, StoredMatch
from kibitz.store.results import RunKind


class FileReport(msgspec.Struct, frozen=True):
    """What was found in one file."""

    file: str
    matches: int = 0
    """In the store now."""
    copies: int = 0
    """Left out: they were there already."""
    cut: int = 0
    """Left out: they have no end."""
    skipped: tuple[str, ...] = ()
    """Lines without effect, each with its number."""
    error: str = ""
    before: bool = False
    """Whether an earlier import of the same files has kept its matches; they are not played again."""

    @property
    def has_content(self) -> bool:
        """Whether there was anything in it."""
        return bool(self.matches or self.copies or self.cut or self.skipped)


class ImportRun:
    """Reads files one by one, and stores what each holds; a store is opened only when there is something to keep."""

    def __init__(self, importer: Importer, paths: Sequence[Path], db: str | None = None) -> None:
        self.importer, self.paths, self.db = importer, sorted(paths), db
        self.store: Store | None = None
        self.run: Run | None = None
        self.stored: Counter[int] = Counter()
        """Matches that were in the store, by the number of their file."""
        self.seen: set[str] = set()
        self.names: list[str] = []
        """What each record may be called, in their order: its file, and the line it begins at."""

    def reports(self) -> Iterator[FileReport]:
        """Read every file; one that cannot be right is reported, and the others are read all the same."""
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
        """Play the matches of a file again; store those that are whole and new."""
        played: list[StoredMatch] = []
        copies = cut = 0
        skipped: list[str] = []
        try:
            for each in found:
                if each.identity in self.seen:
                    copies += 1
                    continue
                skipped += [f"{line.line}: {line.text}" for line in each.skipped_lines]
                if not each.record.complete:
                    cut += 1
                    continue
                self.seen.add(each.identity)
                seconds = (0.0,) * len(each.names)
                row = result_of(each.record, len(self.names), each.names, seconds, series=number)
                played.append(StoredMatch(row, each.record.to_bytes()))
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
        """The run of these files: the same one as long as they are the same."""
        name = f"{self.importer.form}: {len(self.paths)} files"
        return store.begin(RunKind.IMPORT, name, self.definition, len(self.names))

    @cached_property
    def definition(self) -> str:
        """What tells this import from others."""
        files = [(str(path.resolve()), digest(path)) for path in self.paths]
        return msgspec.json.encode({"importer": repr(self.importer), "files": files}).decode()

    def finish(self) -> Run | None:
        """Mark the run as finished; None where nothing was found."""
        if self.store is None:
            return None
        run = self.open_run(self.store).run
        self.store.finish(run, {})
        return self.store.run(run)

    def records(self) -> Iterator[tuple[str, bytes]]:
        """All records, each with its name."""
        if self.store is not None and self.run is not None:
            for index, record in self.store.records(self.run.run):
                yield self.names[index], record

    def close(self) -> None:
        """Let the store go."""
        if self.store is not None:
            self.store.close()


def name_of(found: ImportedMatch) -> str:
    """What the record of a match may be called."""
    return f"{found.path.name.partition('.')[0]}-{found.line}"


def digest(path: Path) -> str:
    """What tells one content of a file from another; nothing where it cannot be read."""
    try:
        return blake2b(path.read_bytes(), digest_size=8).hexdigest()
    except OSError:
        return ""
