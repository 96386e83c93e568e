"""Proofs along the discounted path: the strategies at its values, at guesses of its limit, and ever further down.

1. Both players' strategies at the path's values, each with the best response to it.
2. The limits of the path, guessed by extrapolation: a player who is *behind* (worth less than infinite play) only has
   to stay level, and the small shares that a discount adds to their strategy would let the other wait for them.
3. The path of the few states that are left, in pairs of doubles, and then in hundreds of digits.
"""

from collections.abc import Iterator

import numpy as np

from kibitz.core.errors import BadGame
from kibitz.solve.recursive.game.game import Floats
from kibitz.solve.recursive.proofs.bounds import Bounds
from kibitz.solve.recursive.proofs.certificates import limits
from kibitz.solve.recursive.proofs.checkpoints import Checkpoint, Stage
from kibitz.solve.recursive.proofs.graph import Marks
from kibitz.solve.recursive.proofs.long_proofs import LongProofs
from kibitz.solve.recursive.proofs.precise_responses import PreciseBound, precise_response
from kibitz.solve.recursive.proofs.responses import best_response
from kibitz.solve.recursive.values.chains import mixes_at
from kibitz.solve.recursive.values.operators import Deadline
from kibitz.solve.recursive.values.path import LAST_ETA, Path
from kibitz.solve.recursive.values.precise_path import PrecisePath
from kibitz.solve.recursive.values.small_shares import share_laws, without_small_shares

