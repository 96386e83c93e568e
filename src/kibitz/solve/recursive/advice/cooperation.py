"""Cooperation (Keffer 2013, section 4.2.2): the shortest path to a goal when both players want to go there."""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Ints, Predecessors, RecursiveGame, predecessors_of
from kibitz.solve.recursive.proofs.graph import Marks, distances_to, graph_sets
from kibitz.solve.recursive.proofs.graph_kernels import FAR, TOGETHER


class Cooperation(msgspec.Struct, frozen=True):
    """The rounds from every node to a goal when both go there, with luck, and the pairs of actions that do."""

    game: RecursiveGame
    distances: Ints
    pairs: NDArray[np.int64]
    """For every state, the row and column of the first pair that leads nearer; the first pair if none does."""

    def distance(self, state: Any) -> int | None:
        """The rounds from a state; None if no choices lead to a goal."""
        return self.rounds(self.game.states.node(state))

    def rounds(self, node: int) -> int | None:
        """The same by the number of a node."""
        found = int(self.distances[node])
        return None if found == FAR else found


def cooperation(game: RecursiveGame, goals: Marks | None = None, before: Predecessors | None = None) -> Cooperation:
    """Distances to the nodes marked in *goals*; by default, to those from which player 0 may win alone.

    Keffer suggests following the largest entry of a matrix, which leaves ties and zeros; a shortest path does not.
    """
    listed = before or predecessors_of(game)
    marks = graph_sets(game, listed).positive if goals is None else goals
    distances = distances_to(game, listed, marks, TOGETHER)
    return Cooperation(game, distances, _nearest_pairs(game, distances))


def _nearest_pairs(game: RecursiveGame, distances: Ints) -> NDArray[np.int64]:
    """The first pair of every state that leads as near to a goal as any."""
    first, after = game.structure.first.astype(np.int64), distances[game.structure.successors]
    counts = np.diff(first)
    nearest = np.repeat(np.minimum.reduceat(after, first[:-1]), counts)
    places = np.where(after == nearest, np.arange(len(after)), len(after))
    offset = np.minimum.reduceat(places, first[:-1]) - first[:-1]
    widths = game.structure.columns.astype(np.int64)
    return np.stack([offset // widths, offset % widths], axis=1)
