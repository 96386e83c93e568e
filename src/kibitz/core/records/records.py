"""Records: a match as JSON lines under zstd; written block by block, a killed process leaves a readable prefix."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec
import zstandard

from kibitz.core.clocks import TimeControl
from kibitz.core.errors import BadRecord, Unwritable, reason
from kibitz.core.game import CHANCE, SIMULTANEOUS
from kibitz.core.insight import Beliefs, Insight
from kibitz.core.match import Fault

FORMAT, VERSION = "kibitz record", 1
MAGIC = b"\x28\xb5\x2f\xfd"
LONGEST = 1 << 22
"""Bytes a line may have; what is longer is no line of a record."""

LARGEST = 1 << 28
"""Bytes a record file may have."""

Truths = list[dict[str, Any]]


class Header(msgspec.Struct, frozen=True, tag="header", kw_only=True):
    """The first line: everything needed to play the match again, and the beliefs before the first event."""

    format: str = FORMAT
    version: int = VERSION
    kibitz: str
    game: str
    seed: int
    agents: tuple[str, ...]
    models: tuple[str, ...] = ()
    time_control: TimeControl = TimeControl()
    max_plies: int
    strikes: int
    opening: int = 0
    """So many moves at the start were drawn, not chosen."""
    given: int = 0
    """So many events at the start were taken from another match, before those that were drawn."""
    started: str = ""
    hash: str
    truths: Truths = []
    beliefs: Beliefs = {}
    insights: tuple[Insight, ...] | msgspec.UnsetType = msgspec.UNSET
    """What the watchers thought before the first event besides their beliefs, where that is kept."""


class Entry(msgspec.Struct, frozen=True, tag="event", omit_defaults=True):
    """A line per event: who did what, how long it took, what went wrong, and what every watcher then believed."""

    ply: int
    player: int
    actions: tuple[str, ...]
    seconds: tuple[float, ...] = ()
    faults: tuple[Fault, ...] = ()
    beliefs: Beliefs = {}
    truths: Truths | None = None
    """Given where a truth changed with this event."""
    hash: str | None = None
    """Of the state after the event; given at intervals."""
    insights: tuple[Insight, ...] = ()
    """What the watchers thought after it besides their beliefs, where that is kept."""


class Ending(msgspec.Struct, frozen=True, tag="ending"):
    """The last line: the result. A record without one was cut off."""

    returns: list[float]
    reason: str
    plies: int
    strikes: tuple[int, ...]
    forfeits: tuple[int, ...]
    hash: str
    faults: tuple[Fault, ...] = ()
    model_errors: dict[str, str] = {}
    debriefs: dict[int, dict[str, str]] | msgspec.UnsetType = msgspec.UNSET
    """What people said of their play afterwards, by player: the question and the answer."""


Line = Header | Entry | Ending


class Record(msgspec.Struct):
    """A match, whole or as far as it came."""

    header: Header
    entries: list[Entry] = []
    ending: Ending | None = None

    @property
    def complete(self) -> bool:
        """Whether the match was played to its end."""
        return self.ending is not None

    def lines(self) -> Iterator[Line]:
        """All lines in the order of the file."""
        yield self.header
        yield from self.entries
        if self.ending is not None:
            yield self.ending

    def add(self, line: Entry | Ending) -> None:
        """Append what happened next."""
        if isinstance(line, Entry):
            self.entries.append(line)
        else:
            self.ending = line

    def without_times(self) -> "Record":
        """The record less clock readings: equal for equal specs and seeds, wherever it was played."""
        header = msgspec.structs.replace(self.header, started="")
        entries = [msgspec.structs.replace(entry, seconds=()) for entry in self.entries]
        return Record(header, entries, self.ending)

    def watch(self, models: Sequence[str], beliefs: Sequence[Beliefs]) -> None:
        """Say who watched, by their labels, and what they believed at the start and after every event."""
        start, *later = beliefs
        self.header = msgspec.structs.replace(self.header, models=tuple(models), beliefs=start, insights=msgspec.UNSET)
        pairs = zip(self.entries, later, strict=True)
        self.entries = [msgspec.structs.replace(entry, beliefs=held, insights=()) for entry, held in pairs]

    def insights(self, number: int) -> tuple[Insight, ...]:
        """What every watcher thought after *number* events, as far as the record tells."""
        line = self.header if number == 0 else self.entries[number - 1]
        kept = {each.label: each for each in line.insights or ()}
        watched = [kept.get(label, Insight(label)) for label in dict.fromkeys((*line.beliefs, *kept))]
        return tuple(msgspec.structs.replace(each, beliefs=tuple(line.beliefs.get(each.label, ()))) for each in watched)

    def tail(self) -> bytes:
        """All lines but the header, as they stand in the file before it is packed."""
        return msgspec.json.Encoder().encode_lines([*self.entries, *([self.ending] if self.ending else [])])

    def to_bytes(self, tail: bytes | None = None) -> bytes:
        """The lines that `RecordWriter` writes, packed in one go; without an ending the file stays open.

        Whoever writes many records that differ in the header alone gives the *tail* of one of them.
        """
        text = msgspec.json.encode(self.header) + b"\n" + (self.tail() if tail is None else tail)
        if self.complete:
            return zstandard.ZstdCompressor(write_checksum=True).compress(text)
        return _compress_block(zstandard.ZstdCompressor(write_checksum=True).compressobj(), text)


class RecordWriter:
    """Writes a record while it is played; every line is on its way to the disk before the next event."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        try:
            self.file = self.path.open("xb", buffering=0)
        except FileExistsError:
            raise Unwritable(path, "it exists already; choose another name or delete it first") from None
        except (OSError, ValueError) as error:  # a ValueError is a name that no file can have
            raise Unwritable(path, reason(error)) from None
        self.compressor = zstandard.ZstdCompressor(write_checksum=True).compressobj()
        self.size = 0

    def write(self, line: Line) -> None:
        """Append *line*; the ending closes the frame with its checksum."""
        data = _compress_block(self.compressor, msgspec.json.encode(line) + b"\n")
        if isinstance(line, Ending):
            data += self.compressor.flush()
        try:
            written = 0
            while written < len(data):
                written += self.file.write(data[written:]) or 0
        except OSError as error:
            self.file.truncate(self.size)  # half a block would spoil the others
            raise Unwritable(self.path, f"{reason(error)}; what came before is kept") from None
        self.size += len(data)

    def close(self) -> None:
        """Close the file; without an ending it stays a readable prefix."""
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def _compress_block(compressor: Any, text: bytes) -> bytes:
    """*text* as a whole block."""
    packed: bytes = compressor.compress(text) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    return packed


