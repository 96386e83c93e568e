"""Solve games of every sign: all proofs improve one pair of bounds, until every interval is narrow enough.

1. The graph: states from which a player reaches the best end limit-surely, or keeps play away from the other's gains.
2. The discounted path: both players' strategies at its values, each with the best response to it.
3. The limits of the path, guessed by extrapolation: a player who is *behind* (worth less than infinite play) only has
   to stay level, and the small shares that a discount adds to their strategy would let the other wait for them.
"""

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from kibitz.core.errors import BadGame
from kibitz.solve.recursive.game.game import Floats, Predecessors, RecursiveGame, mirror_game
from kibitz.solve.recursive.proofs import graph_kernels
from kibitz.solve.recursive.proofs.bound_policies import NEWTON_NODES, BoundPolicies
from kibitz.solve.recursive.proofs.bounds import Bounds
from kibitz.solve.recursive.proofs.certificates import limits, snapped_upper
from kibitz.solve.recursive.proofs.checkpoints import Checkpoint, Stage
from kibitz.solve.recursive.proofs.graph import GraphSets, Marks, graph_sets, spread_from
from kibitz.solve.recursive.proofs.limit_sure import LimitSure, limit_sure
from kibitz.solve.recursive.proofs.long_proofs import LongProofs
from kibitz.solve.recursive.proofs.open_parts import OpenPart, chunks, open_parts
from kibitz.solve.recursive.proofs.precise_responses import PreciseBound, precise_response
from kibitz.solve.recursive.proofs.responses import best_response
from kibitz.solve.recursive.proofs.solution import Solution
from kibitz.solve.recursive.proofs.sweeping import Sweeping
from kibitz.solve.recursive.values.chains import mixes_at
from kibitz.solve.recursive.values.operators import Deadline
from kibitz.solve.recursive.values.path import LAST_ETA, Path
from kibitz.solve.recursive.values.precise_path import PrecisePath
from kibitz.solve.recursive.values.small_shares import share_laws, without_small_shares

FEW_TO_SWEEP = 3_000
"""Games of more states are swept first."""
SECONDS_PER_NODE = 0.02
"""The most time for a part with wide intervals, if there is a time limit."""
TELL_EVERY = 20
"""Parts of fewer nodes are told of once in so many: to find the widest interval would take longer than to solve one."""
CHUNK, CHUNK_TURNS = 5_000, 4
"""The states of a chunk, and how often all chunks are solved, each time across the ones before."""
NEAR_ENDS = 1e-3
"""Ends whose bounds differ by no more are given the middle on the path."""
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


Sweep = Callable[[RecursiveGame, Bounds, float, Deadline], None]
"""Sweeps elsewhere, such as on a graphics card, that improve the bounds towards a width before a deadline."""


