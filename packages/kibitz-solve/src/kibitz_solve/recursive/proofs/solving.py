"""Builds a recursive game from any game of kibitz and solves it: an interval per state, proved by strategies."""

from collections.abc import Callable
from typing import Literal, get_args

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadGame, short_repr
from kibitz.core.registry import kit_of, make_game
from kibitz_lab.equilibria.matrices import FITTING
from kibitz_solve.recursive.building.enumeration import ENUMERATED_LIMIT, check_size, endless_payoff, enumerate_game
from kibitz_solve.recursive.building.recursive_game import (
    Predecessors,
    RecursiveGame,
    beyond_infinite_play,
    check_infinite_play,
    check_word,
    predecessors_of,
)
from kibitz_solve.recursive.building.tabled import STATE_LIMIT, from_table
from kibitz_solve.recursive.proofs.intervals import IntervalSolver
from kibitz_solve.recursive.proofs.solution import Solution
from kibitz_solve.recursive.values import kernels
from kibitz_solve.recursive.values.iteration import iterate
from kibitz_solve.recursive.values.kernels import scratch_arrays
from kibitz_solve.recursive.values.operators import Deadline, Operator


def build_game(
    game: str | core.Game | RecursiveGame,
    *,
    infinite_play: float | None = None,
    limit: int | None = None,
    table: bool = True,
    report: Callable[[str], None] | None = None,
    steps: int | None = None,
) -> RecursiveGame:
    """Build a recursive game from any finite zero-sum game of two players without secrets; a recursive one is returned.

    A registered game that offers `table` is read from it; any other is enumerated from its initial state, by at most
    *steps* steps of the rules. *infinite_play* is what play without end pays player 0; by default what the game's own
    `infinite_play` says, or 0. A game of more than *limit* states is refused, as early as random matches can tell.
    *report* is called with progress.
    """
    if limit is not None and (type(limit) is not int or limit < 1):
        raise BadGame("the limit", f"it must be a whole number, at least 1, not {short_repr(limit)}")
    if isinstance(game, RecursiveGame):
        check_size("the game", game.choices, limit or game.choices)
        if infinite_play is None:
            return game
        low, high = (beyond_infinite_play(ends + game.infinite_play, infinite_play) for ends in (game.low, game.high))
        return msgspec.structs.replace(game, low=low, high=high, infinite_play=infinite_play)
    made = make_game(game)
    check_solvable(made)
    endless = endless_payoff(made) if infinite_play is None else infinite_play
    check_infinite_play(endless)
    make_table = kit_of(made).table if table else None
    if make_table is not None:
        return from_table(made, make_table(made), infinite_play=endless, limit=limit or STATE_LIMIT)
    return enumerate_game(made, infinite_play=endless, limit=limit or ENUMERATED_LIMIT, report=report, steps=steps)


def check_solvable(game: core.Game) -> None:
    """Raise BadGame for a game that the solver cannot solve."""
    if game.players != 2 or not game.zero_sum or game.hidden:
        raise BadGame(game, "only games of two players, zero-sum and without secrets can be solved")


def survival(game: RecursiveGame) -> RecursiveGame:
    """The same game played to win: payoffs above that of infinite play count 1, all others 0 (4.7)."""
    return msgspec.structs.replace(
        game, low=(game.low > 0.0).astype(float), high=(game.high > 0.0).astype(float), infinite_play=0.0
    )


def complement(game: RecursiveGame) -> RecursiveGame:
    """The same game of survival in which a win is worth 0 and all else -1, infinite play included.

    Near a sure win, values near 0 keep the digits that values near 1 lose.
    """
    return msgspec.structs.replace(game, low=game.low - 1.0, high=game.high - 1.0)


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
    report: Callable[[str], None] | None = None,
) -> Solution:
    """Solve a game until every state's interval is at most *width* wide or *seconds* are over.

    *objective* "survival" counts a win as 1 and everything else as 0. *discount* is the discount factor per round.
    *infinite_play* is the value of play without end; by default what the game's own `infinite_play` says, or 0. *limit*
    is the most states.
    """
    check_word("the objective", objective, get_args(Objective))
    _check_options(width, seconds)
    operator = Operator(discount)
    model = build_game(game, infinite_play=infinite_play, limit=limit, report=report)
    if objective == "survival":
        model = survival(model)
    _check_sizes(model)
    deadline = Deadline(seconds, report)
    if discount < 1.0:
        return _solve_discounted(model, operator, deadline)
    before = predecessors_of(model)
    order = backward_order(model, before)
    if order is not None:
        return _ending(model, order, deadline)
    solver = IntervalSolver(model, before, width, deadline)
    del before, order  # the solver lets go of them, too, once it has read the graph
    solver.run()
    return solver.solution()


def _check_options(width: float, seconds: float | None) -> None:
    """Raise BadGame for an invalid option."""
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
    iterated = iterate(game, operator, method="newton", deadline=deadline)
    largest = float(np.abs(iterated.values).max()) + float(np.abs(game.structure.stage).max(initial=0.0))
    error = (iterated.residual + SOLVER_ERROR * largest) / (1.0 - operator.discount)
    low, high = iterated.values.copy(), iterated.values.copy()
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
