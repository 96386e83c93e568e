"""The kernel decorator, and the kernels of the core against their Python twins."""

import importlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core import kernels
from kibitz.core.kernels import random as draws
from kibitz.core.kernels.background import (
    DAY,
    UNUSED_DAYS,
    kernel_stamp,
    prune_kernels,
    shared_folder,
)
from kibitz.core.seeds import kernel_stream

scipy = pytest.importorskip("scipy")  # which imports scipy.stats when it is first used
pytest.importorskip("numba")


@pytest.mark.long
@given(st.integers(0, 2**64 - 1), st.integers(1, 10**9))
def test_kernels_draw_what_their_twin_draws(seed: int, count: int) -> None:
    state, twin = kernel_stream(seed, "twin"), draws.Draws(kernel_stream(seed, "twin"))
    for _ in range(5):
        assert int(draws.draw_word(state)) == twin.word()
        assert draws.draw_unit(state) == twin.unit()
        assert draws.draw_below(state, count) == twin.below(count)


def test_draws_follow_their_law() -> None:
    state = kernel_stream(1, "laws")
    numbers = [draws.draw_student(state, 3.0) for _ in range(4000)]
    assert scipy.stats.kstest(numbers, "t", args=(3.0,)).pvalue > 0.001


def test_python_versions_of_kernels_agree_too() -> None:
    state, other = kernel_stream(3, "x"), kernel_stream(3, "x")
    with np.errstate(over="ignore"):
        assert kernels.python_twin(draws.draw_student)(state, 3.0) == pytest.approx(draws.draw_student(other, 3.0))
    assert state.tolist() == other.tolist()


def test_known_words_of_the_generator() -> None:
    """The first words of xoshiro256** from the state 1, 2, 3, 4, as its authors' C code gives them."""
    state = np.array([1, 2, 3, 4], dtype=np.uint64)
    assert [int(draws.draw_word(state)) for _ in range(4)] == [11520, 0, 1509978240, 1215971899390074240]


@pytest.mark.needs("axis")
def test_a_part_is_warmed_up_without_the_others() -> None:
    seen: list[str] = []
    kernels.warm_up(("kibitz_axis.battle", "kibitz.core.kernels.random"), lambda name, number, total: seen.append(name))
    battle = {f"kibitz_axis.battle.{name}" for name in ("losses", "kernels")}
    assert {name.rpartition(".")[0] for name in seen} == {*battle, "kibitz.core.kernels.random"}


PACKAGE = {
    "inner.py": """
from kibitz.core.kernels import kernel

@kernel("int64(int64)")
def inner(x):
    return x + 1
""",
    "outer.py": """
from kibitz.core.kernels import kernel
import inner
from inner import inner as by_name

@kernel("int64(int64)")
def outer(x):
    return 10 * inner.inner(x)

@kernel("int64(int64)")
def named(x):
    return 10 * by_name(x)

@kernel("int64(FunctionType(int64(int64)), int64)")
def twice(f, x):
    return f(f(x))

@kernel("int64(int64)")
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)
""",
}
STRUCTS = {
    "shape.py": """
from typing import Annotated, Any, NamedTuple

class Line(NamedTuple):
    steps: Annotated[Any, "int64[::1]"]
    scale: float
    times: int = 2

class Kernels(NamedTuple):
    step: int
""",
    "walk.py": """
from kibitz.core.kernels import kernel, kernel_at
from shape import Kernels, Line

step_at = kernel_at("int64(int64)")

@kernel("float64(Kernels, Line)")
def walk(kernels: Kernels, line: Line):
    step, total = step_at(kernels.step), 0
    for each in line.steps:
        total += step(each)
    return line.scale * line.times * total
""",
}
WALK = """
import numpy as np, walk
from inner import inner
from kibitz.core.kernels import kernel_address
from shape import Kernels, Line
line = Line(np.arange(4), 0.5)
print(walk.walk(Kernels(kernel_address(inner)), line), walk.walk.dispatcher.stats.cache_hits.total())
"""
USE = "import outer; print(outer.outer(4), outer.twice(outer.outer, 1), outer.fibonacci(10), {extra})"
HITS = "sum(k.dispatcher.stats.cache_hits.total() for k in (outer.outer, outer.named) if outer.named(1))"


