"""Records: written while playing, read back whole, replayed exactly, and never trusted."""

from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadRecord, ReplayMismatch, Unwritable
from kibitz.core.match.play import play, playing
from kibitz.core.records import MAGIC, Record, RecordWriter, read_record, record_from_bytes
from kibitz.core.records.replay import replaying

GAMES = {
    "dilemma(rounds=9)": ["dilemma.pavlov", "random"],
    "kuhn": ["kuhn.bluffer", "random", "kuhn.rock"],
    "offers(pool=[40, 40, 40])": ["random", "offers.greedy"],
    "pennies": ["pennies.copycat", "random"],
}


@cache
def sample() -> Record:
    return play("kuhn", GAMES["kuhn"], models=["strategy_filter"], seed=5)


@pytest.mark.parametrize("game", GAMES)
def test_the_file_holds_what_was_played(game: str, tmp_path: Path) -> None:
    path = tmp_path / "match.krec"
    record = play(game, GAMES[game], models=["strategy_filter"], seed=3, path=path)
    assert read_record(path) == record == record_from_bytes(record.to_bytes())
    assert record.complete


@pytest.mark.parametrize("game", GAMES)
def test_replay_reproduces_every_state(game: str) -> None:
    moments = list(playing(game, GAMES[game], models=["strategy_filter"], seed=8))
    again = list(replaying(moments[-1].record))
    assert [moment.state.key() for moment in again] == [moment.state.key() for moment in moments]
    assert [moment.beliefs for moment in again] == [moment.beliefs for moment in moments]


def test_another_model_can_be_put_over_an_old_record() -> None:
    record = sample()
    recorded = [entry.beliefs["strategy_filter"] for entry in record.entries]
    same = [moment.beliefs["strategy_filter"] for moment in replaying(record, models=["strategy_filter"])]
    assert same[1:] == recorded
    other = list(replaying(record, models=["strategy_filter(unknown=0.5)@2"]))[-1].beliefs
    assert list(other) == ["strategy_filter(unknown=0.5)@2"]
    assert other["strategy_filter(unknown=0.5)@2"] != recorded[-1]


def test_truths_are_kept_and_change_when_the_cards_are_dealt() -> None:
    record = sample()
    assert record.header.truths == [{"strategy": agent} for agent in record.header.agents]
    last = [entry.truths for entry in record.entries if entry.truths][-1]
    assert [set(truth) for truth in last] == [{"strategy", "card"}] * 3


def written(record: Record) -> bytes:
    """The file as it is written event by event."""
    with TemporaryDirectory() as folder, RecordWriter(Path(folder) / "match.krec") as writer:
        for line in record.lines():
            writer.write(line)
        return writer.path.read_bytes()


def cut_after(events: int) -> bytes:
    """The file as a process killed after so many events leaves it."""
    return written(Record(sample().header, sample().entries[:events]))


@pytest.mark.parametrize("events", [0, 1, 4])
def test_what_a_killed_process_leaves_is_read_as_far_as_it_goes(events: int) -> None:
    prefix = cut_after(events)
    assert written(sample()).startswith(prefix)
    record = record_from_bytes(prefix)
    assert record_from_bytes(record.to_bytes()) == record
    assert (record.complete, len(record.entries)) == (False, events)
    assert len(list(replaying(record))) == events + 1


def is_prefix(found: Record) -> bool:
    """Whether a record is the beginning of the sample."""
    same = (found.header, found.entries) == (sample().header, sample().entries[: len(found.entries)])
    return same and (found.ending is None or found == sample())


@pytest.mark.parametrize("one_go", [False, True])
def test_every_cut_is_read_as_far_as_it_goes(one_go: bool) -> None:
    data = sample().to_bytes() if one_go else written(sample())
    assert len(sample().to_bytes()) < len(written(sample()))
    for length in range(len(data)):
        with suppress(BadRecord) if one_go or length < len(cut_after(0)) else nullcontext():
            assert is_prefix(record_from_bytes(data[:length]))


@given(st.data(), st.booleans())
def test_a_flipped_byte_is_noticed(data: st.DataObject, one_go: bool) -> None:
    good = sample().to_bytes() if one_go else written(sample())
    place = data.draw(st.integers(0, len(good) - 1))
    bit = data.draw(st.integers(0, 7))
    bad = bytearray(good)
    bad[place] ^= 1 << bit
    try:
        found = record_from_bytes(bytes(bad))
    except BadRecord:
        return
    assert is_prefix(found)  # a bit that zstd does not use, or one of a length, which cuts it off


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(junk: bytes) -> None:
    for data in (junk, MAGIC + junk, zstandard.compress(junk)):
        with pytest.raises(BadRecord):
            record_from_bytes(data)


