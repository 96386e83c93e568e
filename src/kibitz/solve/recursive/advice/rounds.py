"""Expected rounds (4.3): how long a win takes if player 0 hurries and player 1 delays."""

from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadGame
from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.game.restriction import Restriction, restrict_game, whole_rows
from kibitz.solve.recursive.proofs.graph import GraphSets, graph_sets, write_ranked_rows
from kibitz.solve.recursive.proofs.responses import best_response
from kibitz.solve.recursive.values.iteration import iterate
from kibitz.solve.recursive.values.kernels import Marks
from kibitz.solve.recursive.values.operators import Deadline, Operator
from kibitz.solve.recursive.values.path import newton

ROUGH, FEW_SWEEPS = 1e-3, 100
"""The worklist's tolerance, and its most sweeps; Newton's method does the rest."""


class Rounds(msgspec.Struct, frozen=True):
    """The expected rounds of a win at every node; infinite where player 0 does not win with probability 1.

    *expected* is computed in floating point, *at_most* is a proved bound for player 0's strategy. *rows* and
    *columns* are the strategies of players who hurry and delay, 0 where the rounds are infinite or none.
    """

    game: RecursiveGame
    expected: Floats
    at_most: Floats
    rows: Floats
    columns: Floats

    def at(self, state: Any) -> float:
        """The expected rounds of a state."""
        return float(self.expected[self.game.states.node(state)])


def expected_rounds(game: RecursiveGame, *, sets: GraphSets | None = None, deadline: Deadline | None = None) -> Rounds:
    """Solve the game of time on the states that are won with probability 1, with the rows that keep it so.

    *sets* are the graph sets of the game, if they are known already.
    """
    until = deadline or Deadline()
    known = sets or graph_sets(game)
    timed, fixed = _timed_game(game, known)
    found = newton(timed.game, Operator(), _roughly(game, known, timed, fixed, until), fixed, until)
    rows, columns = timed.mixes_at(found.values, fixed)
    expected = np.where(known.almost_surely_won, -found.values, np.inf)
    at_most = np.where(known.almost_surely_won, -_proved_rounds(timed, rows, fixed, until), np.inf)
    return Rounds(game, expected, at_most, rows, columns)


def _roughly(game: RecursiveGame, sets: GraphSets, timed: Restriction, fixed: Marks, deadline: Deadline) -> Floats:
    """Initial values: near the solution if wins are quick, else those of a strategy that does win."""
    quick = iterate(timed.game, Operator(), fixed=fixed, tolerance=ROUGH, sweeps=FEW_SWEEPS, deadline=deadline)
    if quick.finished:
        return quick.values
    rows = np.zeros(game.mix_starts(0)[-1])
    write_ranked_rows(game, sets, rows)
    return best_response(timed.game, rows[timed.rows], 0, fixed=fixed, deadline=deadline).values


def _proved_rounds(timed: Restriction, rows: Floats, fixed: Marks, deadline: Deadline) -> Floats:
    try:
        return best_response(timed.game, rows[timed.rows], 0, fixed=fixed, deadline=deadline).guaranteed
    except BadGame:  # rounding spoiled the strategy: against it, player 1 could go on for ever
        return np.full(timed.game.nodes, -np.inf)


def _timed_game(game: RecursiveGame, sets: GraphSets) -> tuple[Restriction, Marks]:
    """The game in which every round costs 1 and a win pays 0, with the rows after which play stays won
    with probability 1; and marks at all other nodes, which are left alone.
    """
    inside = sets.almost_surely_won
    elsewhere = np.repeat(~inside[: game.choices], np.diff(game.mix_starts(0)))
    less = restrict_game(game, rows=whole_rows(game, inside) | elsewhere)
    structure = msgspec.structs.replace(less.game.structure, stage=np.full(len(less.game.structure.successors), -1.0))
    nothing = np.zeros(len(game.low))
    timed = msgspec.structs.replace(less.game, structure=structure, low=nothing, high=nothing, infinite_play=0.0)
    fixed = (~inside).astype(np.uint8)
    fixed[game.live :] = 1
    return Restriction(timed, less.rows, less.columns), fixed