def in_package(folder: Path, code: str, **environment: str) -> str:
    """What a process prints that can import the package, which is written unless it is there."""
    for name, source in PACKAGE.items():
        if not (folder / name).exists():
            (folder / name).write_text(source)
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, "KIBITZ_KERNELS": str(folder / "kernels"), **environment}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with its kernels on disk, used once."""
    folder = tmp_path_factory.mktemp("compiled")
    assert in_package(folder, USE.format(extra=HITS)) == "50 210 55 0"
    return folder


@pytest.mark.long
def test_compiled_kernels_are_kept_until_a_kernel_they_call_changes(compiled: Path, tmp_path: Path) -> None:
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    assert in_package(tmp_path, USE.format(extra=HITS)) == "50 210 55 2"
    (tmp_path / "inner.py").write_text(PACKAGE["inner.py"].replace("x + 1", "x + 2  # changed"))
    assert in_package(tmp_path, USE.format(extra=HITS)) == "60 320 55 0"


@pytest.mark.long
def test_structs_and_addresses_are_arguments_and_a_changed_struct_is_noticed(tmp_path: Path) -> None:
    for name, source in STRUCTS.items():
        (tmp_path / name).write_text(source)
    assert in_package(tmp_path, WALK) == "10.0 0"
    assert in_package(tmp_path, WALK) == "10.0 1"
    (tmp_path / "shape.py").write_text(STRUCTS["shape.py"].replace("times: int = 2", "times: int = 3  # changed"))
    assert in_package(tmp_path, WALK) == "15.0 0"
    for name, source in STRUCTS.items():  # what is kept on disk names a struct that is gone
        (tmp_path / name).write_text(source.replace("Line", "Path"))
    assert in_package(tmp_path, WALK.replace("Line", "Path")) == "10.0 0"
    assert in_package(tmp_path, WALK.replace("Line", "Path")) == "10.0 1"


@pytest.mark.long
def test_no_jit_leaves_plain_functions(tmp_path: Path) -> None:
    code = USE.format(extra="type(outer.outer).__name__") + "; import sys; print('numba' in sys.modules)"
    assert in_package(tmp_path, code, KIBITZ_NO_JIT="1").split("\n") == ["50 210 55 Kernel", "False"]


@pytest.mark.long
def test_threads_that_need_a_kernel_at_once_all_get_it(tmp_path: Path) -> None:
    code = "import outer; from concurrent.futures import ThreadPoolExecutor; pool = ThreadPoolExecutor(8)\n"
    code += "print(set(pool.map(outer.outer, [4] * 8)), set(pool.map(outer.fibonacci, [10] * 8)))"
    assert in_package(tmp_path, code) == "{50} {55}"


KERNEL_FILE = """
from helper_constants import TABLE
LIMIT = {limit}
def count(number):
    return number + LIMIT + TABLE[0]
"""


def stamp_of(folder: Path, limit: int, table: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> str:
    """The stamp of a function in a new folder, with its constants."""
    folder.mkdir()
    (folder / "helper_constants.py").write_text(f"TABLE = {table}\n")
    (folder / "kernel_file.py").write_text(KERNEL_FILE.format(limit=limit))
    monkeypatch.syspath_prepend(str(folder))
    for name in ("helper_constants", "kernel_file"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return kernel_stamp(importlib.import_module("kernel_file").count)


def test_kernels_are_found_again_in_another_folder_unless_anything_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = stamp_of(tmp_path / "first", 3, (1, 2), monkeypatch)
    assert stamp_of(tmp_path / "second", 3, (1, 2), monkeypatch) == first
    assert stamp_of(tmp_path / "third", 4, (1, 2), monkeypatch) != first
    assert stamp_of(tmp_path / "fourth", 3, (5, 2), monkeypatch) != first  # a constant of another file


def test_kernels_are_kept_only_where_nobody_else_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_KERNELS", str(tmp_path))
    folder = shared_folder()
    assert folder is not None
    assert folder.parent == tmp_path
    folder.chmod(0o777)
    assert shared_folder() is None


def test_kernels_that_were_not_used_for_long_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_KERNELS", str(tmp_path))
    for number, (where, days) in enumerate(
        (("new", 1), ("new", UNUSED_DAYS + 1), ("old", 90), ("old", 90), ("old", 3))
    ):
        for suffix in ("nbi", "1.nbc"):
            file = tmp_path / f"python3-{where}" / f"a.kernel{number}-7.py311-abc.{suffix}"
            file.parent.mkdir(exist_ok=True)
            file.touch()
            os.utime(file, (time.time() - days * DAY,) * 2)
    for file in (tmp_path / "python3-old").glob("a.kernel3*"):
        os.utime(file, (time.time(), file.stat().st_mtime))
    prune_kernels.__wrapped__()
    left = sorted(file.name[:9] for file in tmp_path.glob("*/*"))
    assert left == ["a.kernel0", "a.kernel0", "a.kernel3", "a.kernel3", "a.kernel4", "a.kernel4"]
