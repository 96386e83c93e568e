"""Structs: plain objects and packed rows of the same fields, and kernels over both."""

import pickle
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.kernels import jit_enabled, kernel, machine_code
from kibitz.core.kernels.random import Draws, Rng, next_below, next_unit
from kibitz.core.kernels.structs import (
    Struct,
    ints,
    lists,
    number,
    rows,
    size,
    table,
    zeros,
)
from kibitz.core.seeds import kernel_stream


class Stack(Struct):
    area: int = number(bits=16)
    cargo: list[int] = ints(2, bits=8)


class Island(Struct):
    areas: int = size()
    room: int = size()
    phase: int = 0
    owners: list[int] = ints(areas, default=-1, bits=8)
    routes: list[list[int]] = ints(areas, 2)
    near: list[list[int]] = lists(areas)
    stacks: list[Stack] = rows(Stack, room)


def island(room: int = 3) -> Island:
    near = [[1], [0, 2], []]
    stacks = [Stack(area=3, cargo=[1, -2]), Stack(area=-9)]
    return Island(areas=3, room=room, near=near, stacks=stacks)


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
    spare = land.stacks[0].copy()
    spare.area, spare.cargo[1] = -7, 9
    land.stacks.insert(0, spare)
    del land.stacks[1]
    land.stacks.append(land.stacks[-1])
    grid, spares = table(2, 2), zeros(3, 4)
    grid[1][1] = spares[2] - 1
    land.phase = grid[1][1] + len(land.stacks) + land.stacks[1].area
    return total


@kernel
def add_stack(land: Island, at: int) -> None:
    land.stacks.insert(at, land.stacks[-1])


@kernel
def change_rows(land: Island, change: int, at: int) -> None:
    if change == 0:
        land.stacks.insert(at, land.stacks[at - 1])
    elif change == 1:
        land.stacks.append(land.stacks[at])
    else:
        del land.stacks[at]


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


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 100)), max_size=20))
def test_rows_change_alike(changes: list[tuple[int, int]]) -> None:
    plain = island(room=9)
    row = plain.pack()
    for change, at in changes:
        count = len(plain.stacks)
        if count > 1 if change == 2 else count < 9:
            change_rows(plain, change, at % count)
            machine_code(change_rows)(row, change, at % count)
    assert Island.unpack(row) == plain


@given(st.integers(0, 3), st.integers(0, 4), st.data())
def test_any_struct_is_what_its_row_says(areas: int, room: int, data: st.DataObject) -> None:
    def numbers(bits: int, length: int) -> list[int]:
        return data.draw(
            st.lists(st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1), min_size=length, max_size=length)
        )

    stacks = [Stack(area=numbers(16, 1)[0], cargo=numbers(8, 2)) for _ in range(room)]
    near = [numbers(16, area) for area in range(areas)]
    routes = [numbers(64, 2) for _ in range(areas)]
    land = Island(areas=areas, room=room, near=near, stacks=stacks, owners=numbers(8, areas), routes=routes)
    assert Island.unpack(land.pack()) == land.copy() == land


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


def test_records_round_trip() -> None:
    land = island()
    explore(land, Draws(kernel_stream(2, "x")))
    assert Island.unpack(land.pack()).key() == land.key()
    assert msgspec.json.decode(msgspec.json.encode(land), type=Island) == land
    assert pickle.loads(pickle.dumps(land)) == land
    assert eval(repr(land)) == land
    assert Island.view(land.pack())["owners"].tolist() == land.owners


@pytest.mark.parametrize("wrong", ['{"areas":1}', '{"areas":"x"}', "[]"])
def test_wrong_json_is_refused(wrong: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(wrong, type=Island)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"owners": [1]}, r"Island.owners: its lengths are \(1,\), not \(3,\)"),
        ({"owners": [1] * 4}, r"Island.owners: its lengths are \(4,\), not \(3,\)"),
        ({"routes": [[1], [2], [3]]}, r"Island.routes: its lengths are \(3, 1\), not \(3, 2\)"),
        ({"routes": [[1, 2], [2, 3], [3]]}, "Island.routes: .* inhomogeneous"),
        ({"near": []}, r"Island.near: its lengths are \(0,\), not \(3,\)"),
        ({"stacks": [Stack(area=1)] * 4}, "Island.stacks: there are 4 rows, not at most 3"),
        ({"stacks": [Stack(area=1, cargo=[1])]}, r"Stack.cargo: its lengths are \(1,\), not \(2,\)"),
    ],
)
def test_wrong_lengths_are_refused(changed: dict[str, object], message: str) -> None:
    values = {name: getattr(island(), name) for name in Island.FIELDS}
    wrong = Island(**{**values, **changed})
    with pytest.raises(ValueError, match=message):
        wrong.pack()
    with pytest.raises(ValueError, match=message):
        msgspec.json.decode(msgspec.json.encode(wrong), type=Island).pack()


class Atoll(Island):
    lagoons: int = number(2, bits=8)
    depths: list[int] = ints(Island.FIELDS["areas"], bits=16)


def test_a_struct_has_the_fields_of_the_one_it_extends() -> None:
    land = Atoll(areas=2, room=1, depths=[3, 4], near=[[1], [0]])
    copied = Atoll.unpack(land.pack())
    assert copied == land.copy() == land
    assert copied.owners == [-1, -1]
    copied.owners[0] = 1
    assert copied.key() != land.key()


def test_declarations_that_cannot_be_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Bad.copy: .* no name that every struct has"):
        type(Struct)("Bad", (Struct,), {"__annotations__": {"copy": int}})
    with pytest.raises(TypeError, match=r"Bad.heaps: a field has an annotation"):
        type(Struct)("Bad", (Struct,), {"heaps": size()})
    with pytest.raises(TypeError, match="Island has sizes of its own"):
        rows(Island, 3)


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(OverflowError):
        Island(areas=1, room=0, owners=[128]).pack()


PLAIN = """
import sys
from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Struct

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
