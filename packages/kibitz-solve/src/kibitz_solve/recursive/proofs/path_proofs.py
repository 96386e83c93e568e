"""Proofs along the discounted path: the strategies at its values, and then ever further down.

1. Both players' strategies at the path's values, each with the best response to it.
2. The path of the few states that are left, in hundreds of digits. A player who is *behind* (worth less than infinite
   play) only has to stay level there, and the small shares that a discount adds to their strategy would let the other
   wait for them. Who is *ahead* needs shares as small as eta, which doubles cannot hold beside large ones. There the
   values themselves are the proof: discounted ones are below those of their matrices, so that they rise in every round
   (Everett 1957). This is tested in whole numbers, and the bounds are stored with all digits.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from kibitz.core.errors import BadGame
from kibitz_lab.equilibria.matrices import solve_integers
from kibitz_solve.recursive.building.recursive_game import Floats
from kibitz_solve.recursive.proofs.bounds import Bounds
from kibitz_solve.recursive.proofs.responses import Process, best_response, exact_response
from kibitz_solve.recursive.values import fixed_point
from kibitz_solve.recursive.values.chains import mixes_at, without_small_shares
from kibitz_solve.recursive.values.kernels import Marks
from kibitz_solve.recursive.values.long_path import LEAST_ETA, LongPath
from kibitz_solve.recursive.values.operators import Deadline
from kibitz_solve.recursive.values.path import LAST_ETA, Path

BETWEEN, BETWEEN_STRATEGIES, LEAST_EXACT = 1e-10, 1e-2, 1e-26
"""How much eta falls from one proof to the next, at last and while strategies are proved exactly; and from which eta on
that takes too long."""
DIGITS_BEYOND_ETA = 24
"""The bits of a bound beyond those of eta."""
CHANGE = 1.0 / 16.0
"""The path ends where its values change by no more than this part of the width that is wanted, twice, while eta falls
fast."""
PROOF_EVERY = 4
"""Points of the path from one proof to the next."""
SMALLEST_SHARE = 1e-14
"""Smaller shares of a player who is ahead are rounding; those of one who is behind count from 1,000 eta on."""
THRESHOLDS = (1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
"""Below which shares of a player who is behind are dropped, one after the other."""
RELIABLE = 1e-9
"""The path in hundreds of digits begins where rounding does not matter yet."""
LEAST_BEHIND = 1e-3
"""The least share of a player who is behind in these strategies."""


class PathProofs:
    """The proofs of one or both players, which improve the bounds of the nodes that are not *known*."""

    def __init__(
        self,
        bounds: Bounds,
        known: Marks,
        width: float,
        deadline: Deadline,
        players: tuple[int, ...] = (0, 1),
        is_part: bool = False,
    ) -> None:
        self.game, self.bounds, self.known, self.width, self.deadline = bounds.game, bounds, known, width, deadline
        self.players, self.is_part = players, is_part
        self.last_eta = max(LAST_ETA, 1e-3 * width**2)
        """What is left of the discount is about its square root."""
        self.methods = ["discounted values", "proved strategies"]
        self.eta = 0.0
        self.endless: BadGame | None = None
        """Why a strategy could not be judged: payoffs on the way would add up for ever."""

    def run(self) -> None:
        """Prove the players' strategies along the path, and beyond its end."""
        bounds, known = self.bounds, self.known
        middle = (bounds.low + bounds.high) / 2.0 if len(self.players) == 2 else bounds.of(self.players[0])
        path = Path(self.game, known, np.where(known, middle, np.clip(0.0, bounds.low, bounds.high)), self.deadline)
        path.begin()
        points, goes_on = 0, True
        while goes_on and path.eta > self.last_eta and self._is_wanting():
            self.deadline.tell(f"widest interval {bounds.width():.3g}, discount 1 - {path.eta:.3g}")
            goes_on = path.next_point()
            points += 1
            if not goes_on or path.eta <= self.last_eta or points % PROOF_EVERY == 0:
                self._prove(path)
        if not goes_on and not self.deadline.has_passed():
            self.methods += [f"path lost at 1 - {path.eta:.1g}"]
        self.eta = path.eta
        if self._is_wanting() and not self.is_part:
            self._follow_far(path)

    def _prove(self, path: Path) -> None:
        """Both players' strategies at the path's values."""
        for player in self.players:
            mixes = mixes_at(self.game, path.values, self.known)[player]
            ahead, behind = max(1e-3 * path.eta, SMALLEST_SHARE), min(1e3 * path.eta, 1e-3)
            self._answer(player, path.values, mixes, behind, ahead, self.known)

    def _follow_far(self, path: Path) -> None:
        """Follow the path of the few states that are left in hundreds of digits."""
        closed = self.bounds.closed_nodes(self.width)
        point = max([0, *(number for number, eta in enumerate(path.etas) if eta >= RELIABLE)])
        low, high = self.bounds.low, self.bounds.high
        start = np.where(closed, (low + high) / 2.0, path.history[point])
        along = partial(LongPath, self.game, start=start, eta=path.etas[point], deadline=self.deadline)
        both = along(
            fixed=closed, value_of=lambda node, bits: fixed_point.to_fixed(float(low[node] + high[node]) / 2.0, bits)
        )
        if not both.can_begin():
            return
        self.methods += ["discounted values in hundreds of digits"]
        values = self._descend(both, partial(self._prove_both, closed))
        for player, sign in ((0, 1.0), (1, -1.0)):  # paths through the states where a player is ahead
            fixed = closed | ~(sign * values > 0.0)
            wide = self.bounds.widths() > self.width
            if self._is_wanting() and (wide & (fixed[: self.game.live] == 0)).any():
                own = along(fixed=fixed, value_of=partial(self.bounds.exactly, player))
                if own.can_begin():
                    self._descend(own, partial(self._prove_values, player))

    def _descend(self, path: LongPath, prove: Callable[[LongPath], None]) -> Floats:
        """Go down a path, with proofs on the way, until its values stand still; return these."""
        values, still = path.doubles(), 0
        while self._is_wanting() and still < 2 and path.eta > LEAST_ETA:
            self.deadline.tell(f"widest interval {self.bounds.width():.3g}, discount 1 - {path.eta:.3g}")
            falls = BETWEEN if path.eta < LEAST_EXACT else BETWEEN_STRATEGIES
            goes_on = path.descend(max(path.eta * falls, LEAST_ETA))
            before, values = values, path.doubles()
            still += falls == BETWEEN and float(np.abs(values - before).max()) <= CHANGE * self.width
            prove(path)
            if not goes_on:
                break
        return values

    def _prove_both(self, closed: Marks, path: LongPath) -> None:
        """Both players' strategies where they are behind; and where no state of theirs is, their bounds ahead."""
        values = path.doubles()
        for player, sign in ((0, 1.0), (1, -1.0)):
            if (sign * values[path.active] > 0.0).all():
                self._prove_values(player, path)
            else:
                self._answer_from_far(player, values, path.mixes(player), closed, path.eta)

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

    def _answer_from_far(self, player: int, values: Floats, mixes: Floats, closed: Marks, eta: float) -> None:
        """Improve the bounds by a strategy from a point of the path in hundreds of digits."""
        for threshold in (LEAST_BEHIND, eta**0.125, eta**0.25) if eta >= LEAST_EXACT else ():
            if self._is_wanting():
                self._answer_exactly(player, values, mixes, closed, threshold)
        for threshold in THRESHOLDS:
            if self._is_wanting():
                self._answer(player, values, mixes, threshold, SMALLEST_SHARE, closed)

    def _answer_exactly(self, player: int, values: Floats, mixes: Floats, fixed: Marks, behind: float) -> None:
        """Improve the bounds by the best response to a strategy with very small shares where its owner is ahead."""
        kept, bound = self._without_leaks(player, values, mixes, behind, 0.0), self.bounds.of(player)
        try:
            process = Process(self.game, kept, player, fixed, np.where(fixed, bound, 0.0))
        except BadGame as error:
            self.endless = error
            return
        exact = exact_response(process, partial(self.bounds.exactly, player), self.deadline)
        if exact is not None:
            proved = bound.copy()
            proved[list(exact)] = [parts[0] for parts in exact.values()]
            self.bounds.improve(player, proved, kept, {node: parts[1:] for node, parts in exact.items()})

    def _answer(self, player: int, values: Floats, mixes: Floats, behind: float, ahead: float, fixed: Marks) -> None:
        """Improve the bounds by the best response to a strategy without its small shares."""
        kept = self._without_leaks(player, values, mixes, behind, ahead)
        payoffs = np.where(fixed, self.bounds.of(player), 0.0)
        try:
            answered = best_response(
                self.game, kept, player, fixed=fixed, payoffs=payoffs, deadline=self.deadline, precise=False
            )
        except BadGame as error:
            self.endless = error
            return
        self.bounds.improve(player, answered.guaranteed, kept)

    def _without_leaks(self, player: int, values: Floats, mixes: Floats, behind: float, ahead: float) -> Floats:
        """A strategy without shares below one threshold where its owner is behind, another where they are ahead."""
        starts, sign = self.game.mix_starts(player), 1.0 - 2.0 * player
        least = np.where(sign * values[: self.game.choices] > 0.0, ahead, behind)
        return without_small_shares(mixes, np.repeat(least, np.diff(starts)), starts)

    def _is_wanting(self) -> bool:
        return self.bounds.width() > self.width and not self.deadline.has_passed()
