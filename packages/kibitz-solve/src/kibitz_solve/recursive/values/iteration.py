"""Value iteration: by the worklist, by Newton's method, and by plain sweeps for comparison."""

from typing import Any, Literal, get_args

import numpy as np

from kibitz_solve.recursive.building.recursive_game import Floats, Predecessors, RecursiveGame, check_word
from kibitz_solve.recursive.proofs.graph import graph_sets
from kibitz_solve.recursive.values import kernels
from kibitz_solve.recursive.values.kernels import Marks, scratch_arrays
from kibitz_solve.recursive.values.operators import Deadline, IterationResult, Operator, Worklist, survival_operator
from kibitz_solve.recursive.values.path import newton

Method = Literal["worklist", "gauss-seidel", "jacobi", "newton"]
FEW_SWEEPS, NEAR = 200, 1e-2
"""The sweeps to try before Newton's method; and the change, as a part of the discount's loss, that counts as none."""


def iterate(
    game: RecursiveGame,
    operator: Operator,
    *,
    method: Method = "worklist",
    start: Floats | None = None,
    fixed: Marks | None = None,
    tolerance: float = 1e-9,
    sweeps: int = 1_000_000,
    deadline: Deadline | None = None,
    before: Predecessors | None = None,
) -> IterationResult:
    """Apply the operator until no value changes by more than *tolerance*, or *sweeps* sweeps are done.

    States marked in *fixed* keep their initial value. From 0 without discount, values rise to Everett's critical
    vector if no payoff is below 0, and may stall for long anywhere below it.
    """
    check_word("the method", method, get_args(Method))
    values = game.start(game.low) if start is None else start.copy()
    still = np.zeros(game.nodes, np.uint8) if fixed is None else fixed
    until = deadline or Deadline()
    if method == "worklist":
        worklist = Worklist(game, values, still, before)
        if start is None and operator.step == 0.0 and not len(game.structure.stage):
            worklist.add_predecessors((values != 0.0).astype(np.uint8))
        else:
            worklist.fill_all()
        return worklist.run(operator, tolerance, until, sweeps=sweeps)
    if method == "newton":
        if operator.floor == 0.0 <= game.bounds[0]:  # nothing can be won there, and linear equations have no floor
            nothing = graph_sets(game, before).zero
            values[: game.live][nothing[: game.live]] = 0.0
            still = still | nothing.astype(np.uint8)
        return newton(game, operator, values, still, until)
    scratch, solved = scratch_arrays(*game.largest_shape()), int((still[: game.choices] == 0).sum())
    other = values if method == "gauss-seidel" else values.copy()
    count, change = 0, np.inf
    while change > tolerance and count < sweeps and not until.has_passed():
        change = kernels.sweep(game.structure.arrays, values, operator.numbers, still, other, scratch)
        values, other = other, values
        count += 1
    kernels.settle_chance(game.structure.arrays, values, 0.0)
    return IterationResult(values, change, count * solved, change <= tolerance)


def discounted_values(
    game: RecursiveGame, discount: float, start: Floats | None = None, deadline: Deadline | None = None
) -> Floats:
    """The values of a discounted game, by a few sweeps, or by Newton's method if these do not suffice."""
    operator, tolerance = survival_operator(discount), NEAR * (1.0 - discount)
    limits: dict[str, Any] = {"tolerance": tolerance, "sweeps": FEW_SWEEPS, "deadline": deadline}
    swept = iterate(game, operator, method="gauss-seidel", start=start, **limits)
    if swept.finished:
        return swept.values
    return iterate(game, operator, method="newton", start=swept.values, deadline=deadline).values