def read_record(path: Path | str, *, salvage: bool = False) -> Record:
    """The record in a file. One that a killed process left is returned as far as it came, without an ending.

    Damage raises BadRecord; with *salvage* everything before the damage is returned instead.
    """
    return record_from_bytes(record_bytes(path), path, salvage=salvage)


def record_bytes(path: Path | str) -> bytes:
    """What lies in a record file; BadRecord says why it cannot be had."""
    try:
        if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
            raise BadRecord(path, "not a regular file")
        if Path(path).stat().st_size > LARGEST:
            raise BadRecord(path, f"larger than {LARGEST >> 20} MiB, which no record is")
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, BadRecord):
            raise
        raise BadRecord(path, reason(error)) from None


def record_from_bytes(data: bytes, source: object = "record", *, salvage: bool = False) -> Record:
    """The record that `Record.to_bytes` or a RecordWriter made."""
    if not data:
        raise BadRecord(source, "the file is empty")
    if not data.startswith(MAGIC):
        raise BadRecord(source, "not a kibitz record (those are zstd files, written with --record)")
    whole, damage, closed = _whole_blocks(data)
    record: Record | None = None
    number = 0
    try:
        for raw in _lines(data[:whole]):
            number += 1
            record = _add_line(record, msgspec.json.decode(raw, type=Line))
    except zstandard.ZstdError as error:
        damage = f"damaged: {str(error).removeprefix('zstd decompressor error: ').lower()}"
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        damage = f"line {number} is no valid line of a record: {str(error).replace('`', '')}"
    if record is None:
        raise BadRecord(source, damage or "empty: no match was begun in it")
    if record.complete and not closed and damage is None:
        damage = "cut off inside its last bytes"
    if damage is not None and not salvage:
        kept = f"{len(record.entries)} events before it can be read"
        raise BadRecord(source, f"{damage}; {kept} with --salvage")
    return record


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines inside, unpacked one by one, so that what is no record is noticed before it fills the memory."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
    rest = b""
    for start in range(0, len(data), 512):
        *lines, rest = (rest + unpacker.decompress(data[start : start + 512])).split(b"\n")
        yield from lines
        if len(rest) > LONGEST:
            break
    if rest:
        yield rest[:LONGEST]


