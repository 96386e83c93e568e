"""Proved bounds of a game's nodes, which any proof may improve, and the strategies that proved them."""

import numpy as np
from numpy.typing import NDArray

from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame
from kibitz_solve.recursive.values import kernels
from kibitz_solve.recursive.values.chains import entries_of_rows
from kibitz_solve.recursive.values.fixed_point import to_fixed

Ints = NDArray[np.int64]
Rests = dict[int, tuple[float, ...]]
"""What to add to the bound of a node: the digits that a double has not, as doubles."""


def adds_more(rest: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether further digits improve a bound by more than others; each double is the largest part of what is left."""
    return [*map(abs, rest)] > [*map(abs, other)]


class StoredMixes:
    """A player's mixes at some states; most of a large game's need none, as they rise by the best mix at the bounds."""

    def __init__(self, states: int, actions: int) -> None:
        self.slots = np.zeros(states, np.int32)
        """Where the mix of a state is stored; 0 for none."""
        self.shares, self.count = np.zeros((1, actions)), 1

    @property
    def marks(self) -> NDArray[np.bool_]:
        """The states that have a mix."""
        return np.greater(self.slots, 0)

    def store(self, states: Ints, mixes: Floats, starts: Ints, own_states: Ints) -> None:
        """Store the mixes of states, which are those of *own_states* of a strategy whose mixes start at *starts*."""
        fresh = states[self.slots[states] == 0]
        self.slots[fresh] = self.count + np.arange(len(fresh))
        self.count += len(fresh)
        if self.count > len(self.shares):
            more = np.zeros((max(self.count, 2 * len(self.shares)) - len(self.shares), self.shares.shape[1]))
            self.shares = np.concatenate([self.shares, more])
        source, entry = entries_of_rows(starts, own_states)
        self.shares[self.slots[states][source], entry - starts[own_states][source]] = mixes[entry]

    def forget(self, states: Ints) -> None:
        self.slots[states] = 0

    def write(self, mixes: Floats, starts: Ints) -> None:
        """Overwrite the mixes of a strategy with those that are stored."""
        states = np.flatnonzero(self.slots)
        source, entry = entries_of_rows(starts, states)
        mixes[entry] = self.shares[self.slots[states][source], entry - starts[states][source]]


class Bounds:
    """A lower and an upper bound of every node; and for both players the mixes that proved them.

    Every proof is sound at every node, so that the best bounds of all proofs are taken node by node.
    """

    def __init__(self, game: RecursiveGame) -> None:
        least, most = game.bounds
        self.game = game
        self.low, self.high = game.start(game.low, least), game.start(game.high, most)
        rows, columns = game.largest_shape()
        self.mixes = StoredMixes(game.choices, rows), StoredMixes(game.choices, columns)
        """For both players, the mixes that proved bounds; elsewhere the best ones at the bounds do."""
        self.rests: tuple[Rests, Rests] = ({}, {})

    def of(self, player: int) -> Floats:
        """The bound that a player's strategies prove."""
        return self.low if player == 0 else self.high

    def exactly(self, player: int, node: int, bits: int) -> int:
        """A player's bound of a node in units of `2**-bits`, rounded to their disadvantage."""
        sign, parts = 1 - 2 * player, (float(self.of(player)[node]), *self.rests[player].get(node, ()))
        return sign * sum(to_fixed(sign * part, bits) for part in parts)

    def improve(self, player: int, proved: Floats, mixes: Floats | None, rests: Rests | None = None) -> None:
        """Take over what a player's strategy proves, wherever it is better.

        Without *mixes*, the best ones at the bounds are a proof.
        """
        game = self.game
        states = self.improve_at(player, np.arange(game.live), proved[: game.live], rests or {})
        states = states[states < game.choices]
        if mixes is None:
            self.mixes[player].forget(states)
        elif len(states):
            self.mixes[player].store(states, mixes, game.mix_starts(player), states)
        self._settle_chance(player)

    def improve_at(self, player: int, nodes: Ints, proved: Floats, rests: Rests) -> Ints:
        """Take over what is proved at some nodes, wherever it is better; return their indices among *nodes*."""
        bound, kept, sign = self.of(player), self.rests[player], 1.0 - 2.0 * player
        better = sign * proved > sign * bound[nodes]
        for index, rest in rests.items():
            better[index] |= proved[index] == bound[nodes[index]] and adds_more(rest, kept.get(int(nodes[index]), ()))
        bound[nodes[better]] = proved[better]
        improved = np.flatnonzero(better)
        for index in improved.tolist() if kept or rests else ():
            kept.pop(int(nodes[index]), None)
            if rests.get(index):
                kept[int(nodes[index])] = rests[index]
        return improved

    def widths(self) -> Floats:
        """How wide the interval of every node is that is not an end."""
        widths: Floats = (self.high - self.low)[: self.game.live]
        return widths

    def width(self) -> float:
        """The widest interval."""
        return float(self.widths().max(initial=0.0))

    def closed_nodes(self, width: float) -> NDArray[np.uint8]:
        """Marks the nodes whose intervals are narrow enough for *width*, and the ends."""
        closed = np.ones(self.game.nodes, np.uint8)
        closed[: self.game.live] = self.widths() <= width / 8.0  # the widths of others may depend on them
        return closed

    def _settle_chance(self, player: int) -> None:
        """The bounds of chance moves that follow from those of their outcomes."""
        bound, game = self.of(player), self.game
        if game.live == game.choices:
            return
        settled = bound.copy()
        kernels.settle_chance(game.structure.arrays, settled, -1.0 if player == 0 else 1.0)
        self.improve_at(player, np.arange(game.choices, game.live), settled[game.choices : game.live], {})
