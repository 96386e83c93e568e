"""Records of matches: read, written, replayed, or made from a list of actions."""

from kibitz.core.records.records import (
    HASH_EVERY,
    MAGIC,
    Ending,
    Entry,
    Header,
    Record,
    RecordWriter,
    Truths,
    mover_name,
    read_record,
    record_bytes,
    record_from_bytes,
)

__all__ = [
    "HASH_EVERY",
    "MAGIC",
    "Ending",
    "Entry",
    "Header",
    "Record",
    "RecordWriter",
    "Truths",
    "mover_name",
    "read_record",
    "record_bytes",
    "record_from_bytes",
]
