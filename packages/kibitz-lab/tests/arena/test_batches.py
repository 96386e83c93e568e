"""Matches that kernels play are those of the loop, seed by seed; packed records are read back as they were played."""

from collections import OrderedDict

import msgspec
import pytest

from kibitz.core.errors import BadRecord
from kibitz.core.kernels import jit_enabled
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch, play
from kibitz.core.records import Record, record_from_bytes
from kibitz.core.records.packed import PackedRecord
from kibitz_lab.arena.series import Series, compiled_agents, played_batch, played_series
from kibitz_lab.store.results import StoredMatch

compiler = pytest.mark.skipif(not jit_enabled(), reason="needs the compiler")


def without_times(match: StoredMatch) -> tuple[Record, object]:
    row = msgspec.structs.replace(match.result, seconds=())
    return record_from_bytes(match.record).without_times(), row


def same_by_both(series: list[Series]) -> None:
    """Require that kernels play all series, and the same matches as the loop."""
    assert all(compiled_agents(each) is not None for each in series)
    for each, compiled in zip(series, played_batch(series), strict=True):
        slow = played_series(each, OrderedDict())
        assert list(map(without_times, compiled)) == list(map(without_times, slow)), str(each)


@compiler
@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "agents"),
    [
        ("risk(players=2)", ("mission", "mission(w=20)")),
        ("risk", ("mission", "mission(w=20)", "mission(w=1)")),
        ("risk(players=2, mode=domination, setup=draft)", ("mission", "mission")),
    ],
)
def test_matches_of_risk_are_the_same_by_both(game: str, agents: tuple[str, ...]) -> None:
    same_by_both([Series(0, 0, game, agents, agents, (4, 5))])


@compiler
def test_the_loop_plays_what_kernels_cannot() -> None:
    plain = Series(0, 0, "risk(players=2)", ("mission", "mission"), ("mission", "mission"), (1,))
    assert compiled_agents(plain) is not None
    for options in (MatchOptions(opening=2), MatchOptions(models=("risk.choice",)), MatchOptions(max_plies=5)):
        assert compiled_agents(msgspec.structs.replace(plain, options=options)) is None
    assert compiled_agents(msgspec.structs.replace(plain, agents=("mission", "random"))) is None


@pytest.mark.parametrize(
    ("game", "agents", "options"),
    [
        ("dilemma(rounds=9, noise=0.3)", ["tit_for_tat", "generous"], {}),
        ("dilemma(rounds=9)", ["tit_for_tat", "pavlov"], {"models": ["strategy_filter"], "insights": True}),
        ("pawns", ["random", "random"], {"opening": 3}),
        ("kuhn(players=2)", ["random", "random"], {"models": ["strategy_filter"]}),
        ("trails", ["random", "random"], {"max_plies": 12}),
        ("offers", ["random", "random"], {}),
    ],
)
def test_a_packed_record_is_read_as_the_full_one(game: str, agents: list[str], options: dict[str, object]) -> None:
    full = play(game, agents, seed=5, **options).without_times()
    packed = RecordedMatch(game, agents, MatchOptions(seed=5, **options)).play_packed()  # type: ignore[arg-type]
    assert isinstance(packed, PackedRecord)
    read = record_from_bytes(packed.to_bytes())
    assert read.without_times() == full
    assert [len(entry.seconds) for entry in read.entries if entry.seconds]


def test_damaged_packed_records_are_refused() -> None:
    packed = RecordedMatch("dilemma(rounds=5)", ["grim", "random"], MatchOptions(seed=1)).play_packed()
    data = packed.to_bytes()
    for place in range(len(data)):
        with pytest.raises(BadRecord):
            record_from_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    with pytest.raises(BadRecord, match="checksum"):
        record_from_bytes(data[:-1])


def test_a_packed_record_of_other_rules_is_refused() -> None:
    packed = RecordedMatch("dilemma(rounds=5)", ["grim", "random"], MatchOptions(seed=1)).play_packed()
    assert isinstance(packed, PackedRecord)
    packed.header = packed.header.replace(b"rounds=5", b"rounds=4")
    with pytest.raises(BadRecord, match="rules"):
        record_from_bytes(packed.to_bytes())
