"""Structs: plain objects and packed rows of the same fields, and kernels over both."""

import operator
import pickle
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core import drawing
from kibitz.core.drawing.structs import draw_struct
from kibitz.core.kernels import jit_enabled, kernel, machine_code
from kibitz.core.kernels.position import (
    WORD,
    Struct,
    Word,
    Words,
    ints,
    lists,
    number,
    rows,
    signed_number,
    size,
    table,
    word,
    words,
    zeros,
)
from kibitz.core.kernels.random import Draws, Rng, next_below, next_unit
from kibitz.core.seeds import kernel_stream


class Stack(Struct):
    area: int = number(bits=16)
    cargo: list[int] = ints(2, bits=8)
    seen: Word = word(7)


class Island(Struct):
    areas: int = size()
    room: int = size()
    phase: int = 0
    owners: list[int] = ints(areas, default=-1, bits=8)
    routes: list[list[int]] = ints(areas, 2)
    near: list[list[int]] = lists(areas, bits=16)
    stacks: list[Stack] = rows(Stack, room)
    board: Word = word(3)
    boards: list[Word] = words(2)


def island(room: int = 3) -> Island:
    near = [[1], [0, 2], []]
    stacks = [Stack(area=3, cargo=[1, -2]), Stack(area=-9)]
    return Island(areas=3, room=room, near=near, stacks=stacks, board=WORD)


LOW = Word(0xFFFF)


@kernel
def visit(land: Island, area: int) -> int:
    for near in land.near[area]:
        land.routes[area][1] += near
    land.routes[area][0] = land.areas
    return len(land.near) + len(land.near[area]) + len(land.near[-1])


@kernel(entry=True)
def explore(land: Island, draws: Rng) -> float:
    total = next_unit(draws)
    for area in range(land.areas):
        total += visit(land, area)
        land.owners[area] = next_below(draws, 100)
    land.board = (land.board << 60) + LOW & ~Word(1)
    land.boards[1] = land.board >> Word(3)
    spare = land.stacks[0].copy()
    spare.area, spare.cargo[1] = -7, 9
    land.stacks.insert(0, spare)
    del land.stacks[1]
    land.stacks.append(land.stacks[-1])
    grid, list_ = table(2, 2), zeros(3, 4)
    grid[1][1] = signed_number(~Word(0)) + list_[2]
    land.phase = grid[1][1] + len(land.stacks) + land.stacks[1].area
    return total


@kernel
def add_stack(land: Island, at: int) -> None:
    land.stacks.insert(at, land.stacks[-1])


@kernel
def restore(land: Island, other: Island) -> None:
    land.assign(other)


def test_plain_and_compiled_kernels_agree_bit_for_bit() -> None:
    plain, row = island(), island().pack()
    draws, state = Draws(kernel_stream(1, "x")), kernel_stream(1, "x")
    assert explore(plain, draws) == machine_code(explore)(row, state)
    assert Island.unpack(row) == plain
    assert plain != island()
    assert draws.words == state.tolist()
    assert (row == plain.pack()).all()


def test_one_kernel_serves_all_sizes() -> None:
    large = Island(areas=40, room=9, near=[list(range(area)) for area in range(40)])
    row = large.pack()
    assert machine_code(visit)(row, 39) == visit(large, 39)
    assert Island.unpack(row) == large


@kernel
def visit_all(lands: list[Island], spare: Island) -> int:
    for each in range(len(lands)):
        visit(lands[each], 1)
    spare.assign(lands[-1])
    return len(lands)


def test_an_array_of_rows_is_a_list_of_structs() -> None:
    plain, spare = [island(), island(room=3)], island()
    rows, other = np.array([each.pack() for each in plain]), spare.pack()
    assert machine_code(visit_all)(rows, other) == visit_all(plain, spare) == 2
    assert [Island.unpack(row) for row in rows] == plain
    assert Island.unpack(other) == spare == plain[1]


def test_a_row_too_many_is_refused_and_nothing_is_written() -> None:
    for structs in (2, 3):
        plain = island(room=2)
        row = plain.pack()
        before = row.copy()
        with pytest.raises(OverflowError, match="no room"):
            add_stack(plain, structs - 2)
        with pytest.raises(OverflowError, match="no room"):
            machine_code(add_stack)(row, structs - 2)
        assert (row == before).all()
        assert plain == island(room=2)


@pytest.mark.skipif(not jit_enabled(), reason="checks compiled code")
def test_a_kernel_takes_rows_of_its_record_only() -> None:
    row = island().pack()
    for wrong in (row[1:].copy(), row[:-1].copy(), Stack(area=1).pack()):
        with pytest.raises(ValueError, match="no row of Island"):
            machine_code(add_stack)(wrong, 0)
    with pytest.raises(TypeError):
        machine_code(add_stack)(island(), 0)


