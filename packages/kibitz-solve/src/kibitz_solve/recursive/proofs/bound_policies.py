"""The strategies that a solution delivers: those that proved its bounds, as one strategy, and what that guarantees."""

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kibitz_solve.recursive.building.policies import Policy
from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame, mirror_game
from kibitz_solve.recursive.proofs import graph_kernels
from kibitz_solve.recursive.proofs.bounds import Bounds
from kibitz_solve.recursive.proofs.graph import GraphSets, LimitSure, write_ranked_rows
from kibitz_solve.recursive.proofs.responses import best_response
from kibitz_solve.recursive.proofs.solution import ProvedPolicy
from kibitz_solve.recursive.values.chains import mixes_at
from kibitz_solve.recursive.values.operators import Deadline
from kibitz_solve.recursive.values.path import LAST_ETA, Path

NEWTON_NODES = 60_000
"""With more nodes than this, equations would take too long."""
FEW_STATES = 200
"""Of games with so many states, exact responses tell how far strategies of tiny shares get."""
POINTS_BETWEEN = 3
"""Of the discounts where few states have no strategy in the limit, every so many are tried."""
LAYER_STEP, SMALL_STEP = 1e-4, 1e-6
"""The step between the layers of a strategy for limit-sure states; and that in games of few states."""


class BoundPolicies:
    """Both players' strategies behind proved bounds.

    *layered* are limit-sure states, where no strategy attains them; *safe* nodes are kept away from ends below 0.
    """

    def __init__(
        self,
        bounds: Bounds,
        width: float,
        sets: GraphSets | None,
        layered: dict[int, LimitSure],
        safe: list[NDArray[np.bool_]],
    ) -> None:
        self.game, self.bounds, self.width, self.sets = bounds.game, bounds, width, sets
        self.layered, self.safe = layered, safe
        self.approached = [self._approached_nodes(player) for player in (0, 1)]
        """For both players, the nodes whose bound needs shares that doubles cannot hold, or ever smaller ones."""

    def _approached_nodes(self, player: int) -> NDArray[np.bool_]:
        layered = self.layered.get(player)
        approached = np.zeros(self.game.nodes, bool) if layered is None else layered.marks
        approached[list(self.bounds.rests[player])] = True
        return approached

    def proved_policy(self, player: int) -> ProvedPolicy:
        """The mixes that proved the bounds, state by state, as one strategy, and what that guarantees."""
        game, sign = self.game, 1.0 - 2.0 * player
        bound, approached = self.bounds.of(player), self.approached[player][: game.live]
        if game.live > NEWTON_NODES:  # the bounds themselves are proved; some are approached only
            return ProvedPolicy(Policy(player, game.mix_starts(player), self._best_mixes(player)), bound)
        best, guarantee = self._best_mixes(player), np.full(game.nodes, -sign * np.inf)
        for mixes in chain((best,), self._discounted_mixes(player)):
            proved = best_response(game, mixes, player).guaranteed
            if sign * proved.sum() > sign * guarantee.sum():
                best, guarantee = mixes, proved
            if not (np.abs(guarantee - bound)[: game.live] > self.width)[approached].any():
                break
        return ProvedPolicy(Policy(player, game.mix_starts(player), best), guarantee)

    def _discounted_mixes(self, player: int) -> Iterator[Floats]:
        """The strategy that proved the bounds, with those of discounted games where the limit has no strategy."""
        game, inside = self.game, self.approached[player]
        fixed = np.logical_not(inside).astype(np.uint8)
        fixed[game.live :], fixed[game.choices : game.live] = 1, 0
        path = Path(game, fixed, np.where(inside, 0.0, self.bounds.of(player)), Deadline())
        path.values[game.live :] = game.low
        path.begin()
        while path.eta > LAST_ETA and path.next_point():
            pass
        states = np.repeat(fixed[: game.choices] == 0, np.diff(game.mix_starts(player)))
        few = np.count_nonzero(inside) <= FEW_STATES
        for values in path.history[::-POINTS_BETWEEN] if few else path.history[-1:]:
            yield np.where(states, mixes_at(game, values, fixed)[player], self._best_mixes(player))

    def _best_mixes(self, player: int) -> Floats:
        """The mixes that proved the bounds; where nothing had to be proved, optimal ones at the bounds."""
        game, bound = self.game, self.bounds.of(player)
        mixes = mixes_at(game, bound, np.zeros(game.nodes, np.uint8))[player]
        other = game if player == 1 else mirror_game(game)
        graph_kernels.write_pure_columns(other.structure.arrays, bound if player == 1 else -bound, mixes)
        self._write_graph_mixes(player, other, mixes)
        self.bounds.mixes[player].write(mixes, game.mix_starts(player))
        if player == 0 and self.sets is not None:
            write_ranked_rows(game, self.sets, mixes)
        return mixes

    def _write_graph_mixes(self, player: int, other: RecursiveGame, mixes: Floats) -> None:
        """Overwrite the mixes where the graph proved the bound: *other* has the player as player 1."""
        bound, states = self.bounds.of(player)[: self.game.choices], slice(0, self.game.choices)
        kept, counts = np.zeros(len(mixes)), np.diff(self.game.mix_starts(player))
        reached = np.logical_not(self.safe[player]).astype(np.uint8)
        graph_kernels.write_keeping_columns(other.structure.arrays, reached, kept)
        chosen = np.repeat(self.safe[player][states] & (bound == 0.0), counts)
        mixes[chosen] = kept[chosen]
        if player in self.layered:
            game = mirror_game(other)
            self.layered[player].write_rows(game, SMALL_STEP if game.choices <= FEW_STATES else LAYER_STEP, kept)
            best = np.abs(bound) == game.bounds[1]
            chosen = np.repeat(self.layered[player].marks[states] & best, counts)
            mixes[chosen] = kept[chosen]
