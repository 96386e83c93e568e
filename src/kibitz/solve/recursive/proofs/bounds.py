"""Proved bounds of a game's nodes, which any proof may improve, and the strategies that proved them."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.values import kernels

Rests = dict[int, tuple[float, ...]]
"""What to add to the bound of a node and its tail: the digits that are left, in doubles."""


class Bounds:
    """A lower and an upper bound of every node; and for both players, at every state, the mix that proved its bound.

    Every proof is sound at every node, so that the best bounds of all proofs are taken node by node.
    """

    def __init__(self, game: RecursiveGame) -> None:
        least, most = game.bounds
        self.game = game
        self.low, self.high = game.start(game.low, least), game.start(game.high, most)
        self.proved = [np.zeros(game.choices, bool) for _ in range(2)]
        """For both players, the states where a strategy proved more than the least payoff."""
        self.rests: tuple[Rests, Rests] = ({}, {})

    @cached_property
    def tails(self) -> tuple[Floats, Floats]:
        """What to add to a bound to get the number that was proved: more digits than a double has."""
        return np.zeros(self.game.nodes), np.zeros(self.game.nodes)

    @cached_property
    def mixes(self) -> tuple[Floats, Floats]:
        """The strategies that proved the bounds, state by state."""
        return _even(self.game, 0), _even(self.game, 1)

    @cached_property
    def mix_starts(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The index of each state's shares in both players' mixes."""
        return self.game.mix_starts(0).astype(np.int32), self.game.mix_starts(1).astype(np.int32)

    def of(self, player: int) -> Floats:
        """The bound that a player's strategies prove."""
        return self.low if player == 0 else self.high

    def improve(
        self, player: int, proved: Floats, mixes: Floats, tails: Floats | None = None, rests: Rests | None = None
    ) -> None:
        """Take over what a player's strategy proves, wherever it is better."""
        bound, game = self.of(player), self.game
        better = proved > bound if player == 0 else proved < bound
        if tails is not None:
            better |= (proved == bound) & (np.abs(tails) > np.abs(self.tails[player]))
        better[game.live :] = False
        bound[better] = proved[better]
        self._set_tails(player, better, tails, rests)
        states = np.repeat(better[: game.choices], np.diff(game.mix_starts(player)))
        self.mixes[player][states] = mixes[states]
        self.proved[player] |= better[: game.choices]
        self._settle_chance(player)

    def widths(self) -> Floats:
        """How wide the interval of every node is that is not an end."""
        found: Floats = (self.high - self.low)[: self.game.live]
        return found

    def width(self) -> float:
        """The widest interval."""
        return float(self.widths().max(initial=0.0))

    def _settle_chance(self, player: int) -> None:
        """The bounds of chance moves that follow from those of their outcomes."""
        bound, game = self.of(player), self.game
        if game.live == game.choices:
            return
        settled = bound.copy()
        kernels.settle_chance(game.structure.arrays, settled, -1.0 if player == 0 else 1.0)
        better = settled > bound if player == 0 else settled < bound
        bound[better] = settled[better]
        self._set_tails(player, better, None)

    def _set_tails(
        self, player: int, better: NDArray[np.bool_], tails: Floats | None, rests: Rests | None = None
    ) -> None:
        """The tails of bounds that were improved; without any there is nothing to store."""
        kept = self.rests[player]
        for node in [node for node in kept if better[node]]:
            del kept[node]
        kept.update({node: rest for node, rest in (rests or {}).items() if better[node] and rest})
        if tails is not None:
            self.tails[player][better] = tails[better]
        elif "tails" in self.__dict__:
            self.tails[player][better] = 0.0


def _even(game: RecursiveGame, player: int) -> Floats:
    """All actions with equal shares."""
    counts = np.diff(game.mix_starts(player))
    return np.repeat(1.0 / counts, counts)
