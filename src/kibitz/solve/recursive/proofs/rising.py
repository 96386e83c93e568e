"""Solve games in which nothing pays less than infinite play, such as games of survival: their values rise from 0."""

import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, Predecessors, RecursiveGame
from kibitz.solve.recursive.proofs.certificates import lowered_upper, raised_lower, snapped_upper
from kibitz.solve.recursive.proofs.checkpoints import Checkpoint, Stage
from kibitz.solve.recursive.proofs.graph import graph_sets
from kibitz.solve.recursive.proofs.responses import best_response
from kibitz.solve.recursive.proofs.solution import Solution
from kibitz.solve.recursive.values.chains import mixes_at
from kibitz.solve.recursive.values.newton import newton
from kibitz.solve.recursive.values.operators import SMALLEST_ETA, Deadline, survival_operator
from kibitz.solve.recursive.values.worklist import Worklist

LADDER = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, SMALLEST_ETA)
"""The distances of the discounts from 1, used one after another while an interval is too wide."""
NEWTON_STATES = 60_000
"""With more states than this open, linear equations take longer than the worklist."""


class OneSided:
    """One solve: values at discounts nearer and nearer to 1, and the bounds they prove."""

    def __init__(
        self, game: RecursiveGame, before: Predecessors, width: float, deadline: Deadline, kept: Checkpoint | None
    ) -> None:
        self.game, self.before, self.width, self.deadline, self.kept = game, before, width, deadline, kept

    def solution(self) -> Solution:
        """Continue until all intervals are narrow enough, the time is over, or no discount is left."""
        methods = ["graph sets"]
        self._begin()
        while self.open.any() and self._widest() > self.width and self.rung < len(LADDER):
            if self.deadline.has_passed():
                methods.append("time limit")
                break
            try:
                self._climb()
            except KeyboardInterrupt:
                self._save()
                raise
            methods += [] if "proved strategies" in methods else ["discounted values", "proved strategies"]
        return Solution(
            self.game,
            self.low,
            self.high,
            sets=self.sets,
            eta=LADDER[self.rung - 1] if self.rung else 0.0,
            methods=tuple(methods),
            seconds=self.deadline.elapsed_seconds(),
        )

    def _begin(self) -> None:
        """The bounds from the graph alone, or the stage of a checkpoint."""
        game, top = self.game, self.game.bounds[1]
        self.sets = graph_sets(game, self.before)
        self.known = self.sets.decided_nodes
        self.open = self.known[: game.live] == 0
        self.low, self.high = game.start(game.low), game.start(game.high, top)
        self.low[: game.live][self.sets.ranks[: game.live] >= 0] = top
        self.high[: game.live][self.sets.zero[: game.live]] = 0.0
        self.estimate, self.rung = self.low.copy(), 0
        stage = self.kept.load() if self.kept is not None else None
        if stage is not None:
            self.low, self.high, self.estimate, self.rung = stage.low, stage.high, stage.estimate, stage.rung

    def _climb(self) -> None:
        """One discount: the values at it, the lower bound they prove, and upper bounds near them."""
        game, eta = self.game, LADDER[self.rung]
        self.deadline.tell(f"{self.open.sum():,} states open, widest {self._widest():.3g}, discount 1 - {eta:.3g}")
        self._discount(self.estimate, eta)
        above = self.estimate
        if not game.exact_ends:  # from player 1's side, states outside are worth more
            above = np.where(self.known.astype(bool), self.high, self.estimate)
            above[game.live :] = game.high
            self._discount(above, eta)
        self.low = raised_lower(game, self.low, self.estimate, self.known)
        self._lower_upper(above, eta)
        self.rung += 1
        self._save()

    def _discount(self, values: Floats, eta: float) -> None:
        """Iterate *values* to the fixed point of the discount, in place."""
        operator = survival_operator(1.0 - eta)
        fixed = self.known.copy()
        fixed[self.game.live :] = 1
        if eta == LADDER[0] or self.open.sum() > NEWTON_STATES:
            worklist = Worklist(self.game, values, fixed, self.before)
            worklist.fill_all()
            worklist.run(operator, 1e-10 if eta == LADDER[0] else 1e-3 * eta, self.deadline, self._save_now_and_then)
        else:
            values[:] = newton(self.game, operator, values, fixed, self.deadline).values

    def _lower_upper(self, estimate: Floats, eta: float) -> None:
        """Upper bounds by three methods, one after another while they are needed."""
        game, known = self.game, self.known
        # 1. Simple fractions, checked in rational numbers.
        self.high = snapped_upper(game, self.high, estimate, known, min(0.05, 40.0 * eta**0.5), self.deadline)[0]
        # 2. What player 1's strategy concedes to the best response.
        if self._wanting() and self.open.sum() <= NEWTON_STATES:
            columns = mixes_at(game, estimate, known)[1]
            held = np.where(known.astype(bool), self.high, game.start(game.high))
            answered = best_response(game, columns, 1, fixed=known, held=held, deadline=self.deadline)
            self.high = np.minimum(self.high, answered.guaranteed)
        # 3. A little more than the estimate everywhere: optimistic value iteration (Hartmanns and Kaminski 2020).
        for more in (1e-9, 1e-7, 1e-5, 1e-3):
            if self._wanting() and more <= eta**0.5:
                self.high = lowered_upper(game, self.high, estimate + more * game.bounds[1], known)

    def _wanting(self) -> bool:
        return self._widest() > self.width and not self.deadline.has_passed()

    def _widest(self) -> float:
        widths: NDArray[np.float64] = self.high - self.low
        return float(widths[: self.game.live].max(initial=0.0))

    def _save(self) -> None:
        if self.kept is not None:
            self.kept.save(Stage(self.low, self.high, self.estimate, self.rung))

    def _save_now_and_then(self) -> None:
        if self.kept is not None and self.kept.due():
            self._save()