class IntervalSolver:
    """One solve of a game, or of a part of it, whose *before* is None: its graph has been read."""

    def __init__(
        self,
        game: RecursiveGame,
        before: Predecessors | None,
        width: float,
        deadline: Deadline,
        kept: Checkpoint | None = None,
        sweep: Sweep | None = None,
    ) -> None:
        self.sweep = sweep
        self.game, self.before, self.width, self.deadline, self.kept = game, before, width, deadline, kept
        self.methods: list[str] = []
        self.sets: GraphSets | None = None
        self.is_whole = before is not None
        self.is_part = False
        """Whether the bounds of its ends will get better, so that guessing limits is too early."""
        self.last_eta = max(LAST_ETA, 1e-3 * width**2)
        """What is left of the discount is about its square root."""
        self.endless: BadGame | None = None
        """Why a strategy could not be judged: payoffs on the way would add up for ever."""
        self.eta, self.path_nodes = 0.0, 0
        self.players: tuple[int, ...] = (0, 1)
        self.known = np.zeros(game.nodes, np.uint8)
        self.layered: dict[int, LimitSure] = {}
        self.safe = [np.zeros(game.nodes, bool) for _ in range(2)]
        """For both players, the nodes from which they can keep play away from ends below 0."""

    @cached_property
    def bounds(self) -> Bounds:
        """The bounds of all nodes, made when first needed: the graph is read before."""
        return Bounds(self.game)

    def run(self) -> Bounds:
        """Continue until all intervals are narrow enough, the time is over, or the path ends."""
        stage = self.kept.load() if self.kept is not None else None
        if self.before is not None and not len(self.game.structure.stage):
            self._read_graph()
        self.before = None
        if self._is_wanting() and self.sweep is not None:
            self.methods += ["sweeps on the card", "proved bounds"]
            self.sweep(self.game, self.bounds, self.width, self.deadline)
        elif self._is_wanting() and self.game.choices > FEW_TO_SWEEP and stage is None:
            self.methods += ["sweeps", "proved bounds"]
            Sweeping(self.game, self.bounds, self.width, self.deadline).run()
        if self._is_wanting():
            many = np.count_nonzero(self._closed_nodes() == 0) > NEWTON_NODES
            if many:
                self._solve_chunks()
            if not many and not (self._was_swept() and self._solve_parts()):
                for players in ((0, 1),) if self._ends_are_near() else ((0,), (1,)):
                    self._follow_path(players, stage)
                self._solve_parts()
        elif self.kept is not None:
            self.kept.save(Stage(self.bounds.low, self.bounds.high, self.bounds.low, 0))
        self._snap()
        if self.endless is not None and not np.isfinite(self.bounds.width()):
            raise self.endless
        return self.bounds

    def _was_swept(self) -> bool:
        return "proved bounds" in self.methods

    def _ends_are_near(self) -> bool:
        """Whether the bounds of all ends are so near that one path serves both players."""
        return float((self.game.high - self.game.low).max(initial=0.0)) <= NEAR_ENDS

    def _solve_parts(self) -> bool:
        """Solve the parts with wide intervals alone, so that none holds up another; return whether there are some."""
        parts = list(open_parts(self.game, self.bounds, self.width / 8.0)) if self._is_wanting() else []
        if len(parts) < 2:
            return False
        self._solve_each(parts, SECONDS_PER_NODE)
        if self._is_wanting():  # what is left gets the time that is left
            parts = [part for part in parts if self._is_wide(part)]
            left = self.deadline.seconds_left()
            if left is not None:
                self._solve_each(parts, left / max(1, sum(part.game.live for part in parts)))
        return True

    def _solve_each(self, parts: list[OpenPart], seconds_per_node: float) -> None:
        """Solve the parts one after another, in so much time each if there is a time limit."""
        for number, part in enumerate(parts):
            if self._is_wide(part) and part.game.live != self.path_nodes and not self.deadline.has_passed():
                if number % TELL_EVERY == 0 or part.game.live > TELL_EVERY:
                    told = f"widest interval {self.bounds.width():.3g}, part {number + 1} of {len(parts)}"
                    self.deadline.tell(f"{told}, {part.game.live:,} nodes")
                left = self.deadline.seconds_left()
                limit = None if left is None else min(left, max(1.0, part.game.live * seconds_per_node))
                solver = IntervalSolver(part.game, None, self.width, self.deadline.within(limit))
                part.improve(self.bounds, solver.run())
                self.methods += [each for each in solver.methods if each not in self.methods]

    def _is_wide(self, part: OpenPart) -> bool:
        nodes = part.nodes[: part.game.live]
        return float((self.bounds.high[nodes] - self.bounds.low[nodes]).max()) > self.width

    def _solve_chunks(self) -> None:
        """Solve chunks of a large game alone, with the bounds of all other nodes; then chunks that lie across these."""
        for turn in range(CHUNK_TURNS):
            wide = np.count_nonzero(self.bounds.widths() > self.width)
            parts = chunks(self.game, self.bounds, self.width / 8.0, CHUNK, turn % 2 * CHUNK // 2)
            for number, part in enumerate(parts):
                if not self._is_wanting():
                    return
                told = f"widest interval {self.bounds.width():.3g}, {wide:,} wide, chunk {number + 1}"
                self.deadline.tell(told)
                solver = IntervalSolver(part.game, None, self.width, self.deadline.within(self.deadline.seconds_left()))
                solver.is_part = turn < CHUNK_TURNS - 1
                part.improve(self.bounds, solver.run())
            if np.count_nonzero(self.bounds.widths() > self.width) > 0.9 * wide:
                return

    def _snap(self) -> None:
        """In games of one sign, replace the other bound by simple fractions where rational numbers prove them."""
        least, most = self.game.bounds
        if least < 0.0 < most or not self.is_whole or not self.game.exact_ends or self.deadline.has_passed():
            return
        player, sign = (1, 1.0) if least >= 0.0 else (0, -1.0)
        game = self.game if player == 1 else mirror_game(self.game)
        low, high = (self.bounds.low, self.bounds.high) if player == 1 else (-self.bounds.high, -self.bounds.low)
        known = (high <= low).astype(np.uint8)
        if 0 < (known[: game.live] == 0).sum() <= FEW_STATES:
            found, mixes = snapped_upper(game, high, low, known, self.width, self.deadline)
            self.bounds.improve(player, sign * found, mixes)

    def solution(self) -> Solution:
        """The bounds found, and for both players a strategy with what it guarantees."""
        policies = BoundPolicies(self.bounds, self.width, self.sets, self.layered, self.safe)
        return Solution(
            self.game,
            self.bounds.low,
            self.bounds.high,
            sets=self.sets,
            given=lambda: (policies.proved_policy(0), policies.proved_policy(1)),
            limit_sure=(self.layered.get(0), self.layered.get(1)),
            tails=(self.bounds.tails[0], self.bounds.tails[1]),
            rests=self.bounds.rests,
            eta=self.eta,
            methods=tuple(self.methods) + (("time limit",) if self.deadline.has_passed() else ()),
            seconds=self.deadline.elapsed_seconds(),
        )

    def _is_wanting(self) -> bool:
        return self.bounds.width() > self.width and not self.deadline.has_passed()

    def _read_graph(self) -> None:
        """What the graph alone proves, for both players: the best end limit-surely, and nothing worse than 0."""
        self.methods.append("graph sets")
        before, self.before = self.before, None
        assert before is not None
        if self.game.bounds[0] >= 0.0:
            self.sets = graph_sets(self.game, before)
            self.bounds.low[: self.game.live][self.sets.almost_surely_won[: self.game.live]] = self.game.bounds[1]
            self.bounds.high[: self.game.live][self.sets.zero[: self.game.live]] = 0.0
            if not self._is_wanting():
                return
        mirror = mirror_game(self.game)
        self.safe = [np.equal(self._reached_nodes(other, before), 0) for other in (mirror, self.game)]
        del before  # large, as the mirrored game is, and no longer needed
        for player, game in ((1, mirror), (0, self.game)):
            if game.bounds[1] > 0.0:
                goals = np.zeros(game.nodes, np.uint8)
                goals[game.live :] = game.low == game.bounds[1]
                self.layered[player] = limit_sure(game, goals)
        del mirror, game
        for player, most in enumerate(reversed(self.game.bounds)):
            proved = self.bounds.of(player).copy()
            proved[self.safe[player] & (proved < 0.0 if player == 0 else proved > 0.0)] = 0.0
            if player in self.layered:
                proved[self.layered[player].marks] = most
            self.bounds.improve(player, proved, None)

    @staticmethod
    def _reached_nodes(other: RecursiveGame, before: Predecessors) -> Marks:
        """Marks the nodes from which player 1 of *other* cannot keep play away from ends above 0."""
        reached = np.zeros(other.nodes, np.uint8)
        reached[other.live :] = other.high > 0.0
        spread_from(other, before, reached.copy(), graph_kernels.spread_reach, reached)
        return reached

    def _follow_path(self, players: tuple[int, ...], stage: Stage | None) -> None:
        """Prove the players' strategies along the path, and at guesses of its limit."""
        game, bounds = self.game, self.bounds
        known = self._closed_nodes() if game.choices > FEW_TO_SWEEP else (bounds.low == bounds.high).astype(np.uint8)
        known[game.choices : game.live], known[game.live :] = 0, 1
        self.known, self.players, self.path_nodes = known, players, int(np.count_nonzero(known == 0))
        middle = (bounds.low + bounds.high) / 2.0 if len(players) == 2 else bounds.of(players[0])
        path = Path(game, known, np.where(known, middle, np.clip(0.0, bounds.low, bounds.high)), self.deadline)
        self.methods += [each for each in ("discounted values", "proved strategies") if each not in self.methods]
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
        closed = self._closed_nodes()
        middle = (self.bounds.low + self.bounds.high) / 2.0
        return mixes_at(self.game, np.where(closed, middle, values), closed)[player], closed

    def _closed_nodes(self) -> Marks:
        """The nodes whose intervals are narrow enough, and the ends."""
        closed = np.ones(self.game.nodes, np.uint8)
        closed[: self.game.live] = self.bounds.widths() <= self.width / 8.0  # the widths of others may depend on them
        return closed

    def _prove_beyond(self, path: Path) -> None:
        """Prove strategies beyond the end of the path, at the states whose intervals are wide."""
        for skipped, depth in BEYOND:
            etas = path.etas[: len(path.etas) - skipped][-MOST_POINTS:]
            if len(etas) < 3:
                break
            for player in self.players:
                closed = self._closed_nodes()
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
        closed = self._closed_nodes()
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
        closed, point = self._closed_nodes(), self._last_reliable_point(path)
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
