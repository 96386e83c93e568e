"""Solves a recursive game: an interval per state, and the strategies that prove it."""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from kibitz import core
from kibitz.core.errors import BadGame
from kibitz.solve.matrices import FITTING
from kibitz.solve.recursive.game.building import build_game, survival
from kibitz.solve.recursive.game.game import (
    Predecessors,
    RecursiveGame,
    check_word,
    predecessors_of,
)
from kibitz.solve.recursive.proofs.intervals import IntervalSolver
from kibitz.solve.recursive.proofs.solution import Solution
from kibitz.solve.recursive.values import kernels
from kibitz.solve.recursive.values.iteration import iterate
from kibitz.solve.recursive.values.kernels import scratch_arrays
from kibitz.solve.recursive.values.operators import Deadline, Operator

Objective = Literal["payoff", "survival"]
BACKWARD_INDUCTION = "backward induction"
"""The method for games that always end."""
SOLVER_ERROR = 64 * 2.0**-53
"""The largest rounding error in the value of a matrix game, in units of its largest entry."""


def solve(
    game: str | core.Game | RecursiveGame,
    *,
    objective: Objective = "payoff",
    discount: float = 1.0,
    infinite_play: float | None = None,
    width: float = 1e-6,
    seconds: float | None = None,
    limit: int | None = None,
    told: Callable[[str], None] | None = None,
) -> Solution:
    """Solve a game until every state's interval is at most *width* wide or *seconds* are over.

    *objective* "survival" counts a win as 1 and everything else as 0. *discount* is the discount factor per round.
    *infinite_play* is the value of play without end; by default what the game's own `infinite_play` says, or 0. *limit*
    is the most states.
    """
    check_word("the objective", objective, get_args(Objective))
    _check_options(discount, width, seconds)
    model = build_game(game, infinite_play=infinite_play, limit=limit, told=told)
    if objective == "survival":
        model = survival(model)
    _check_sizes(model)
    deadline = Deadline(seconds, told)
    if discount < 1.0:
        return _solve_discounted(model, Operator(discount), deadline)
    before = predecessors_of(model)
    order = backward_order(model, before)
    if order is not None:
        return _ending(model, order, deadline)
    solver = IntervalSolver(model, before, width, deadline)
    del before, order  # the solver lets go of them, too, once it has read the graph
    solver.run()
    return solver.solution()


def _check_options(discount: float, width: float, seconds: float | None) -> None:
    """Raise BadGame for an invalid option."""
    if not 0.0 < discount <= 1.0:
        raise BadGame("the discount", f"it must lie between 0 and 1, not at {discount}")
    if not width > 0.0:
        raise BadGame("the width", f"it must be a number above 0, not {width}")
    if seconds is not None and not seconds >= 0.0:
        raise BadGame("the seconds", f"they must be 0 or more, not {seconds}")


def _check_sizes(game: RecursiveGame) -> None:
    """Raise BadGame for payoffs whose products doubles cannot hold."""
    largest = max(float(np.abs(each).max(initial=0.0)) for each in (game.low, game.high, game.structure.stage))
    if largest and not 1.0 / FITTING <= largest <= FITTING:
        raise BadGame("the game", f"its largest payoff is {largest:g}; state payoffs in units that make it about 1")


def backward_order(game: RecursiveGame, before: Predecessors) -> kernels.Int32 | None:
    """All nodes in an order in which all successors of a node come before it; None if play may enter a cycle."""
    order, left = np.empty(game.live, np.int32), np.zeros(game.nodes, np.int32)
    listed = kernels.backward_order(game.structure.arrays, before.first, before.nodes, left, order)
    return order if listed == game.live else None


def _ending(game: RecursiveGame, order: kernels.Int32, deadline: Deadline) -> Solution:
    """Solve a game that always ends, from its ends backwards."""
    low, high = game.start(game.low), game.start(game.high)
    kernels.induce(game.structure.arrays, order, low, high, scratch_arrays(*game.largest_shape()))
    return Solution(game, low, high, methods=(BACKWARD_INDUCTION,), seconds=deadline.elapsed_seconds())


def _solve_discounted(game: RecursiveGame, operator: Operator, deadline: Deadline) -> Solution:
    """Solve a discounted game: a sweep is a contraction, which bounds the error."""
    if not game.exact_ends:
        raise BadGame("the game", "discounted play needs exact ends, but values outside its table are only bounded")
    found = iterate(game, operator, method="newton", deadline=deadline)
    largest = float(np.abs(found.values).max()) + float(np.abs(game.structure.stage).max(initial=0.0))
    error = (found.residual + SOLVER_ERROR * largest) / (1.0 - operator.discount)
    low, high = found.values.copy(), found.values.copy()
    low[: game.live] -= error
    high[: game.live] += error
    return Solution(
        game,
        low,
        high,
        discount=operator.discount,
        methods=("discounted values",),
        seconds=deadline.elapsed_seconds(),
    )
