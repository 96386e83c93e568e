"""A game's tables in a card's memory, and the kernels of `sweeps.cu` over them. Needs CuPy and NumPy alone."""

from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

Side = Literal[-1, 1]
"""Whose proof a bound has: -1 bounds from below by player 0's strategy, 1 from above by player 1's."""
THREADS = 128
"""Threads per block."""
DISCOUNTED, LOWER, UPPER = 0, 1, 2
"""The operators of a sweep, as `sweeps.cu` numbers them."""
LARGEST_SHAPE = 64
"""The most rows or columns: a thread's own memory holds the matrix twice."""


class Tables(NamedTuple):
    """A game as `game.Structure` has it, and the payoffs of its ends, as arrays of NumPy or CuPy."""

    first: Any
    columns: Any
    successors: Any
    chance_first: Any
    chance_successors: Any
    chance_odds: Any
    stage: Any
    low: Any
    high: Any


class CardOperator(NamedTuple):
    """What a sweep does to the value of a state's matrix; see `sweeps.cu`."""

    kind: int
    factor: float
    dust: float = 0.0
    least_gain: float = 0.0
    least: float = -float("inf")
    most: float = float("inf")


class NoCard(Exception):
    """There is no card to run on; says what is missing."""


def load_cupy() -> Any:
    """CuPy, after a check that it finds a card; raises NoCard with what to do."""
    if find_spec("cupy") is None:
        raise NoCard("CuPy is not installed; install kibitz[gpu], or leave --device out")
    cupy = import_module("cupy")
    try:
        cards = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise NoCard(f"CuPy finds no graphics card ({error}); leave --device out") from None
    if not cards:
        raise NoCard("this machine has no graphics card that CuPy can use; leave --device out")
    return cupy


class CardTables:
    """The tables of one game in the card's memory."""

    def __init__(self, tables: Tables) -> None:
        self.cupy = cupy = load_cupy()
        kinds = ("int32", "uint16", "int32", "int32", "int32", *("float64",) * 4)
        self.tables = Tables(*(cupy.asarray(each, kind) for each, kind in zip(tables, kinds, strict=True)))
        self.choices = len(self.tables.columns)
        self.live = self.choices + len(self.tables.chance_first) - 1
        self.nodes = self.live + len(self.tables.low)
        self.rows, self.most_columns = self._largest_shape()
        if max(self.rows, self.most_columns) > LARGEST_SHAPE:
            raise NoCard(
                f"a state has {self.rows} × {self.most_columns} actions, and the card takes {LARGEST_SHAPE} of each; "
                "leave --device out"
            )
        code = Path(__file__).with_name("sweeps.cu").read_text(encoding="utf-8")
        options = (f"-DROWS={self.rows}", f"-DCOLUMNS={self.most_columns}")
        self.module = cupy.RawModule(code=code, options=options)
        self.kernels = {name: self.module.get_function(name) for name in ("settle_chance", "sweep", "test_bound")}
        self.chance_levels = self._chance_levels()
        self.largest = cupy.zeros(1, "uint64")

    def start(self, ends: Any, value: float) -> Any:
        """A vector with these ends and one value everywhere else."""
        vector = self.cupy.full(self.nodes, value, "float64")
        vector[self.live :] = ends
        return vector

    def sweep(self, old: Any, new: Any, operator: CardOperator, fixed: Any = None) -> float:
        """One sweep from *old* to *new*; return the largest change. States marked in *fixed* stay."""
        self.settle_chance(old, 0)
        new[self.choices :] = old[self.choices :]
        self.largest.fill(0)
        numbers = (np.int32(operator.kind), *(np.float64(each) for each in operator[1:]))
        arguments = (*self._graph(), self._stage(), self._address(fixed), old, new, *numbers, self.largest)
        self._launch("sweep", self.choices, arguments)
        return float(self.largest.view("float64")[0])

    def settle_chance(self, values: Any, side: int) -> None:
        """Compute the values of all chance moves, rounded to one *side* or, with 0, as near as possible."""
        tables = self.tables
        for moves in self.chance_levels:
            arguments = (
                moves,
                np.int32(self.choices),
                tables.chance_first,
                tables.chance_successors,
                tables.chance_odds,
                values,
                np.int32(side),
            )
            self._launch("settle_chance", len(moves), arguments)

    def test_bound(
        self, bound: Any, new: Any, proved: float, factor: float, side: Side, fixed: Any = None, mixes: Any = None
    ) -> int:
        """Test the proof of *bound*; write it to *new* with *proved* where it fails; return how often that was.

        *mixes* receive the strategy that proves it, state after state.
        """
        self.settle_chance(bound, side)
        new[self.choices :] = bound[self.choices :]
        self.largest.fill(0)
        starts = None if mixes is None else self.mix_starts(side)
        arguments = (
            *self._graph(),
            self._stage(),
            self._address(fixed),
            bound,
            new,
            np.float64(proved),
            np.float64(factor),
            np.int32(side),
            self._address(starts),
            self._address(mixes),
            self.largest,
        )
        self._launch("test_bound", self.choices, arguments)
        return int(self.largest[0])

    def mix_starts(self, side: Side) -> Any:
        """The index of each state's shares in the array of a player's strategies, and at last their number."""
        cupy, tables = self.cupy, self.tables
        columns = tables.columns.astype("int64")
        counts = columns if side > 0 else (tables.first[1:] - tables.first[:-1]) // columns
        starts = cupy.zeros(self.choices + 1, "int64")
        cupy.cumsum(counts, out=starts[1:])
        return starts

    def _launch(self, name: str, count: int, arguments: tuple[Any, ...]) -> None:
        if count:
            blocks = (count + THREADS - 1) // THREADS
            self.kernels[name]((blocks,), (THREADS,), (np.int32(count), *arguments))

    def _graph(self) -> tuple[Any, ...]:
        return self.tables.first, self.tables.columns, self.tables.successors

    def _stage(self) -> Any:
        return self._address(self.tables.stage if len(self.tables.stage) else None)

    def _address(self, array: Any) -> Any:
        """An array as a kernel's argument; None is the null pointer."""
        return np.uintp(0) if array is None else array

    def _largest_shape(self) -> tuple[int, int]:
        if not self.choices:
            return 1, 1
        columns = self.tables.columns.astype("int32")
        rows = (self.tables.first[1:] - self.tables.first[:-1]) // columns
        return int(rows.max()), int(columns.max())

    def _chance_levels(self) -> list[Any]:
        """The chance moves in groups: the outcomes of each lie outside chance or in a group before."""
        cupy, tables = self.cupy, self.tables
        count = len(tables.chance_first) - 1
        if not count:
            return []
        first, after = cupy.asnumpy(tables.chance_first), cupy.asnumpy(tables.chance_successors)
        inner = (after >= self.choices) & (after < self.live)
        levels = np.zeros(count, np.int32)
        for move in np.unique(np.repeat(np.arange(count), np.diff(first))[inner]):
            nested = after[first[move] : first[move + 1]]
            nested = nested[(nested >= self.choices) & (nested < self.live)] - self.choices
            levels[move] = levels[nested].max() + 1
        order = np.argsort(levels, kind="stable").astype(np.int32)
        bounds = np.searchsorted(levels[order], np.arange(levels.max() + 2))
        return [cupy.asarray(order[start:end]) for start, end in pairwise(bounds)]
