"""Records of matches: read, written and replayed."""

from kibitz.core.records.records import (
    HASH_EVERY,
    LARGEST,
    MAGIC,
    Ending,
    Entry,
    Header,
    Record,
    RecordWriter,
    Truths,
    mover_name,
    read_record,
    record_from_bytes,
)

__all__ = [
    "HASH_EVERY",
    "LARGEST",
    "MAGIC",
    "Ending",
    "Entry",
    "Header",
    "Record",
    "RecordWriter",
    "Truths",
    "mover_name",
    "read_record",
    "record_from_bytes",
]