def rewritten(record: Record, change: dict[int, dict[str, object]]) -> bytes:
    """The file with some fields of some lines changed."""
    lines = []
    for number, line in enumerate(record.lines()):
        plain = msgspec.json.decode(msgspec.json.encode(line))
        plain.update(change.get(number, {}))
        lines.append(msgspec.json.encode(plain) + b"\n")
    return zstandard.compress(b"".join(lines))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({0: {"format": "chess"}}, "format 'chess'"),
        ({0: {"version": 99}}, "version 99, but kibitz reads"),
        ({0: {"seed": "x"}}, "line 1"),
        ({2: {"ply": 7}}, "line 3.*ply 7, expected 1"),
        ({2: {"player": 9}}, "no player 9"),
        ({2: {"actions": ["a", "b"]}}, "2 actions"),
        ({2: {"type": "strange"}}, "line 3"),
        ({1: {"type": "header"}}, "line 2"),
        ({7: {"plies": 3}}, "counts 3 plies"),
        ({7: {"returns": [1.0]}}, "must be for 3 players"),
        ({7: {"strikes": [1]}}, "must be for 3 players"),
        ({7: {"forfeits": [9]}}, "players 0 to 2 only"),
        ({3: {"faults": [{"player": 99, "kind": "late", "message": "x"}]}}, "players 0 to 2 only"),
        ({3: {"beliefs": {"m": [{}]}}}, "beliefs about 1 of 3"),
        ({3: {"beliefs": {"m": [{"a": 1e308}, {}, {}]}}}, "share outside"),
        ({0: {"agents": ["\x1b[31m", "b", "c"]}}, "control characters"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(change: dict[int, dict[str, object]], why: str) -> None:
    record = sample()
    assert len(record.entries) == 6
    with pytest.raises(BadRecord, match=why):
        record_from_bytes(rewritten(record, change))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({0: {"game": "kuhn(players=4)"}}, "3 agents, but 4 players"),
        ({1: {"player": 0}}, "a move of player 0, but chance is to move"),
        ({1: {"actions": ["deal Z"]}}, "may not play 'deal Z'"),
        ({4: {"actions": ["fold"]}}, "may not play 'fold'"),
        ({0: {"hash": "0000"}}, "at the start"),
        ({3: {"hash": "0000"}}, "after ply 2"),
        ({7: {"returns": [9.0, 9.0, 9.0]}}, "the returns are"),
        ({7: {"returns": [9.0, 9.0, 9.0], "forfeits": [0]}}, "the returns are"),
        ({7: {"reason": "max_plies"}}, "ended by 'max_plies'"),
    ],
)
def test_a_record_that_the_rules_do_not_reproduce_is_refused(change: dict[int, dict[str, object]], why: str) -> None:
    record = record_from_bytes(rewritten(sample(), change))
    with pytest.raises(ReplayMismatch, match=why):
        list(replaying(record))


@pytest.mark.long
def test_a_bomb_is_refused() -> None:
    blanks, deep = b"\n" * (64 << 20), b'{"truths":[' + b"{}," * (20 << 20)
    for bomb in (bytes(64 << 20), blanks, deep):
        with pytest.raises(BadRecord, match="line 1 is not a valid line"):
            record_from_bytes(zstandard.compress(bomb))


def test_a_file_that_exists_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "match.krec"
    path.write_bytes(b"precious")
    with pytest.raises(Unwritable, match="exists already"):
        RecordWriter(path)
    assert path.read_bytes() == b"precious"


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Unwritable, match="no such file or directory"):
        play("dilemma", ["random", "random"], path=tmp_path / "none" / "match.krec")
    with pytest.raises(BadRecord, match="no such file"):
        read_record(tmp_path / "none")
    with pytest.raises(BadRecord, match="is a directory"):
        read_record(tmp_path)


def test_a_full_disk_keeps_what_was_written(tmp_path: Path) -> None:
    class Full:
        def __init__(self, file: object) -> None:
            self.file, self.left = file, 4

        def write(self, data: bytes) -> int:
            self.left -= 1
            if not self.left:
                self.file.write(data[:5])  # type: ignore[attr-defined]
                raise OSError(28, "No space left on device")
            return self.file.write(data)  # type: ignore[attr-defined, no-any-return]

        def truncate(self, size: int) -> None:
            self.file.truncate(size)  # type: ignore[attr-defined]

        def close(self) -> None:
            self.file.close()  # type: ignore[attr-defined]

    writer = RecordWriter(tmp_path / "match.krec")
    writer.file = Full(writer.file)  # type: ignore[assignment]
    lines = list(sample().lines())
    for line in lines[:3]:
        writer.write(line)
    with pytest.raises(Unwritable, match="no space left on device; everything before it is saved"):
        writer.write(lines[3])
    writer.close()
    assert len(read_record(tmp_path / "match.krec").entries) == 2
