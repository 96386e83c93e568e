"""Solve games with payoffs above and below infinite play: bounds come from best responses to both strategies."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, Predecessors, RecursiveGame
from kibitz.solve.recursive.game.policies import Policy
from kibitz.solve.recursive.proofs.certificates import EXACT_STATES, limits
from kibitz.solve.recursive.proofs.checkpoints import Checkpoint, Stage
from kibitz.solve.recursive.proofs.responses import best_response
from kibitz.solve.recursive.proofs.rising import LADDER
from kibitz.solve.recursive.proofs.solution import ProvedPolicy, Solution
from kibitz.solve.recursive.values.chains import mixes_at
from kibitz.solve.recursive.values.newton import newton
from kibitz.solve.recursive.values.operators import Deadline, survival_operator

DUST = 1e-13
"""Smaller shares are dropped from a strategy before its best response is computed."""


class TwoSided:
    """One solve: strategies at discounts nearer and nearer to 1, and what each of them guarantees."""

    def __init__(
        self, game: RecursiveGame, before: Predecessors, width: float, deadline: Deadline, kept: Checkpoint | None
    ) -> None:
        self.game, self.before, self.width, self.deadline, self.kept = game, before, width, deadline, kept

    def solution(self) -> Solution:
        """Continue until all intervals are narrow enough, the time is over, or no discount is left."""
        game = self.game
        least, most = game.bounds
        self.low, self.high = game.start(game.low, least), game.start(game.high, most)
        self.mixes = [_even(game, player) for player in (0, 1)]
        self.estimate, self.rung = game.start((game.low + game.high) / 2.0), 0
        stage = self.kept.load() if self.kept is not None else None
        if stage is not None:  # strategies are not stored: they follow from the values
            self.estimate, self.rung = stage.estimate, max(stage.rung - 1, 0)
        while (self.high - self.low).max() > self.width and self.rung < len(LADDER) and not self.deadline.has_passed():
            self._climb()
        return Solution(
            game,
            self.low,
            self.high,
            given=(self._proved_policy(0), self._proved_policy(1)),
            eta=LADDER[self.rung - 1] if self.rung else 0.0,
            methods=("discounted values", "best responses"),
            seconds=self.deadline.elapsed_seconds(),
        )

    def _climb(self) -> None:
        """One discount: the values at it, both players' strategies, and their best responses."""
        game, eta = self.game, LADDER[self.rung]
        self.deadline.tell(f"widest interval {(self.high - self.low).max():.3g}, discount 1 - {eta:.3g}")
        fixed = np.zeros(game.nodes, np.uint8)
        fixed[game.live :] = 1
        start = game.start((game.low + game.high) / 2.0, game.bounds[0])  # from below, as Newton's method needs it
        self.estimate = newton(game, survival_operator(1.0 - eta), start, fixed, self.deadline).values
        for player, vector in self._vectors(eta):
            mixes = without_dust(mixes_at(game, vector, fixed)[player], game.mix_starts(player))
            proved = best_response(game, mixes, player, deadline=self.deadline).guaranteed
            held = self.low if player == 0 else self.high
            if (proved.sum() > held.sum()) == (player == 0):
                self.low, self.high = (proved, self.high) if player == 0 else (self.low, proved)
                self.mixes[player] = mixes
        self.rung += 1
        if self.kept is not None:
            self.kept.save(Stage(self.low, self.high, self.estimate, self.rung))

    def _proved_policy(self, player: int) -> ProvedPolicy:
        policy = Policy(player, self.game.mix_starts(player), self.mixes[player])
        return ProvedPolicy(policy, self.low if player == 0 else self.high)

    def _vectors(self, eta: float) -> Iterator[tuple[int, Floats]]:
        """The values that strategies are made from: discounted ones for both players; and those of (3.14).

        (3.14) takes candidates for the undiscounted values where these are a player's loss.
        """
        yield 0, self.estimate
        yield 1, self.estimate
        if self.game.nodes <= EXACT_STATES:
            guessed = limits(self.estimate, min(0.05, 40.0 * eta**0.5) * float(np.abs(self.estimate).max()))
            yield 0, np.where(self.estimate < 0.0, guessed, self.estimate)
            yield 1, np.where(self.estimate > 0.0, guessed, self.estimate)


def without_dust(mixes: Floats, starts: NDArray[np.int64]) -> Floats:
    """The strategies without the tiny shares that rounding leaves: such exits make equations singular."""
    kept = np.where(mixes < DUST, 0.0, mixes)
    sums: Floats = np.repeat(np.add.reduceat(kept, starts[:-1]), np.diff(starts)) if len(mixes) else kept
    return kept / sums


def _even(game: RecursiveGame, player: int) -> Floats:
    """All actions with equal shares."""
    counts = np.diff(game.mix_starts(player))
    return np.repeat(1.0 / counts, counts)
