"""Limit-sure sets (de Alfaro, Henzinger and Kupferman 2007): a goal is reached with probability near to 1.

Such states often have no optimal strategy, so no vector of values proves them. The graph does: the largest set from
which, whatever player 1 does, play stays in the set or comes nearer to the goal, except with a probability that is
small beside that of coming nearer. The proof is a *layered* strategy: rows of a later layer get shares of a smaller
order, and states further from the goal shares of a smaller order than all nearer ones together. It works for every
pair of goal and player; exchange the players with `mirror_game`.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, Ints, RecursiveGame
from kibitz.solve.recursive.proofs import limit_sure_kernels

Marks = NDArray[np.uint8]
MOST_LAYERS = 255
LEAST_LOGARITHM = -500.0
"""Smaller shares than this are not written: they would be 0 in floating point."""


class LimitSure(msgspec.Struct, frozen=True):
    """The nodes from which player 0 reaches the goals, which have rank 0; all others of the set come nearer by rank.

    *layers* orders the rows of all states: rows of layer 1 are always used, later ones less and less, 0 never.
    """

    ranks: Ints
    layers: Marks

    @property
    def marks(self) -> NDArray[np.bool_]:
        return np.greater_equal(self.ranks, 0)

    def write_rows(self, game: RecursiveGame, epsilon: float, rows: Floats) -> None:
        """Overwrite player 0's strategy in the set with the layered one.

        If a chance of *epsilon* at the states nearest to the goal needs smaller shares at the furthest ones than
        floating point has, it is enlarged.
        """
        states = np.flatnonzero(self.ranks[: game.choices] > 0)
        if not len(states):
            return
        starts = game.mix_starts(0)[:-1]
        deepest = np.maximum.reduceat(self.layers, starts)[states].astype(np.float64) - 1.0
        order = np.zeros(int(self.ranks.max()) + 1)
        used = 0.0
        for rank in range(1, len(order)):
            here = self.ranks[states] == rank
            order[rank] = min(1.0 + used, 1e9)
            used = min(used + order[rank] * float(deepest[here].max(initial=0.0)), 1e9)
        largest = float((order[self.ranks[states]] * np.maximum(deepest, 1.0)).max())
        logarithm = max(float(np.log(epsilon)), LEAST_LOGARITHM / largest)
        steps = np.zeros(game.choices)
        steps[states] = np.exp(logarithm * order[self.ranks[states]])
        limit_sure_kernels.write_layered_rows(game.structure.arrays, steps, self.layers, rows)


def limit_sure(game: RecursiveGame, goals: Marks) -> LimitSure:
    """Find the nodes from which player 0 reaches the marked goals, ends or others, limit-surely."""
    allowed = np.ones(game.nodes, np.uint8)
    allowed[game.live :] = goals[game.live :]
    return approaching(game, np.where(goals, np.int32(0), np.int32(-1)), allowed, MOST_LAYERS)


def approaching(game: RecursiveGame, reached: Ints, allowed: Marks, most_layers: int) -> LimitSure:
    """The largest set of *allowed* nodes from which play always may come nearer to those that have a rank already.

    With one layer of rows it is reached almost surely, with many limit-surely.
    """
    arrays, goals = game.structure.arrays, (reached >= 0).astype(np.uint8)
    layers = np.zeros(game.mix_starts(0)[-1], np.uint8)
    beaten = np.zeros(game.largest_shape()[1], np.uint8)
    while True:
        limit_sure_kernels.drop_risky_chance(arrays, goals, allowed)
        ranks, rank = reached.copy(), int(reached.max(initial=0)) + 1
        while limit_sure_kernels.spread_limit_sure(arrays, allowed, ranks, rank, layers, beaten, most_layers):
            rank += 1
        found = (ranks >= 0).astype(np.uint8)
        if (found == allowed).all():
            return LimitSure(ranks, layers)
        allowed = found
