"""Graph sets: values that follow from the graph of play alone, exactly and fast, without arithmetic."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, Ints, Predecessors, RecursiveGame, predecessors_of
from kibitz.solve.recursive.proofs import graph_kernels
from kibitz.solve.recursive.proofs.graph_kernels import FAR, REACH, SURE
from kibitz.solve.recursive.proofs.limit_sure import approaching
from kibitz.solve.recursive.values.worklist import Worklist

Marks = NDArray[np.uint8]


class GraphSets(msgspec.Struct, frozen=True):
    """Nodes of known value, in a game without payoffs below that of infinite play.

    *positive* marks the nodes from which player 0 may earn more than 0 whatever player 1 does; all others are worth 0.
    *ranks* is at least 0 where player 0 earns the maximum: with certainty up to rank `sure`, above it with
    probability 1. From each of these nodes some choice leads to a lower rank, for certain or with some probability.
    """

    positive: Marks
    ranks: Ints
    sure: int

    @property
    def zero(self) -> NDArray[np.bool_]:
        return np.equal(self.positive, 0)

    @property
    def surely_won(self) -> NDArray[np.bool_]:
        return np.logical_and(self.ranks >= 0, self.ranks <= self.sure)

    @property
    def almost_surely_won(self) -> NDArray[np.bool_]:
        return np.greater_equal(self.ranks, 0)

    @property
    def decided_nodes(self) -> Marks:
        return (self.zero | self.almost_surely_won).astype(np.uint8)


def graph_sets(game: RecursiveGame, before: Predecessors | None = None) -> GraphSets:
    """Zero, sure and almost sure: the largest set in which player 1 can keep play, the smallest one from which player 0
    forces a win by pure rows, and the largest one in which player 0 always keeps a chance of doing so.
    """
    listed, most = before or predecessors_of(game), float(game.high.max(initial=0.0))
    won = np.zeros(game.nodes, np.uint8)
    won[game.live :] = (game.low == most) & (most > 0.0)
    rounds = distances_to(game, listed, won, SURE)
    ranks = np.where(rounds < FAR, rounds, np.int32(-1))
    goals = (ranks >= 0).astype(np.uint8)  # sure wins need no further check
    goals[game.live :] = game.high > 0.0
    positive = (distances_to(game, listed, goals, REACH) < FAR).astype(np.uint8)
    allowed = positive.copy()
    allowed[game.live :] = won[game.live :]
    return GraphSets(positive, approaching(game, ranks, allowed, most_layers=1).ranks, int(ranks.max(initial=0)))


def distances_to(game: RecursiveGame, before: Predecessors, goals: Marks, kind: int) -> Ints:
    """The distance of every node to the marked ones, by what `graph_kernels` counts in distances of a *kind*."""
    worklist = Worklist(game, np.empty(0), goals, before)
    worklist.add_predecessors(goals)
    distances = np.where(goals, np.int32(0), FAR)
    graph_kernels.spread_distances(
        game.structure.arrays,
        before.first,
        before.nodes,
        distances,
        kind,
        worklist.queue,
        worklist.queued,
        worklist.numbers,
    )
    return distances


def write_ranked_rows(game: RecursiveGame, sets: GraphSets, rows: Floats) -> None:
    """Overwrite player 0's strategy where one wins with probability 1."""
    allowed = (sets.ranks >= 0).astype(np.uint8)
    graph_kernels.write_ranked_rows(game.structure.arrays, sets.ranks, allowed, rows)