PROOF_EVERY = 4
"""Points of the path from one proof to the next."""
GUESS_BELOW = 1e-5
"""From this eta on, the path is extrapolated to its limit."""
SMALLEST_SHARE = 1e-14
"""Smaller shares of a player who is ahead are rounding; those of one who is behind count from 1,000 eta on."""
THRESHOLDS = (1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
"""Below which shares of a player who is behind are dropped at a guessed limit, one after the other."""
BEYOND, MOST_POINTS = ((6, 2), (3, 2), (0, 1), (9, 3), (6, 3), (3, 1), (9, 2), (12, 3)), 9
"""How many of the last points of the path, which suffer from rounding, are skipped, and how often the others are
extrapolated; and how many are used."""
PRECISE_BEYOND = ((0, 1), (0, 2), (2, 2), (4, 3))
"""The same beyond the end of the precise path."""
PRECISE_FROM = 1e-9
"""The precise path begins where rounding does not matter yet."""
LEAST_BEHIND = 1e-3
"""The least share of a player who is behind in these strategies."""
SMALLER = (1e-4, 1e-8, 1e-12)
"""How much smaller eta becomes beyond the path."""
FEW_STATES = 200
"""With so many wide intervals at most, limits are guessed before the path ends; in games of so many states, simple
fractions near the values are tried as limits, too."""


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
        kept: Checkpoint | None = None,
    ) -> None:
        self.game, self.bounds, self.known, self.width, self.deadline = bounds.game, bounds, known, width, deadline
        self.players, self.is_part, self.kept = players, is_part, kept
        self.last_eta = max(LAST_ETA, 1e-3 * width**2)
        """What is left of the discount is about its square root."""
        self.methods = ["discounted values", "proved strategies"]
        self.eta = 0.0
        self.endless: BadGame | None = None
        """Why a strategy could not be judged: payoffs on the way would add up for ever."""

    def run(self, stage: Stage | None) -> None:
        """Prove the players' strategies along the path, and at guesses of its limit."""
        bounds, known = self.bounds, self.known
        middle = (bounds.low + bounds.high) / 2.0 if len(self.players) == 2 else bounds.of(self.players[0])
        path = Path(self.game, known, np.where(known, middle, np.clip(0.0, bounds.low, bounds.high)), self.deadline)
        points, goes_on = self._begin(path, stage), True
        while goes_on and path.eta > self.last_eta and self._is_wanting():
            self.deadline.tell(f"widest interval {bounds.width():.3g}, discount 1 - {path.eta:.3g}")
            try:
                goes_on = path.descend()
            except KeyboardInterrupt:
                self._save(path, points)
                raise
            points += 1
            last = not goes_on or path.eta <= self.last_eta
            if last or points % PROOF_EVERY == 0:
                self._prove(path, last)
                self._save(path, points)
        if not goes_on and not self.deadline.has_passed():
            self.methods += [f"path lost at 1 - {path.eta:.1g}"]
        self.eta = path.eta
        if self._is_wanting() and not self.is_part:
            self._follow_precisely(path)
        if self._is_wanting() and not self.is_part:
            self._follow_far(path)

    def _save(self, path: Path, points: int) -> None:
        if self.kept is not None:
            self.kept.save(Stage(self.bounds.low, self.bounds.high, path.values, points))

    def _begin(self, path: Path, stage: Stage | None) -> int:
        """Begin the path, or resume it where a checkpoint was saved; return how many points are done."""
        if stage is None:
            path.begin()
            return 0
        path.resume(stage.estimate, stage.rung)
        self._prove(path, last=True)  # strategies are not stored: they follow from the values
        np.maximum(self.bounds.low, stage.low, out=self.bounds.low)
        np.minimum(self.bounds.high, stage.high, out=self.bounds.high)
        return stage.rung

    def _prove(self, path: Path, last: bool) -> None:
        """Both players' strategies at the path's values, then at guesses of its limit while intervals are wide."""
        for player in self.players:
            mixes = mixes_at(self.game, path.values, self.known)[player]
            ahead, behind = max(1e-3 * path.eta, SMALLEST_SHARE), min(1e3 * path.eta, 1e-3)
            self._answer(player, path.values, mixes, behind, ahead, self.known)
        if (not last or self.is_part) and np.count_nonzero(self.bounds.widths() > self.width) > FEW_STATES:
            return
        self._prove_beyond(path)
        for values in self._guesses(path):
            for player in self.players:
                self._answer_without_small_shares(player, values, *self._mixes_where_wide(player, values))

    def _mixes_where_wide(self, player: int, values: Floats) -> tuple[Floats, Marks]:
        """A player's mixes at *values* where intervals are wide; and the nodes where they are not."""
        closed = self.bounds.closed_nodes(self.width)
        middle = (self.bounds.low + self.bounds.high) / 2.0
        return mixes_at(self.game, np.where(closed, middle, values), closed)[player], closed

    def _prove_beyond(self, path: Path) -> None:
        """Prove strategies beyond the end of the path, at the states whose intervals are wide."""
        for skipped, depth in BEYOND:
            etas = path.etas[: len(path.etas) - skipped][-MOST_POINTS:]
            if len(etas) < 3:
                break
            for player in self.players:
                closed = self.bounds.closed_nodes(self.width)
                points = path.history[: len(path.history) - skipped][-MOST_POINTS:]
                mixes = [mixes_at(self.game, each, closed)[player] for each in points]
                self._prove_laws(player, mixes, etas, depth, path.eta, path.values, closed)

    def _prove_laws(
        self,
        player: int,
        mixes: list[Floats],
        etas: list[float],
        depth: int,
        eta: float,
        values: Floats,
        closed: Marks,
    ) -> None:
        """Prove the strategies that the laws of the shares give at much smaller discounts."""
        laws = share_laws(mixes, etas, depth)
        for factor in SMALLER:
            if self._is_wanting():
                self._answer_precisely(
                    player, values, laws.at(factor * eta, self.game.mix_starts(player)), closed, LEAST_BEHIND
                )

    def _follow_precisely(self, path: Path) -> None:
        """Follow the path of the few states that are left in pairs of doubles, and prove the strategies there."""
        closed = self.bounds.closed_nodes(self.width)
        middle = (self.bounds.low + self.bounds.high) / 2.0
        point = self._last_reliable_point(path)
        start = np.where(closed, middle, path.history[point])
        precise = PrecisePath(self.game, closed, start, path.etas[point], self.deadline)
        if not precise.can_begin():
            return
        self.methods += ["discounted values in 32 digits"]
        while self._is_wanting() and precise.descend():
            self.deadline.tell(f"widest interval {self.bounds.width():.3g}, discount 1 - {precise.eta:.3g}")
            if len(precise.etas) % PROOF_EVERY == 0:
                self._prove_points(precise, closed)
        self._prove_points(precise, closed)
        for skipped, depth in PRECISE_BEYOND:
            points = precise.history[: len(precise.history) - skipped][-MOST_POINTS:]
            etas = precise.etas[: len(precise.etas) - skipped][-MOST_POINTS:]
            for player in self.players if len(etas) >= 3 else ():
                mixes = [each[player] for each in points]
                self._prove_laws(player, mixes, etas, depth, precise.eta, precise.numbers, closed)

    @staticmethod
    def _last_reliable_point(path: Path) -> int:
        """The last point of a path where rounding does not matter yet."""
        return max([0, *(number for number, eta in enumerate(path.etas) if eta >= PRECISE_FROM)])

    def _follow_far(self, path: Path) -> None:
        """Follow the path of the few states that are left in hundreds of digits."""
        closed, point = self.bounds.closed_nodes(self.width), self._last_reliable_point(path)
        middle = (self.bounds.low + self.bounds.high) / 2.0
        start = np.where(closed, middle, path.history[point])
        proofs = LongProofs(self.bounds, closed, self.width, self.deadline, self._answer_without_small_shares)
        if proofs.run(start, path.etas[point]):
            self.methods += ["discounted values in hundreds of digits"]

    def _answer_without_small_shares(self, player: int, values: Floats, mixes: Floats, closed: Marks) -> None:
        """Improve the bounds by best responses to a strategy whose small shares are dropped below some thresholds."""
        for threshold in THRESHOLDS:
            if self._is_wanting():
                self._answer(player, values, mixes, threshold, SMALLEST_SHARE, closed)

    def _prove_points(self, precise: PrecisePath, closed: Marks) -> None:
        """Both players' strategies at the last point of a precise path."""
        for player in self.players:
            for threshold in (LEAST_BEHIND, precise.eta**0.125, precise.eta**0.25):
                if self._is_wanting():
                    self._answer_precisely(player, precise.numbers, precise.mixes[player], closed, threshold)

    def _answer_precisely(self, player: int, values: Floats, mixes: Floats, fixed: Marks, behind: float) -> None:
        """Improve the bounds by the best response to a strategy with very small shares where its owner is ahead."""
        kept = self._without_leaks(player, values, mixes, behind, 0.0)
        held = PreciseBound(
            np.where(fixed, self.bounds.of(player), 0.0), np.where(fixed, self.bounds.tails[player], 0.0)
        )
        try:
            found = precise_response(self.game, kept, player, fixed, held, self.deadline)
        except BadGame as error:
            self.endless = error
            return
        if found is not None:
            self.bounds.improve(player, found.numbers, kept, found.tails)

    def _guesses(self, path: Path) -> Iterator[Floats]:
        """Guesses of the values' limits."""
        if self.game.choices <= FEW_STATES:
            reach = min(0.05, 40.0 * path.eta**0.5) * float(np.abs(path.values).max())
            yield limits(path.values, reach)
        if path.eta < GUESS_BELOW:
            yield from path.limits()

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