def test_a_record_is_assigned_whole() -> None:
    plain, row = island(), island().pack()
    explore(plain, Draws(kernel_stream(1, "x")))
    machine_code(restore)(row, plain.pack())
    assert Island.unpack(row) == plain
    other = island()
    restore(other, plain)
    assert other == plain
    assert other.stacks[0] is not plain.stacks[0]


def test_a_struct_of_other_sizes_is_not_assigned() -> None:
    for restored, rows_ in ((restore, (island(), island(room=9))), (machine_code(restore), None)):
        first, second = rows_ or (island().pack(), island(room=9).pack())
        with pytest.raises(ValueError, match="same sizes"):
            restored(first, second)


def test_copies_are_independent() -> None:
    first = island()
    second = first.copy()
    explore(second, Draws(kernel_stream(1, "x")))
    assert first == island()
    assert first.key() != second.key()


def test_records_round_trip() -> None:
    land = island()
    explore(land, Draws(kernel_stream(2, "x")))
    assert Island.unpack(land.pack()).key() == land.key()
    assert Island.from_json(land.to_json()) == land
    assert Island.from_fields(land.fields()) == land
    assert pickle.loads(pickle.dumps(land)) == land
    assert eval(repr(land)) == land
    assert Island.view(land.pack())["owners"].tolist() == land.owners


@pytest.mark.parametrize("wrong", ['{"areas":1}', '{"areas":"x"}', "[]"])
def test_wrong_json_is_refused(wrong: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        Island.from_json(wrong)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"owners": [1]}, "owners: a list has length 1, not 3"),
        ({"routes": [[1], [2], [3]]}, "routes: a list has length 1, not 2"),
        ({"near": []}, "near: a list has length 0, not 3"),
        ({"stacks": [Stack(area=1)] * 4}, "stacks: a list has length 4, not at most 3"),
    ],
)
def test_wrong_lengths_are_refused(changed: dict[str, object], message: str) -> None:
    values = {name: getattr(island(), name) for name in Island.FIELDS}
    wrong = Island(**{**values, **changed})
    with pytest.raises(ValueError, match=message):
        wrong.pack()
    with pytest.raises(ValueError, match=message):
        Island.from_json(wrong.to_json())


def test_declarations_that_cannot_be_are_refused() -> None:
    with pytest.raises(TypeError, match="copy: every struct has"):
        type(Struct)("Bad", (Struct,), {"__annotations__": {"copy": int}})
    with pytest.raises(TypeError, match="heaps needs an annotation"):
        type(Struct)("Bad", (Struct,), {"heaps": size()})
    with pytest.raises(TypeError, match="Island has sizes of its own"):
        rows(Island, 3)


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(OverflowError):
        Island(areas=1, room=0, owners=[128]).pack()


@kernel
def calculate(one: Word, two: Word, by: int, out: Words) -> None:
    out[0] = one + two * one - two
    out[1] = (one << by | two >> by) ^ ~two
    out[2] = one // (two | Word(1)) & two
    out[3] = one % (two | Word(1))


@given(st.integers(0, WORD), st.integers(0, WORD), st.integers(0, 63))
def test_words_wrap_alike(one: int, two: int, by: int) -> None:
    plain, state = [Word(0)] * 4, kernel_stream(1, "x")
    calculate(Word(one), Word(two), by, plain)
    machine_code(calculate)(one, two, by, state)
    assert plain == state.tolist()
    assert all(type(each) is Word for each in plain)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor"])
def test_words_and_other_numbers_do_not_mix(name: str) -> None:
    for pair in ((Word(5), 3), (5, Word(3))):
        with pytest.raises(TypeError, match=r"write Word\("):
            getattr(operator, name)(*pair)


def test_words_are_shifted_by_less_than_64_bits() -> None:
    with pytest.raises(ValueError, match="64"):
        Word(1) << 64
    with pytest.raises(TypeError, match=r"write Word\(1\)"):
        1 << Word(3)


DRAWN = """
 phase       0
 owners     -1 -1
 routes      0  0
             0  0
 stacks      3  1 -2  7
 board       4
 boards      0  0
an island
"""


def test_a_record_is_drawn_with_all_its_fields() -> None:
    land = Island(areas=2, room=1, stacks=[Stack(area=3, cargo=[1, -2])], board=4)
    drawn = drawing.text(draw_struct(land, "an island"))
    assert [line.split() for line in drawn.splitlines()] == [line.split() for line in DRAWN.strip().splitlines()]


PLAIN = """
import sys
from kibitz.core.kernels import kernel
from kibitz.core.kernels.position import Struct

class Position(Struct):
    stones: int = 21

@kernel
def take(position: Position, count: int) -> None:
    position.stones -= count

position = Position()
take(position, 3)
sys.exit(position.stones != 18 or "numba" in sys.modules or "numpy" in sys.modules)
"""


def test_a_plain_kernel_imports_no_compiler(tmp_path: Path) -> None:
    (tmp_path / "nim.py").write_text(PLAIN, encoding="utf-8")
    assert subprocess.run([sys.executable, tmp_path / "nim.py"], check=False).returncode == 0
