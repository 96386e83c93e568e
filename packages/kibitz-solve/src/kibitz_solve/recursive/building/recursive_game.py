"""A recursive game (3.7) as flat arrays: states with simultaneous choices, chance moves, and ends with payoffs.

*Nodes* are numbered: first the states where a player chooses, then chance moves, then the ends. A vector of values has
one entry per node, so that a matrix (3.10) is read from it by the successors' numbers alone. Player 0 chooses the row
and maximises. Play that never ends is worth 0.
"""

from collections.abc import Hashable, Sequence
from math import isfinite
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kibitz.core.errors import BadGame, advice, short_repr
from kibitz_solve.recursive.values import kernels

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
MIRRORED = 10_000
"""The states that are mirrored at a time."""


class States:
    """The names of a game's nodes; by default states are their names, and actions have none."""

    nodes: dict[Any, int]
    """The nodes by name."""

    def node(self, state: Any) -> int:
        """The node of a state, its key or its name; raises KeyError if there is none."""
        return self.nodes[state]

    def name(self, node: int) -> Hashable:
        """The name of a state: its key, or the name given to it."""
        raise NotImplementedError

    def state(self, node: int) -> Any:
        """The state itself; its name if the game was stated by names."""
        return self.name(node)

    def actions(self, node: int, player: int) -> list[str] | None:
        """The names of a player's actions there, in the order of rows or columns; None if they have no names."""
        return None


class Structure(msgspec.Struct, frozen=True):
    """The transitions of a game. Entries of `successors` are nodes, row by row from `first[state]` on."""

    first: Ints
    columns: NDArray[np.uint16]
    successors: Ints
    chance_first: Ints
    chance_successors: Ints
    chance_odds: Floats
    stage: Floats
    """Player 0's payoffs on the way, one for every successor; empty if all payoffs come at the end."""

    @property
    def arrays(self) -> tuple[Any, ...]:
        """All arrays, in the form that kernels take."""
        arrays: tuple[Any, ...] = msgspec.structs.astuple(self)
        return arrays


class RecursiveGame(msgspec.Struct, frozen=True):
    """A game to solve: its structure, the least and most payoff of its ends, and the names of its states."""

    structure: Structure
    low: Floats
    high: Floats
    states: States
    infinite_play: float = 0.0
    """The shift of all payoffs that makes play without end worth 0; it is added to all values that are shown."""

    @property
    def choices(self) -> int:
        """How many states have a choice."""
        return len(self.structure.columns)

    @property
    def live(self) -> int:
        """How many nodes are not ends."""
        return self.choices + len(self.structure.chance_first) - 1

    @property
    def nodes(self) -> int:
        return self.live + len(self.low)

    @property
    def exact_ends(self) -> bool:
        """Whether all ends have exact payoffs; states outside a table are ends with bounds only."""
        return bool((self.low == self.high).all())

    @property
    def bounds(self) -> tuple[float, float]:
        """The lower and upper bound of all states."""
        if len(self.structure.stage):
            return -np.inf, np.inf
        return min(0.0, float(self.low.min(initial=0.0))), max(0.0, float(self.high.max(initial=0.0)))

    def start(self, ends: Floats, value: float = 0.0) -> Floats:
        """A vector with these ends and one value everywhere else."""
        return np.concatenate([np.full(self.live, value), ends])

    def shape(self, node: int) -> tuple[int, int]:
        """How many rows and columns a state has."""
        columns = int(self.structure.columns[node])
        return int(self.structure.first[node + 1] - self.structure.first[node]) // columns, columns

    def successors_at(self, node: int) -> Ints:
        """The nodes that the pairs of actions of a state lead to, as a matrix."""
        first, last = self.structure.first[node : node + 2]
        return self.structure.successors[first:last].reshape(self.shape(node))

    def matrix(self, node: int, values: Floats) -> Floats:
        """The matrix (3.10) behind a state."""
        entries = values[self.successors_at(node)]
        if len(self.structure.stage):
            first, last = self.structure.first[node : node + 2]
            entries = entries + self.structure.stage[first:last].reshape(entries.shape)
        return entries

    def mix_starts(self, player: int) -> NDArray[np.int64]:
        """The index of each state's shares in the array of a player's strategies."""
        columns = self.structure.columns
        counts = columns if player == 1 else np.diff(self.structure.first) // columns
        starts = np.zeros(len(columns) + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        return starts

    def largest_shape(self) -> tuple[int, int]:
        """The most rows and the most columns of any state."""
        columns = self.structure.columns
        if not len(columns):
            return 1, 1
        return int((np.diff(self.structure.first) // columns).max()), int(columns.max())


class Predecessors(msgspec.Struct, frozen=True):
    """The nodes that lead to each node, each once."""

    first: Ints
    nodes: Ints


def predecessors_of(game: RecursiveGame) -> Predecessors:
    """Compute the predecessors of all nodes."""
    first, seen = np.zeros(game.nodes + 1, np.int32), np.empty(game.nodes, np.int32)
    nodes = np.empty(kernels.write_predecessors(game.structure.arrays, first, seen, np.empty(0, np.int32)), np.int32)
    kernels.write_predecessors(game.structure.arrays, first, seen, nodes)
    return Predecessors(first, nodes)


def mirror_game(game: RecursiveGame) -> RecursiveGame:
    """The same game with the players exchanged, so that all payoffs change their sign."""
    structure = game.structure
    rows = (np.diff(structure.first) // structure.columns.astype(np.int64)).astype(np.uint16)
    successors, stage = np.empty_like(structure.successors), np.empty_like(structure.stage)
    for begin in range(0, game.choices, MIRRORED):  # the order of all entries at once would take twice the table
        first = structure.first[begin : begin + MIRRORED + 1]
        order, entries = np.empty(first[-1] - first[0], np.int64), slice(int(first[0]), int(first[-1]))
        kernels.transpose_order(first - first[0], structure.columns[begin : begin + MIRRORED], order)
        successors[entries] = structure.successors[entries][order]
        if len(stage):
            stage[entries] = -structure.stage[entries][order]
    turned = msgspec.structs.replace(structure, columns=rows, successors=successors, stage=stage)
    return msgspec.structs.replace(
        game, structure=turned, low=-game.high, high=-game.low, infinite_play=-game.infinite_play
    )


def check_word(what: str, word: object, known: Sequence[str]) -> None:
    """Raise BadGame if an option is not one of the known words."""
    if word not in known:
        raise BadGame(what, f"there is no {short_repr(word)}; {advice(str(word), known)}")


def check_infinite_play(value: float) -> None:
    """Raise BadGame if the value of play without end is not a number."""
    if not isfinite(value):
        raise BadGame("infinite play", f"its value must be a number, not {value}")


def beyond_infinite_play(payoffs: ArrayLike, infinite_play: float) -> Floats:
    """Payoffs less the value of play without end; raises BadGame if that is not a number."""
    check_infinite_play(infinite_play)
    with np.errstate(over="ignore"):
        beyond: Floats = np.asarray(payoffs, np.float64) - infinite_play
    if not np.isfinite(beyond).all():
        raise BadGame("infinite play", f"{infinite_play:g} is too far from the payoffs: the difference overflows")
    return beyond
