"""Graph sets: values that follow from the graph of play alone, exactly and fast, without arithmetic."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, Ints, Predecessors, RecursiveGame, predecessors_of
from kibitz.solve.recursive.proofs import graph_kernels
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
    listed = before or predecessors_of(game)
    ranks = np.full(game.nodes, -1, np.int32)
    most = float(game.high.max(initial=0.0))
    ranks[game.live :] = np.where((game.low == most) & (most > 0.0), 0, -1)
    spread_from(game, listed, (ranks >= 0).astype(np.uint8), graph_kernels.spread_sure, ranks)
    positive = (ranks >= 0).astype(np.uint8)  # sure wins need no further check
    positive[game.live :] = game.high > 0.0
    spread_from(game, listed, positive, graph_kernels.spread_reach, positive)
    sure = int(ranks.max(initial=0))
    _almost_sure(game, positive, ranks, sure)
    return GraphSets(positive, ranks, sure)


def spread_from(game: RecursiveGame, before: Predecessors, goals: Marks, kernel: object, marks: object) -> None:
    """Spread marks backwards from the goals."""
    worklist = Worklist(game, np.empty(0), np.zeros(game.nodes, np.uint8), before)
    worklist.fixed = goals  # these are marked already
    worklist.add_predecessors(goals)
    assert callable(kernel)
    kernel(game.structure.arrays, before.first, before.nodes, marks, worklist.queue, worklist.queued, worklist.numbers)


def _almost_sure(game: RecursiveGame, positive: Marks, ranks: Ints, sure: int) -> None:
    """Rank the nodes won with probability 1 but not with certainty: drop nodes that cannot be kept until all can."""
    allowed = positive.copy()
    allowed[game.live :] = ranks[game.live :] >= 0
    while (allowed[: game.live].astype(bool) & (ranks[: game.live] < 0)).any():
        tried, round_number = ranks.copy(), sure + 1
        while graph_kernels.spread_almost(game.structure.arrays, allowed, tried, round_number):
            round_number += 1
        kept = (tried >= 0).astype(np.uint8)
        if (kept == allowed).all():
            ranks[:] = tried
            return
        allowed = kept


def keeping_strategies(game: RecursiveGame, sets: GraphSets, rows: Floats, columns: Floats) -> None:
    """Overwrite the strategies at the states of the sets with those that prove them."""
    write_ranked_rows(game, sets, rows)
    graph_kernels.write_keeping_columns(game.structure.arrays, sets.positive, columns)


def write_ranked_rows(game: RecursiveGame, sets: GraphSets, rows: Floats) -> None:
    """Overwrite player 0's strategy where one wins with probability 1."""
    allowed = (sets.ranks >= 0).astype(np.uint8)
    graph_kernels.write_ranked_rows(game.structure.arrays, sets.ranks, allowed, rows)
