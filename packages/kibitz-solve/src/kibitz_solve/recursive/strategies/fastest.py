"""Play for time: expected rounds of a win (4.3), and the strategies that win soonest or lose latest among equals."""

from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadGame
from kibitz_solve.recursive.building.policies import Policy
from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame
from kibitz_solve.recursive.building.restriction import Flags, Restriction, action_indices, restrict_game, whole_rows
from kibitz_solve.recursive.proofs.graph import GraphSets, graph_sets, write_ranked_rows
from kibitz_solve.recursive.proofs.responses import best_response
from kibitz_solve.recursive.proofs.solution import ProvedPolicy, Solution
from kibitz_solve.recursive.values.iteration import iterate
from kibitz_solve.recursive.values.kernels import Marks
from kibitz_solve.recursive.values.operators import Deadline, Operator, survival_operator
from kibitz_solve.recursive.values.path import newton

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
    solved = newton(timed.game, Operator(), _roughly(game, known, timed, fixed, until), fixed, until)
    rows, columns = timed.mixes_at(solved.values, fixed)
    expected = np.where(known.almost_surely_won, -solved.values, np.inf)
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


ETA = 1e-6
"""The loss per round, 1 less the discount factor, for a player who delays."""
SPOILT = 1e-9
"""The most that a new strategy may concede more than the old one."""


def timely(solution: Solution, deadline: Deadline | None = None) -> tuple[ProvedPolicy, ProvedPolicy]:
    """Both strategies of a solution, with better timing and the same guarantees.

    Where the win has probability 1 they are those of the game of rounds (4.3). Elsewhere rounds are infinite. There
    player 0's strategy stays, which prefers sooner wins because it comes from discounted values; player 1 minimises
    the discounted value with the columns that concede no more than their bound.
    """
    until = deadline or Deadline()
    game, sets = solution.game, solution.sets or graph_sets(solution.game)
    rounds = expected_rounds(game, sets=sets, deadline=until)
    won = sets.almost_surely_won[: game.choices] & np.isfinite(rounds.at_most[: game.choices])
    hurried = laid_over(game, 0, solution.policy(0).shares, rounds.rows, won)
    late, delaying = delaying_columns(solution, sets, until)
    delayed = laid_over(game, 1, solution.policy(1).shares, late, delaying)
    delayed = laid_over(game, 1, delayed, rounds.columns, won)
    return (
        ProvedPolicy(Policy(0, game.mix_starts(0), hurried), solution.guarantee(0) - game.infinite_play),
        _proved_columns(solution, delayed, until),
    )


def laid_over(game: RecursiveGame, player: int, under: Floats, over: Floats, states: Flags) -> Floats:
    """A player's shares: *over* in the marked states, *under* everywhere else."""
    return np.where(np.repeat(states, np.diff(game.mix_starts(player))), over, under)


def delaying_columns(solution: Solution, sets: GraphSets, deadline: Deadline) -> tuple[Floats, Flags]:
    """Player 1's strategy in states where a win is possible, not sure, and some columns concede no more than the bound;
    and these states. It uses no other columns.
    """
    game = solution.game
    own = np.repeat(solution.high[: game.choices], np.diff(game.structure.first))
    fair = np.ones(game.mix_starts(1)[-1], bool)
    fair[action_indices(game)[1][solution.high[game.structure.successors] > own]] = False
    choosing = np.logical_or.reduceat(fair, game.mix_starts(1)[:-1]) & (sets.decided_nodes[: game.choices] == 0)
    if not choosing.any():
        return np.zeros(len(fair)), choosing
    elsewhere = np.repeat(~choosing, np.diff(game.mix_starts(1)))
    less = restrict_game(game, columns=fair | elsewhere)
    fixed: Marks = sets.decided_nodes.copy()
    fixed[game.live :] = 1
    start = np.where(fixed != 0, solution.low, 0.0)
    values = newton(less.game, survival_operator(1.0 - ETA), start, fixed, deadline).values
    skipped = np.ones(game.nodes, np.uint8)
    skipped[: game.choices] = ~choosing
    return less.mixes_at(values, skipped)[1], choosing


def _proved_columns(solution: Solution, columns: Floats, deadline: Deadline) -> ProvedPolicy:
    """The strategy with what it concedes; the solution's own strategy if rounding made the new one concede more."""
    game, proved = solution.game, solution.guarantee(1) - solution.game.infinite_play
    if not (proved == solution.high).all():  # then the solution's own came from a best response, and so does this one
        conceded = best_response(game, columns, 1, deadline=deadline).guaranteed
        if (conceded > proved + SPOILT).any():
            return ProvedPolicy(solution.policy(1), proved)
        proved = np.clip(conceded, solution.high, game.bounds[1])
    return ProvedPolicy(Policy(1, game.mix_starts(1), columns), proved)
