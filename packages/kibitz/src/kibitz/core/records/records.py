"""Records: a match as JSON lines under zstd; written block by block, a killed process leaves a readable prefix."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec
import zstandard

from kibitz.core.agent import TimeControl
from kibitz.core.errors import BadRecord, Unwritable, reason
from kibitz.core.files import read_bytes, wrap_os_errors
from kibitz.core.game import CHANCE, SIMULTANEOUS
from kibitz.core.insight import Beliefs, Insight
from kibitz.core.kit.numbers import Measure

RESIGNED = "resigned"
"""The kind of fault of a player who resigns."""


class Fault(msgspec.Struct, frozen=True):
    """A player's failure: an error, an illegal or late action (the default was played instead), or resigning."""

    player: int
    kind: str
    message: str


class PastEvent(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the record of an event holds of it: enough to have it happen again."""

    ply: int
    player: int
    actions: tuple[str, ...]
    seconds: tuple[float, ...] = ()
    faults: tuple[Fault, ...] = ()
    chosen: tuple[bool, ...] = ()
    """Whether each player chose their action; empty if all did, or if chance moved. Given events, drawn opening moves,
    and the default actions of players who failed or have forfeited are not chosen."""


FORMAT, VERSION = "kibitz record", 1
MAGIC = b"\x28\xb5\x2f\xfd"
PACKED = b"kib\x02"
"""The first bytes of a packed record (`records.packed`); all others are zstd frames."""
LONGEST = 1 << 22
"""Largest line of a record, in bytes."""

LARGEST = 1 << 28
"""Largest record file, in bytes."""

HASH_EVERY = 8
"""Number of plies between state hashes in the record, with which replay detects changed rules."""

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
    """Number of first moves that were drawn at random."""
    given: int = 0
    """Number of first events taken from another match, before the random ones."""
    started: str = ""
    hash: str
    truths: Truths = []
    beliefs: Beliefs = {}
    insights: tuple[Insight, ...] | msgspec.UnsetType = msgspec.UNSET
    """The models' insights before the first event, if the record keeps them."""
    recalled: dict[str, list[int]] | msgspec.UnsetType = msgspec.UNSET
    """For each model, how many earlier matches of each player it remembered, if it began with a memory."""
    packages: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    """The other packages that the rules come from, with their versions, if there are any."""


class Entry(PastEvent, frozen=True, tag="event", omit_defaults=True):
    """A line per event: the actions, the times, the faults, and every model's belief afterwards."""

    beliefs: Beliefs = msgspec.field(default_factory=dict)
    truths: Truths | None = None
    """Present if this event changed a truth."""
    hash: str | None = None
    """Hash of the state after the event; present at intervals."""
    insights: tuple[Insight, ...] = ()
    """The models' insights after the event, if the record keeps them."""


class Ending(msgspec.Struct, frozen=True, tag="ending"):
    """The last line: the result. A record without it is incomplete."""

    returns: list[float]
    reason: str
    plies: int
    strikes: tuple[int, ...]
    forfeits: tuple[int, ...]
    hash: str
    faults: tuple[Fault, ...] = ()
    model_errors: dict[str, str] = {}
    debriefs: dict[int, dict[str, str]] | msgspec.UnsetType = msgspec.UNSET
    """People's answers about their play, by player: question to answer."""
    measures: tuple[Measure, ...] | msgspec.UnsetType = msgspec.UNSET
    """What the game measures of the whole match, if it measures anything; see `core.records.replay`."""


Line = Header | Entry | Ending


class Record(msgspec.Struct):
    """A match, complete or cut off."""

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
        """Append the next line."""
        if isinstance(line, Entry):
            self.entries.append(line)
        else:
            self.ending = line

    def without_times(self) -> "Record":
        """The record without times: equal for equal specs and seeds on every machine."""
        header = msgspec.structs.replace(self.header, started="")
        entries = [msgspec.structs.replace(entry, seconds=()) for entry in self.entries]
        return Record(header, entries, self.ending)

    def watch(self, models: Sequence[str], beliefs: Sequence[Beliefs]) -> None:
        """Set the models' labels, and their beliefs at the start and after every event."""
        start, *later = beliefs
        self.header = msgspec.structs.replace(self.header, models=tuple(models), beliefs=start, insights=msgspec.UNSET)
        pairs = zip(self.entries, later, strict=True)
        self.entries = [msgspec.structs.replace(entry, beliefs=held, insights=()) for entry, held in pairs]

    def insights(self, number: int) -> tuple[Insight, ...]:
        """Every model's insight after *number* events, as far as the record holds it."""
        line = self.header if number == 0 else self.entries[number - 1]
        kept = {each.label: each for each in line.insights or ()}
        watched = [kept.get(label, Insight(label)) for label in dict.fromkeys((*line.beliefs, *kept))]
        return tuple(msgspec.structs.replace(each, beliefs=tuple(line.beliefs.get(each.label, ()))) for each in watched)

    def to_bytes(self) -> bytes:
        """The bytes that `RecordWriter` writes, compressed at once; without an ending the frame stays open."""
        text = msgspec.json.Encoder().encode_lines(list(self.lines()))
        if self.complete:
            return zstandard.ZstdCompressor(write_checksum=True).compress(text)
        return _compress_block(zstandard.ZstdCompressor(write_checksum=True).compressobj(), text)


class RecordWriter:
    """Writes a record while it is played; every line is written before the next event.

    With *replace*, a file of that name stays as it is until `take_over` puts the new one in its place.
    """

    def __init__(self, path: Path | str, *, replace: bool = False) -> None:
        self.path, self.replace = Path(path), replace
        with wrap_os_errors(path):
            if not replace and self.path.exists():
                raise Unwritable(path, "it exists already; choose another name or delete it first")
            self.file = self.beside().open("wb", buffering=0) if replace else self.path.open("xb", buffering=0)
        self.compressor = zstandard.ZstdCompressor(write_checksum=True).compressobj()
        self.size = 0

    def beside(self) -> Path:
        """The name under which a new version of a file is written."""
        return self.path.with_name(self.path.name + ".new")

    def take_over(self) -> None:
        """Put the new version of a file in the place of the old one; later lines go there."""
        if self.replace:
            self.beside().replace(self.path)
            self.replace = False

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
            self.file.truncate(self.size)  # half a block would make the others unreadable
            raise Unwritable(self.path, f"{reason(error)}; everything before it is saved") from None
        self.size += len(data)

    def close(self) -> None:
        """Close the file; without an ending it stays a readable prefix."""
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def _compress_block(compressor: Any, text: bytes) -> bytes:
    """*text* as a complete block."""
    packed: bytes = compressor.compress(text) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    return packed


def read_record(path: Path | str) -> Record:
    """The record in a file. The record of a killed process is returned without an ending.

    >>> from tempfile import TemporaryDirectory
    >>> from kibitz import play, read_record
    >>> with TemporaryDirectory() as folder:
    ...     _ = play("dilemma(rounds=2)", ["random", "dilemma.grim"], seed=1, path=f"{folder}/match.krec")
    ...     print(read_record(f"{folder}/match.krec").header.game)
    dilemma(rounds=2)
    """
    return record_from_bytes(read_bytes(path, BadRecord, LARGEST), path)


def record_from_bytes(data: bytes, source: object = "record") -> Record:
    """The record that `Record.to_bytes` or a RecordWriter made, as far as the bytes go; damage raises BadRecord."""
    if not data:
        raise BadRecord(source, "the file is empty")
    if data.startswith(PACKED):
        from kibitz.core.records.packed import unpack_record

        return unpack_record(data, source)
    if not data.startswith(MAGIC):
        raise BadRecord(source, "not a kibitz record (those are zstd files, written with --record)")
    record: Record | None = None
    number = 0
    try:
        for raw in _lines(data):
            number += 1
            record = add_line(record, msgspec.json.decode(raw, type=Line))
    except zstandard.ZstdError as error:
        damage = str(error).removeprefix("zstd decompressor error: ").lower()
        raise BadRecord(source, f"damaged: {damage}") from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        why = str(error).replace("`", "")
        raise BadRecord(source, f"line {number} is not a valid line of a record: {why}") from None
    if record is None:
        raise BadRecord(source, "empty: no match was started in it")
    return record


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines, decompressed one by one, so that a file that is no record is noticed before it fills the memory."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
    rest = b""
    for start in range(0, len(data), 512):
        *lines, rest = (rest + unpacker.decompress(data[start : start + 512])).split(b"\n")
        yield from lines
        if unpacker.eof and (unpacker.unused_data or data[start + 512 :]):
            raise ValueError("other bytes follow the record")
        if len(rest) > LONGEST:
            break
    if len(rest) > LONGEST or (unpacker.eof and rest):  # a line that is cut off is left out
        yield rest[:LONGEST]


def add_line(record: Record | None, line: Line) -> Record:
    """*record* with one more line, which must be the expected one."""
    if isinstance(line, Header):
        if record is not None:
            raise ValueError("a second header")
        if (line.format, line.version) != (FORMAT, VERSION):
            raise ValueError(f"format {line.format!r} version {line.version}, but kibitz reads {FORMAT!r} {VERSION}")
        _check_players(line, len(line.agents), line.beliefs)
        return Record(line)
    if record is None:
        raise ValueError("the header is missing")
    if record.ending is not None:
        raise ValueError("it comes after the ending")
    if isinstance(line, Entry):
        if line.ply != len(record.entries):
            raise ValueError(f"ply {line.ply}, expected {len(record.entries)}")
        if not SIMULTANEOUS <= line.player < len(record.header.agents):
            raise ValueError(f"there is no player {line.player}")
        if len(line.actions) != (len(record.header.agents) if line.player == SIMULTANEOUS else 1):
            raise ValueError(f"{len(line.actions)} actions at ply {line.ply}")
        if line.chosen and len(line.chosen) != len(line.actions):
            raise ValueError(f"ply {line.ply} says of {len(line.chosen)} of {len(line.actions)} actions who chose them")
        _check_players(line, len(record.header.agents), line.beliefs)
    else:
        if line.plies != len(record.entries):
            raise ValueError(f"the ending counts {line.plies} plies, the record holds {len(record.entries)}")
        _check_players(line, len(record.header.agents))
    record.add(line)
    return record


def _check_players(line: Line, players: int, beliefs: Beliefs | None = None) -> None:
    """Require that all lists per player have the right length, and that all text can be shown."""
    for label, held in (beliefs or {}).items():
        if len(held) != players:
            raise ValueError(f"{label} has beliefs about {len(held)} of {players} players")
        if not all(-1e-6 <= share <= 1.000001 for belief in held for share in belief.values()):
            raise ValueError(f"{label} holds a share outside 0 to 1")
    if isinstance(line, Ending) and (len(line.returns), len(line.strikes)) != (players, players):
        raise ValueError(f"returns and strikes must be for {players} players")
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


def mover_name(player: int) -> str:
    """The mover of an entry, in words."""
    return {CHANCE: "chance", SIMULTANEOUS: "all"}.get(player, f"player {player}")
