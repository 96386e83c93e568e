"""Exports runs to files for other programs: a CSV of all seats, and the records one by one."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from kibitz.core.files import atomic_write, csv_cell, make_folder, write_file
from kibitz.core.records import record_from_bytes
from kibitz.core.records.records import PACKED
from kibitz_lab.store import MatchResult, Store

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
    """Write a CSV file; it is written atomically."""
    with atomic_write(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(map(csv_cell, row) for row in rows(results))


def write_records(store: Store, run: int, folder: Path | str) -> int:
    """Write every record of a run into a folder, named by run and index; return how many."""
    make_folder(folder)
    count = 0
    for index, stored in store.records(run):
        packed = stored.startswith(PACKED)
        record = record_from_bytes(stored, f"match {index} of run {run}").to_bytes() if packed else stored
        write_file(Path(folder, f"{run}-{index:07}.krec"), record)
        count += 1
    return count
