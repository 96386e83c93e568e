"""What follows from where play can go alone, without a number being computed: exact, and fast."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive import graph_kernels
from kibitz.solve.recursive.model import Floats, Ints, Predecessors, RecursiveGame, predecessors_of
from kibitz.solve.recursive.worklist import Worklist

Marks = NDArray[np.uint8]


class GraphSets(msgspec.Struct, frozen=True):
    """Nodes whose value is known, of a game without payoffs below that of infinite play.

    *positive* marks the nodes from which player 0 may get something whatever player 1 does; all others are worth 0.
    *ranks* is not below 0 where player 0 gets the most there is: with certainty up to rank `sure`, above it with
    probability 1. From each of these some choice leads to a lower rank, surely or with some chance.
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
    """Zero, sure and almost sure: the greatest set player 1 can keep play in, the least one that player 0 forces play
    out of by one row after the other, and the greatest one in which he always keeps a chance of doing so.
    """
    listed = before or predecessors_of(game)
    ranks = np.full(game.nodes, -1, np.int32)
    most = float(game.high.max(initial=0.0))
    ranks[game.live :] = np.where((game.low == most) & (most > 0.0), 0, -1)
    spread_from(game, listed, (ranks >= 0).astype(np.uint8), graph_kernels.spread_sure, ranks)
    positive = (ranks >= 0).astype(np.uint8)  # what is surely won need not be looked at again
    positive[game.live :] = game.high > 0.0
    spread_from(game, listed, positive, graph_kernels.spread_reach, positive)
    sure = int(ranks.max(initial=0))
    _almost_sure(game, positive, ranks, sure)
    return GraphSets(positive, ranks, sure)


def spread_from(game: RecursiveGame, before: Predecessors, goals: Marks, kernel: object, marks: object) -> None:
    """Let marks spread from the goals backwards."""
    worklist = Worklist(game, np.empty(0), np.zeros(game.nodes, np.uint8), before)
    worklist.fixed = goals  # which are there already
    worklist.add_predecessors(goals)
    assert callable(kernel)
    kernel(game.structure.arrays, before.first, before.nodes, marks, worklist.queue, worklist.queued, worklist.numbers)


def _almost_sure(game: RecursiveGame, positive: Marks, ranks: Ints, sure: int) -> None:
    """Rank what is won with probability 1 and not with certainty: drop what cannot be kept until all can."""
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
    """Write the strategies that prove the sets over those at their states."""
    write_ranked_rows(game, sets, rows)
    graph_kernels.write_keeping_columns(game.structure.arrays, sets.positive, columns)


def write_ranked_rows(game: RecursiveGame, sets: GraphSets, rows: Floats) -> None:
    """Write player 0's strategy that wins with probability 1 over that at the states where he can."""
    allowed = (sets.ranks >= 0).astype(np.uint8)
    graph_kernels.write_ranked_rows(game.structure.arrays, sets.ranks, allowed, rows)
