"""Runs as files for other programs: a CSV of all seats, and the records one by one."""

import csv
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from kibitz.core.errors import StoreTrouble, Unwritable
from kibitz.store import MatchResult, Store

COLUMNS = (
    *("index", "series", "block", "game", "seed", "plies", "reason"),
    *("seat", "name", "returned", "seconds", "strikes", "forfeited"),
)


def rows(results: Iterable[MatchResult]) -> Iterator[tuple[object, ...]]:
    """A row per seat, in the order of COLUMNS."""
    for result in results:
        match = (result.index, result.series, result.block, result.game, result.seed, result.plies, result.reason)
        per_seat = zip(result.names, result.returns, result.seconds, result.strikes, strict=True)
        for seat, told in enumerate(per_seat):
            yield (*match, seat, *told, int(seat in result.forfeits))


def write_csv(results: Iterable[MatchResult], path: Path | str) -> None:
    """Write a CSV file; it appears whole or not at all."""
    whole = Path(path)
    partial = whole.with_name(whole.name + ".part")
    try:
        with partial.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows(rows(results))
        partial.replace(whole)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise Unwritable(path, (error.strerror or str(error)).lower()) from None


def write_text(text: str, path: Path | str) -> None:
    """Write a text file; it appears whole or not at all."""
    whole = Path(path)
    partial = whole.with_name(whole.name + ".part")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(whole)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise Unwritable(path, (error.strerror or str(error)).lower()) from None


def check_writable(path: Path | str) -> None:
    """Raise Unwritable now where `write_text` would raise it after hours of work."""
    partial = Path(path).with_name(Path(path).name + ".part")
    try:
        if Path(path).is_dir():
            raise Unwritable(path, "it is a folder")
        partial.open("a").close()
        partial.unlink()
    except (OSError, ValueError) as error:
        if isinstance(error, Unwritable):
            raise
        raise Unwritable(path, (getattr(error, "strerror", None) or str(error)).lower()) from None


def write_records(store: Store, run: int, folder: Path | str) -> int:
    """Write every record of a run into a folder, named by its index; how many there were."""
    count = 0
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for index, record in store.records(run):
            Path(folder, f"{index:07}.krec").write_bytes(record)
            count += 1
    except OSError as error:
        if isinstance(error, StoreTrouble):
            raise
        raise Unwritable(folder, (error.strerror or str(error)).lower()) from None
    return count