def _add_line(record: Record | None, line: Line) -> Record:
    """*record* with one more line, which must be the one that belongs there."""
    if isinstance(line, Header):
        if record is not None:
            raise ValueError("a second header")
        if line.format != FORMAT:
            raise ValueError(f"format {line.format!r} is not {FORMAT!r}")
        if line.version > VERSION:
            raise ValueError(f"version {line.version} is newer than this kibitz reads ({VERSION}); update kibitz")
        _check_players(line, len(line.agents), line.beliefs)
        return Record(line)
    if record is None:
        raise ValueError("the header is missing")
    if record.ending is not None:
        raise ValueError("it stands after the ending")
    if isinstance(line, Entry):
        if line.ply != len(record.entries):
            raise ValueError(f"ply {line.ply} where {len(record.entries)} belongs")
        if not SIMULTANEOUS <= line.player < len(record.header.agents):
            raise ValueError(f"there is no player {line.player}")
        if len(line.actions) != (len(record.header.agents) if line.player == SIMULTANEOUS else 1):
            raise ValueError(f"{len(line.actions)} actions at ply {line.ply}")
        _check_players(line, len(record.header.agents), line.beliefs)
    else:
        if line.plies != len(record.entries):
            raise ValueError(f"the ending counts {line.plies} plies, the record holds {len(record.entries)}")
        _check_players(line, len(record.header.agents))
    record.add(line)
    return record


def _check_players(line: Line, players: int, beliefs: Beliefs | None = None) -> None:
    """Require that everything said per player is said of as many as there are, and can be shown."""
    for label, held in (beliefs or {}).items():
        if len(held) != players:
            raise ValueError(f"{label} has beliefs about {len(held)} of {players} players")
        if not all(-1e-6 <= share <= 1.000001 for belief in held for share in belief.values()):
            raise ValueError(f"{label} holds a share outside 0 to 1")
    if isinstance(line, Ending) and (len(line.returns), len(line.strikes)) != (players, players):
        raise ValueError(f"returns and strikes are those of {players} players")
    named = [*line.forfeits] if isinstance(line, Ending) else []
    named += [fault.player for fault in getattr(line, "faults", ())]
    if not all(0 <= player < players for player in named):
        raise ValueError(f"there are players 0 to {players - 1} only")
    if not _is_printable(msgspec.to_builtins(line)):
        raise ValueError("it holds control characters")


def _is_printable(value: Any) -> bool:
    """Whether all text inside can be shown on a terminal."""
    if isinstance(value, dict):
        return all(map(_is_printable, value.keys())) and all(map(_is_printable, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_printable, value))
    return value.isprintable() if isinstance(value, str) else True


def _whole_blocks(data: bytes) -> tuple[int, str | None, bool]:
    """Where the last whole block ends, what is wrong behind it, and whether it was the last one.

    A process killed while it wrote leaves whole blocks only, so anything else is damage (RFC 8878, 3.1.1.2).
    """
    try:
        position = zstandard.frame_header_size(data)
    except zstandard.ZstdError:
        return 0, "cut off inside its first bytes", False
    checksum = 4 if data[4] & 4 else 0
    while position < len(data):
        header = int.from_bytes(data[position : position + 3], "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        end = position + 3 + (1 if kind == 1 else size) + (checksum if last else 0)
        if position + 3 > len(data) or end > len(data):
            return position, f"cut off inside a block at byte {position}", False
        position = end
        if last:
            trailing = len(data) - position
            return position, f"{trailing} bytes of something else follow the record" if trailing else None, True
    return position, None, False


def mover_name(player: int) -> str:
    """Who made an entry's move, in words."""
    return {CHANCE: "chance", SIMULTANEOUS: "all"}.get(player, f"player {player}")
