"""Proofs along a path of hundreds of digits, for the few states whose intervals stay wide otherwise.

The player who is *behind* (worth less than infinite play) holds a strategy without small shares, as on every path. Who
is *ahead* needs shares as small as eta, which doubles cannot hold beside large ones. There the values themselves are
the proof: discounted ones are below those of their matrices, so that they rise in every round (Everett 1957). This is
tested in whole numbers, and the bounds are stored with all digits.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from kibitz.solve.exact import solve_integers
from kibitz.solve.recursive.game.game import Floats
from kibitz.solve.recursive.proofs.bounds import Bounds
from kibitz.solve.recursive.values import fixed_point
from kibitz.solve.recursive.values.fixed_point import Held
from kibitz.solve.recursive.values.kernels import Marks
from kibitz.solve.recursive.values.long_path import LAST_ETA, LongPath
from kibitz.solve.recursive.values.operators import Deadline

BETWEEN, BETWEEN_STRATEGIES, LEAST_EXACT = 1e-10, 1e-2, 1e-26
"""How much eta falls from one proof to the next, at last and while strategies are proved exactly; and from which eta on
that takes too long."""
DIGITS_BEYOND_ETA = 24
"""The bits of a bound beyond those of eta."""
CHANGE = 1.0 / 16.0
"""The path ends where its values change by no more than this part of the width that is wanted, twice, while eta falls
fast."""
Answer = Callable[[int, Floats, Floats, Marks, float], None]
"""Improves the bounds by best responses to a player's strategy: values, shares, closed nodes, eta."""


class LongProofs:
    """Proofs for the nodes that are not *closed*, from a point of the discounted path on."""

    def __init__(self, bounds: Bounds, closed: Marks, width: float, deadline: Deadline, answer: Answer) -> None:
        self.game, self.bounds, self.closed, self.width = bounds.game, bounds, closed, width
        self.deadline, self.answer = deadline, answer

    def run(self, start: Floats, eta: float) -> bool:
        """Improve the bounds; return whether there is such a path."""
        path = self._path(self.closed, self._middle, start, eta)
        if not path.can_begin():
            return False
        values = self._follow(path, self._prove_both)
        for player in (0, 1):
            if self._is_wide():
                self._follow_ahead(player, values, start, eta)
        return True

    def _follow(self, path: LongPath, prove: Callable[[LongPath], None]) -> Floats:
        """Go down a path, with proofs on the way, until its values stand still; return these."""
        values, still = path.doubles(), 0
        while self._is_wide() and still < 2 and path.eta > LAST_ETA:
            self.deadline.tell(f"widest interval {self.bounds.width():.3g}, discount 1 - {path.eta:.3g}")
            falls = BETWEEN if path.eta < LEAST_EXACT else BETWEEN_STRATEGIES
            goes_on = path.descend(max(path.eta * falls, LAST_ETA))
            before, values = values, path.doubles()
            still += falls == BETWEEN and float(np.abs(values - before).max()) <= CHANGE * self.width
            prove(path)
            if not goes_on:
                break
        return values

    def _prove_both(self, path: LongPath) -> None:
        """Both players' strategies where they are behind; and where no state of theirs is, their bounds ahead."""
        values = path.doubles()
        for player, sign in ((0, 1.0), (1, -1.0)):
            if (sign * values[path.active] > 0.0).all():
                self._prove_values(player, path)
            else:
                self.answer(player, values, path.mixes(player), self.closed, path.eta)

    def _follow_ahead(self, player: int, values: Floats, start: Floats, eta: float) -> None:
        """A path of a player's own, through the states where they are ahead, with their bounds of all others."""
        sign = 1.0 - 2.0 * player
        wide = np.zeros(self.game.nodes, bool)
        wide[: self.game.live] = self.bounds.widths() > self.width
        fixed = self.closed | ~(sign * values > 0.0)
        if not (wide & (fixed == 0)).any():
            return
        path = self._path(fixed, partial(self.bounds.exactly, player), start, eta)
        if path.can_begin():
            self._follow(path, lambda path: self._prove_values(player, path))

    def _prove_values(self, player: int, path: LongPath) -> None:
        """Take over the values of a path as a player's bounds if they rise in every round."""
        sign, bits = 1 - 2 * player, path.bits
        cut = max(0, bits - int(-np.log2(path.eta)) - DIGITS_BEYOND_ETA)
        bound = {node: self.bounds.exactly(player, node, bits) for node in path.values}
        for node in path.active:  # rounded to the player's disadvantage
            bound[node] = sign * (sign * path.values[node] >> cut << cut)
        for move in path.outcomes:
            bound[move] = sign * (sign * path.mean(move, bound) - 1 >> cut << cut)
        if not all(self._rises(path, state, bound, sign) for state in path.tables):
            return
        numbers, rests = self.bounds.of(player).copy(), {}
        for node in path.active:
            number, *rest = (sign * part for part in fixed_point.to_doubles(sign * bound[node], bits))
            numbers[node], rests[node] = number, tuple(rest)
        mixes = path.mixes(player)
        self.bounds.mixes[player].write(mixes, self.game.mix_starts(player))  # doubles can hold what proved less
        self.bounds.improve(player, numbers, mixes, rests)

    @staticmethod
    def _rises(path: LongPath, state: int, bound: dict[int, int], sign: int) -> bool:
        """Whether the value of a state's matrix is better than its bound, so that some mix improves on it."""
        game = solve_integers(path.matrix(state, bound), path.bases.get(state))
        return sign * bound[state] > 0 and sign * (game.value - bound[state] * game.total) > 0

    def _path(self, fixed: Marks, held: Held, start: Floats, eta: float) -> LongPath:
        return LongPath(self.game, fixed, held, start, eta, self.deadline)

    def _middle(self, node: int, bits: int) -> int:
        return fixed_point.to_fixed(float(self.bounds.low[node] + self.bounds.high[node]) / 2.0, bits)

    def _is_wide(self) -> bool:
        return self.bounds.width() > self.width and not self.deadline.has_passed()
