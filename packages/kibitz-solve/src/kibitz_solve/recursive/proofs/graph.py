"""Graph sets: values that follow from the graph of play alone, exactly and fast, without arithmetic.

In *limit-sure* sets (de Alfaro, Henzinger and Kupferman 2007) a goal is reached with probability near to 1. Such states
often have no optimal strategy, so no vector of values proves them. The graph does: the largest set from which, whatever
player 1 does, play stays in the set or comes nearer to the goal, except with a probability that is small beside that of
coming nearer. The proof is a *layered* strategy: rows of a later layer get shares of a smaller order, and states
further from the goal shares of a smaller order than all nearer ones together. It works for every pair of goal and
player; exchange the players with `mirror_game`.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz_solve.recursive.building.recursive_game import Floats, Ints, Predecessors, RecursiveGame, predecessors_of
from kibitz_solve.recursive.proofs import graph_kernels
from kibitz_solve.recursive.proofs.graph_kernels import FAR, REACH, SURE
from kibitz_solve.recursive.values.kernels import Marks
from kibitz_solve.recursive.values.operators import Worklist

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
        graph_kernels.write_layered_rows(game.structure.arrays, steps, self.layers, rows)


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
        graph_kernels.drop_risky_chance(arrays, goals, allowed)
        ranks, rank = reached.copy(), int(reached.max(initial=0)) + 1
        while graph_kernels.spread_limit_sure(arrays, allowed, ranks, rank, layers, beaten, most_layers):
            rank += 1
        ranked = (ranks >= 0).astype(np.uint8)
        if (ranked == allowed).all():
            return LimitSure(ranks, layers)
        allowed = ranked


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
