"""Packed records: a match as its seed, its actions as numbers, the times and the result; the arena stores these.

Chance outcomes are among the actions; faults, truths and beliefs are kept beside them. Notation and hashes are made
again on reading, by the rules, and come out as they were: the last state must have the recorded hash.
"""

import zlib
from array import array
from collections.abc import Iterator, Sequence
from math import isnan, nan

import msgspec
import zstandard

from kibitz.core.errors import BadRecord
from kibitz.core.game import SIMULTANEOUS, State, digest
from kibitz.core.insight import Beliefs, Insight
from kibitz.core.records.records import (
    HASH_EVERY,
    LARGEST,
    MAGIC,
    PACKED,
    Ending,
    Entry,
    Fault,
    Header,
    Record,
    Truths,
    add_line,
)

LARGEST_ACTION = (1 << 64) - 1
INVALID = "not a valid packed record"
COMPRESSED = 2048
"""Packed records of more bytes than these are compressed."""


class Details(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the record holds of an event besides its actions and times; most events have none of it."""

    faults: tuple[Fault, ...] = ()
    chosen: tuple[bool, ...] = ()
    beliefs: Beliefs = {}
    truths: Truths | None = None
    insights: tuple[Insight, ...] = ()

    def entry(self, ply: int, player: int, actions: tuple[str, ...], seconds: tuple[float, ...], after: State) -> Entry:
        """The line of the event, which leads to the state *after*."""
        kept = digest(after) if ply % HASH_EVERY == HASH_EVERY - 1 else None
        own = self.faults, self.chosen, self.beliefs, self.truths, kept, self.insights
        return Entry(ply, player, actions, seconds, *own)


NO_DETAILS = Details()


class PackedRecord(msgspec.Struct, array_like=True):
    """The packed form of a complete match."""

    header: bytes
    """JSON of the header, with seed 0, so that matches of a batch share it."""
    seed: int
    actions: list[int]
    """One after another, those of one event in the order of the players."""
    seconds: bytes
    """A float32 for each action, nan where no time was taken; empty if no event has one."""
    ending: Ending
    details: dict[int, Details] = {}
    """By ply."""
    truths_remade: bool = False
    """Whether the truths that change are made again on reading: those of the game, and the names of the agents."""

    def without_times(self, seed: int) -> "PackedRecord":
        """The same match under another seed, without times."""
        started = msgspec.json.decode(self.header, type=Header).started
        header = shared_header(msgspec.structs.replace(self.full_header(), started="")) if started else self.header
        return msgspec.structs.replace(self, header=header, seed=seed, seconds=b"")

    def full_header(self) -> Header:
        """The header, with its seed."""
        return msgspec.structs.replace(msgspec.json.decode(self.header, type=Header), seed=self.seed)

    def to_bytes(self) -> bytes:
        """The bytes to store, with a checksum."""
        body = ENCODER.encode(self)
        if len(body) > COMPRESSED:
            body = zstandard.ZstdCompressor(level=1).compress(body)
        return PACKED + zlib.crc32(body).to_bytes(4, "little") + body


ENCODER = msgspec.msgpack.Encoder()
DECODER = msgspec.msgpack.Decoder(PackedRecord)


class MoveList:
    """The actions and times of a match while it is played; *truths* at its start, if later ones are made again."""

    def __init__(self, truths: Truths | None = None) -> None:
        self.truths = truths
        self.actions: list[int] = []
        self.seconds: list[float] = []
        self.details: dict[int, Details] = {}
        self.plies = 0

    def add(self, actions: Sequence[int], seconds: Sequence[float] = (), details: Details = NO_DETAILS) -> None:
        """Append an event."""
        self.actions += actions
        self.seconds += seconds or (nan,) * len(actions)
        if details != NO_DETAILS:
            self.details[self.plies] = details
        self.plies += 1

    def pack(self, header: Header, ending: Ending) -> PackedRecord | None:
        """The packed record; None if an action is no number of 64 bits."""
        if max(self.actions, default=0) > LARGEST_ACTION:
            return None
        seconds = array("f", self.seconds).tobytes() if not all(map(isnan, self.seconds)) else b""
        return PackedRecord(shared_header(header), header.seed, self.actions, seconds, ending, self.details)

    def entries(self, state: State, players: int) -> Iterator[Entry]:
        """The events in notation, from the initial *state*, which is stepped along."""
        place = 0
        for ply in range(self.plies):
            mover = state.current_player()
            movers = tuple(range(players)) if mover == SIMULTANEOUS else (mover,)
            end = place + len(movers)
            actions, seconds = self.actions[place:end], tuple(self.seconds[place:end])
            place = end
            text = tuple(map(state.action_to_string, movers, actions))
            state.step(actions)
            held = self.details.get(ply, NO_DETAILS)
            if self.truths is not None:
                now_true = [{**known, **state.truth(player)} for player, known in enumerate(self.truths)]
                held = Details(truths=now_true) if now_true != self.truths else held
                self.truths = now_true
            yield held.entry(ply, mover, text, () if not seconds or isnan(seconds[0]) else seconds, state)


def shared_header(header: Header) -> bytes:
    """The header as a packed record holds it, without its seed."""
    return msgspec.json.encode(msgspec.structs.replace(header, seed=0))


def read_packed(data: bytes, source: object) -> PackedRecord:
    """The packed record that `to_bytes` wrote; raises BadRecord if it is damaged."""
    body = data[len(PACKED) + 4 :]
    if zlib.crc32(body).to_bytes(4, "little") != data[len(PACKED) : len(PACKED) + 4]:
        raise BadRecord(source, "damaged: its checksum is wrong")
    try:
        if body.startswith(MAGIC):
            body = zstandard.ZstdDecompressor().decompress(body, max_output_size=LARGEST)
        return DECODER.decode(body)
    except (msgspec.DecodeError, zstandard.ZstdError, ValueError, KeyError) as error:
        raise BadRecord(source, f"{INVALID}: {str(error).replace('`', '')}") from None


def unpack_record(data: bytes, source: object) -> Record:
    """The full record, replayed by the rules; raises BadRecord if it is damaged or they do not reproduce it."""
    from kibitz.core.registry import make_game

    packed = read_packed(data, source)
    try:
        record = add_line(None, packed.full_header())
        moves = MoveList(record.header.truths if packed.truths_remade else None)
        moves.actions = packed.actions
        moves.seconds = array("f", packed.seconds).tolist()
        moves.details, moves.plies = packed.details, packed.ending.plies
    except (msgspec.DecodeError, ValueError, KeyError) as error:
        raise BadRecord(source, f"{INVALID}: {str(error).replace('`', '')}") from None
    game = make_game(record.header.game)
    state = game.new_initial_state()
    changed = "the rules of the game have changed since it was stored, so its moves cannot be written out"
    try:
        if digest(state) == record.header.hash:
            for entry in moves.entries(state, game.players):
                if entry.ply in moves.details:
                    add_line(record, entry)  # checked like a line of a file
                else:
                    record.add(entry)
    except Exception as error:  # rules trust that actions are legal, and may fail in any way
        raise BadRecord(source, f"{changed} ({type(error).__name__} after {len(record.entries)} events)") from None
    if digest(state) != packed.ending.hash or len(record.entries) != packed.ending.plies:
        raise BadRecord(source, changed)
    return add_line(record, packed.ending)
