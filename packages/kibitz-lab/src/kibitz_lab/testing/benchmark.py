"""Benchmarks: figures measured as ratios against a peer in the same run, because absolute times mean little.

A benchmark is a file in `benchmarks/` with a function `measure(bench)`, which calls `bench.ratio` and `bench.figure`.
"""

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from math import isfinite
from pathlib import Path
from statistics import median
from types import ModuleType

import msgspec

import kibitz
from kibitz.core.errors import BadSource, BrokenPlugin, UnknownName
from kibitz.core.files import read_text, write_file
from kibitz_lab.store.version import code_version

Work = Callable[[], float]
"""Does some work and returns how much it was, in any unit that both sides of a ratio share."""


class Figure(msgspec.Struct, frozen=True):
    """A measured number: its median over the runs, its target, and the range of the runs or the interval."""

    value: float | None
    unit: str
    bar: str
    ok: bool
    spread: tuple[float, float] | None
    runs: int
    note: str = ""


class Measurement(msgspec.Struct, frozen=True):
    """The figures of one benchmark as a file keeps them: when they were measured, by which code and on what."""

    date: str
    kibitz: str
    machine: str
    quick: bool
    figures: dict[str, Figure]


class Bench:
    """Collects the figures of one benchmark; *told* is called with each as it is measured.

    A benchmark may measure less where *quick* is set.
    """

    def __init__(
        self, runs: int = 5, told: Callable[[str, Figure], None] | None = None, *, quick: bool = False
    ) -> None:
        self.runs, self.told, self.quick = runs, told, quick
        self.figures: dict[str, Figure] = {}

    def ratio(self, name: str, ours: Work, peer: Work, *, least: float, needs: str = "", unit: str = "× peer") -> None:
        """Our speed as a multiple of the peer's; *needs* is the peer's module, which may not be installed."""
        if needs and find_spec(needs) is None:
            self.missing(name, needs, unit, f">= {least:g}")
            return
        ours(), peer()  # compile and fill caches
        ratios = [speed(ours) / speed(peer) for _ in range(self.runs)]  # alternating, so that a busy machine slows both
        self.figure(name, ratios, unit, least=least)

    def figure(
        self, name: str, values: Sequence[float], unit: str, *, least: float | None = None, most: float | None = None
    ) -> None:
        """A figure from one value per run, with a target of at least or at most some number."""
        self.estimate(name, median(values), (min(values), max(values)), len(values), unit=unit, least=least, most=most)

    def estimate(
        self,
        name: str,
        value: float,
        spread: tuple[float, float],
        runs: int,
        *,
        unit: str = "",
        least: float | None = None,
        most: float | None = None,
        note: str = "",
    ) -> None:
        """A figure with its interval, from so many independent runs."""
        bar = f">= {least:g}" if least is not None else f"<= {most:g}" if most is not None else ""
        ok = (least is None or value >= least) and (most is None or value <= most)
        known = spread if all(map(isfinite, spread)) else None
        self.keep(name, Figure(value, unit, bar, ok, known, runs, note))

    def missing(self, name: str, package: str, unit: str, bar: str) -> None:
        """A figure that could not be measured, which does not count as met."""
        self.note_missing(name, bar, f"peer {package} is not installed; `make bench` installs it", unit)

    def note_missing(self, name: str, bar: str, why: str, unit: str = "") -> None:
        """A figure that could not be measured, and why."""
        self.keep(name, Figure(None, unit, bar, False, None, 0, why))

    def keep(self, name: str, figure: Figure) -> None:
        self.figures[name] = figure
        if self.told is not None:
            self.told(name, figure)


def store_figures(path: Path, figures: Mapping[str, dict[str, Figure]], *, quick: bool) -> None:
    """Put the figures of benchmarks into a JSON file; figures of other benchmarks stay in it."""
    stored = read_figures(path) if path.exists() else {}
    date, made = datetime.now(UTC).date().isoformat(), code_version()
    stored |= {name: Measurement(date, made, machine(), quick, found) for name, found in figures.items()}
    write_file(path, msgspec.json.format(msgspec.json.encode(dict(sorted(stored.items())))))


def read_figures(path: Path) -> dict[str, Measurement]:
    """The benchmarks in a file that `store_figures` wrote."""
    text = read_text(path, BadSource, latin=False)
    try:
        return msgspec.json.decode(text, type=dict[str, Measurement])
    except msgspec.DecodeError as error:
        raise BadSource(str(path), f"not figures that `kibitz bench --out` wrote: {error}") from error


def machine() -> str:
    """This machine in words."""
    cores = os.cpu_count() or 1
    words = f"{cores} core{'s' if cores > 1 else ''}, {platform.system()} {platform.machine()}"
    return f"{words}, Python {platform.python_version()}"


def speed(work: Work) -> float:
    """Work per second of one call."""
    start = time.perf_counter()
    amount = work()
    return amount / (time.perf_counter() - start)


def seconds_of(code: str) -> float:
    """Seconds a fresh Python takes to run *code*."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def files() -> dict[str, Path]:
    """All benchmarks by name: those of the packages below the current folder, or of the checkout of this package."""
    for root in (Path(), Path(kibitz.__file__).parents[4]):
        found = sorted(root.glob("packages/*/benchmarks/*.py"), key=lambda path: path.stem)
        if found:
            return {path.stem.replace("_", "-"): path for path in found}
    raise UnknownName("folder", "benchmarks", (), "(run this in a checkout of kibitz)")


def names() -> list[str]:
    """The names of all benchmarks."""
    return [*files()]


def run(
    name: str, runs: int = 5, told: Callable[[str, Figure], None] | None = None, *, quick: bool = False
) -> dict[str, Figure]:
    """Measure the figures of one benchmark."""
    bench, path = Bench(runs, told, quick=quick), path_of(name)
    try:
        module_of(name).measure(bench)
    except Exception as error:
        raise BrokenPlugin(f"benchmark {name}", path.name, f"{type(error).__name__}: {error}") from error
    return bench.figures


def path_of(name: str) -> Path:
    """The file of a benchmark."""
    known = files()
    if name not in known:
        raise UnknownName("benchmark", name, [*known])
    return known[name]


def module_of(name: str) -> ModuleType:
    """A benchmark's module; a benchmark may import another."""
    path = path_of(name)
    spec = spec_from_file_location(f"kibitz_benchmark_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BrokenPlugin(path.stem, str(path), "it is not a Python file")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
