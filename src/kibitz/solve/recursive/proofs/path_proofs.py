"""Proofs along the discounted path: the strategies at its values, and then ever further down.

1. Both players' strategies at the path's values, each with the best response to it.
2. The path of the few states that are left, in hundreds of digits. A player who is *behind* (worth less than infinite
   play) only has to stay level there, and the small shares that a discount adds to their strategy would let the other
   wait for them.
"""

from functools import partial

import numpy as np

from kibitz.core.errors import BadGame
from kibitz.solve.recursive.game.game import Floats
from kibitz.solve.recursive.proofs.bounds import Bounds
from kibitz.solve.recursive.proofs.exact_responses import exact_response
from kibitz.solve.recursive.proofs.graph import Marks
from kibitz.solve.recursive.proofs.long_proofs import LEAST_EXACT, LongProofs
from kibitz.solve.recursive.proofs.responses import Process, best_response
from kibitz.solve.recursive.values.chains import mixes_at, without_small_shares
from kibitz.solve.recursive.values.operators import Deadline
from kibitz.solve.recursive.values.path import LAST_ETA, Path

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
        middle = (self.bounds.low + self.bounds.high) / 2.0
        start = np.where(closed, middle, path.history[point])
        proofs = LongProofs(self.bounds, closed, self.width, self.deadline, self._answer_from_far)
        if proofs.run(start, path.etas[point]):
            self.methods += ["discounted values in hundreds of digits"]

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
        found = exact_response(process, partial(self.bounds.exactly, player), self.deadline)
        if found is not None:
            proved = bound.copy()
            proved[list(found)] = [parts[0] for parts in found.values()]
            self.bounds.improve(player, proved, kept, {node: parts[1:] for node, parts in found.items()})

    def _answer(self, player: int, values: Floats, mixes: Floats, behind: float, ahead: float, fixed: Marks) -> None:
        """Improve the bounds by the best response to a strategy without its small shares."""
        kept = self._without_leaks(player, values, mixes, behind, ahead)
        held = np.where(fixed, self.bounds.of(player), 0.0)
        try:
            answered = best_response(
                self.game, kept, player, fixed=fixed, held=held, deadline=self.deadline, precise=False
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
