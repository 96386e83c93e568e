"""Solve games of every sign: all proofs improve one pair of bounds, until every interval is narrow enough.

1. The graph: states from which a player reaches the best end limit-surely, or keeps play away from the other's gains.
2. Games of many states: sweeps on all cores, then chunks.
3. The discounted path of what is left, with both players' strategies as proofs; then every open part alone.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadGame
from kibitz_solve.recursive.building.recursive_game import Floats, Predecessors, RecursiveGame, mirror_game
from kibitz_solve.recursive.building.restriction import restrict_states
from kibitz_solve.recursive.proofs import graph_kernels
from kibitz_solve.recursive.proofs.bound_policies import NEWTON_NODES, BoundPolicies
from kibitz_solve.recursive.proofs.bounds import Bounds
from kibitz_solve.recursive.proofs.graph import GraphSets, LimitSure, distances_to, graph_sets, limit_sure
from kibitz_solve.recursive.proofs.graph_kernels import FAR, REACH
from kibitz_solve.recursive.proofs.path_proofs import PathProofs
from kibitz_solve.recursive.proofs.solution import Solution
from kibitz_solve.recursive.proofs.sweeping import Sweeping
from kibitz_solve.recursive.values.chains import entries_of_rows, mixes_at
from kibitz_solve.recursive.values.kernels import Marks
from kibitz_solve.recursive.values.operators import Deadline

Ints = NDArray[np.int64]


class OpenPart(msgspec.Struct, frozen=True):
    """A game of some states of another; the nodes that play leads to from there are its ends, with their bounds."""

    game: RecursiveGame
    nodes: Ints
    """The node in the whole game of every node of the part."""

    def improve(self, bounds: Bounds, part_bounds: Bounds) -> None:
        """Take over the proved bounds of the part."""
        game, nodes = self.game, self.nodes
        for player in (0, 1):
            proved = part_bounds.of(player)[: game.live]
            improved = bounds.improve_at(player, nodes[: game.live], proved, part_bounds.rests[player])
            states = improved[improved < game.choices]
            full = np.zeros(game.mix_starts(player)[-1])
            part_bounds.mixes[player].write(full, game.mix_starts(player))
            has_mix = part_bounds.mixes[player].marks[states]
            bounds.mixes[player].forget(nodes[states[~has_mix]])
            states = states[has_mix]
            bounds.mixes[player].store(nodes[states], full, game.mix_starts(player), states)


def open_parts(game: RecursiveGame, bounds: Bounds, width: float) -> Iterator[OpenPart]:
    """The parts that are connected by wide intervals, the smallest first."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    structure = game.structure
    wide = bounds.widths() > width
    states = np.flatnonzero(wide[: game.choices])
    moves = game.choices + np.flatnonzero(wide[game.choices :])
    source, entry = entries_of_rows(structure.first, states)
    mover, outcome = entries_of_rows(structure.chance_first, moves - game.choices)
    before = np.concatenate([states[source], moves[mover]])
    after = np.concatenate([structure.successors[entry], structure.chance_successors[outcome]])
    inner = after < game.live
    inner[inner] = wide[after[inner]]
    wide_nodes = np.concatenate([states, moves])
    linked = tuple(np.searchsorted(wide_nodes, each[inner]) for each in (before, after))
    links = csr_array((np.ones(inner.sum(), bool), linked), shape=(len(wide_nodes), len(wide_nodes)))
    labels = connected_components(links, directed=False)[1]
    order = np.argsort(labels, kind="stable")
    parts = np.split(wide_nodes[order], np.flatnonzero(np.diff(labels[order])) + 1)
    for part in sorted(parts, key=len):
        if len(part):
            yield OpenPart(*restrict_states(game, np.sort(part), bounds.low, bounds.high))


def chunks(game: RecursiveGame, bounds: Bounds, width: float, size: int, offset: int) -> Iterator[OpenPart]:
    """Parts of about so many states with wide intervals, in the order of their numbers: neighbours are often near."""
    wide = np.flatnonzero(bounds.widths()[: game.choices] > width)
    structure = game.structure
    for start in range(-offset, len(wide), size):
        live = wide[max(start, 0) : start + size].astype(np.int64)
        if not len(live):
            continue
        after = structure.successors[entries_of_rows(structure.first, live)[1]]
        while True:  # the chance moves that play may meet
            moves = np.setdiff1d(after[(after >= game.choices) & (after < game.live)], live).astype(np.int64)
            if not len(moves):
                break
            live = np.concatenate([live, moves])
            after = structure.chance_successors[entries_of_rows(structure.chance_first, moves - game.choices)[1]]
        yield OpenPart(*restrict_states(game, np.sort(live), bounds.low, bounds.high))


def snapped_upper(
    game: RecursiveGame, high: Floats, estimate: Floats, known: Marks, reach: float, deadline: Deadline
) -> tuple[Floats, Floats]:
    """The upper bound *high*, lowered to simple fractions just above *estimate* where rational numbers prove them.

    The second array is player 1's strategy, which proves the new bounds. No end pays less than 0.
    """
    active = [int(node) for node in np.flatnonzero(known[: game.live] == 0)]
    bound, top = high.copy(), Fraction(float(game.high.max(initial=0.0)))
    for node in active:
        near = Fraction(max(float(estimate[node]), 0.0)) / top
        bound[node] = min(high[node], _rounded_up(simplest(near, near + Fraction(reach)) * top))
    while True:
        columns = mixes_at(game, bound, known)[1]
        graph_kernels.write_pure_columns(game.structure.arrays, bound, columns)
        failed = [node for node in active if bound[node] < high[node] and not _holds(game, node, bound, columns)]
        bound[failed] = high[failed]
        if not failed:
            return bound, columns
        if deadline.has_passed():
            return high, columns


def _holds(game: RecursiveGame, node: int, bound: Floats, columns: Floats) -> bool:
    """Whether player 1's strategy keeps the bound from rising on average here, in rational numbers."""
    structure, here = game.structure, Fraction(float(bound[node]))
    if node >= game.choices:
        first, last = structure.chance_first[node - game.choices : node - game.choices + 2]
        lines, odds = structure.chance_successors[None, first:last], structure.chance_odds[first:last]
    else:
        lines = game.successors_at(node)
        start, end = game.mix_starts(1)[node : node + 2]
        odds = columns[start:end]
    shares = [Fraction(float(share)) for share in odds]
    return all(
        sum(
            (share * (Fraction(float(bound[after])) - here) for share, after in zip(shares, line, strict=True)),
            Fraction(),
        )
        <= 0
        for line in lines
    )


def _rounded_up(number: Fraction) -> float:
    near = float(number)
    return near if Fraction(near) >= number else float(np.nextafter(near, np.inf))


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator from *low* to *high*, neither below 0 (Stern and Brocot's tree)."""
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    base = low.numerator // low.denominator
    return base + 1 / simplest(1 / (high - base), 1 / (low - base))


FEW_TO_SWEEP = 3_000
"""Games of more states are swept first."""
SECONDS_PER_NODE = 0.02
"""The most time for a part with wide intervals, if there is a time limit."""
TELL_EVERY = 20
"""Parts of fewer nodes are reported once in so many: to find the widest interval takes longer than to solve one."""
CHUNK, CHUNK_TURNS = 5_000, 4
"""The states of a chunk, and how often all chunks are solved, each time across the ones before."""
NEAR_ENDS = 1e-3
"""Ends whose bounds differ by no more are given the middle on the path."""
FEW_STATES = 200
"""With so many wide intervals at most, simple fractions near the bounds are tried."""


class IntervalSolver:
    """One solve of a game, or of a part of it, whose *before* is None: its graph has been read."""

    def __init__(
        self,
        game: RecursiveGame,
        before: Predecessors | None,
        width: float,
        deadline: Deadline,
    ) -> None:
        self.game, self.before, self.width, self.deadline = game, before, width, deadline
        self.methods: list[str] = []
        self.sets: GraphSets | None = None
        self.is_whole = before is not None
        self.is_part = False
        """Whether the bounds of its ends will get better, so that guessing limits is too early."""
        self.endless: BadGame | None = None
        """Why a strategy could not be judged: payoffs on the way would add up for ever."""
        self.eta, self.path_nodes = 0.0, 0
        self.layered: dict[int, LimitSure] = {}
        self.safe = [np.zeros(game.nodes, bool) for _ in range(2)]
        """For both players, the nodes from which they can keep play away from ends below 0."""

    @cached_property
    def bounds(self) -> Bounds:
        """The bounds of all nodes, made when first needed: the graph is read before."""
        return Bounds(self.game)

    def run(self) -> Bounds:
        """Continue until all intervals are narrow enough, the time is over, or the path ends."""
        if self.before is not None and not len(self.game.structure.stage):
            self._read_graph()
        self.before = None
        if self._is_wanting() and self.game.choices > FEW_TO_SWEEP:
            self.methods += ["sweeps", "proved bounds"]
            Sweeping(self.game, self.bounds, self.width, self.deadline).run()
        if self._is_wanting():
            many = np.count_nonzero(self.bounds.closed_nodes(self.width) == 0) > NEWTON_NODES
            if many:
                self._solve_chunks()
            if not many and not ("proved bounds" in self.methods and self._solve_parts()):
                spread = float((self.game.high - self.game.low).max(initial=0.0))
                for players in ((0, 1),) if spread <= NEAR_ENDS else ((0,), (1,)):  # one path may serve both
                    self._follow_path(players)
                self._solve_parts()
        self._snap()
        if self.endless is not None and not np.isfinite(self.bounds.width()):
            raise self.endless
        return self.bounds

    def _solve_parts(self) -> bool:
        """Solve the parts with wide intervals alone, so that none holds up another; return whether there are some."""
        parts = list(open_parts(self.game, self.bounds, self.width / 8.0)) if self._is_wanting() else []
        if len(parts) < 2:
            return False
        cut = self._solve_each(parts, SECONDS_PER_NODE)
        while cut and not self.deadline.has_passed():  # what is left shares the time that is left
            left = self.deadline.seconds_left()
            assert left is not None  # what cut them
            cut = self._solve_each(cut, left / sum(part.game.live for part in cut))
        return True

    def _solve_each(self, parts: list[OpenPart], seconds_per_node: float) -> list[OpenPart]:
        """Solve the parts one after another, in so much time each if there is a time limit; return those it cut."""
        cut = []
        for number, part in enumerate(parts):
            if self._is_wide(part) and part.game.live != self.path_nodes and not self.deadline.has_passed():
                if number % TELL_EVERY == 0 or part.game.live > TELL_EVERY:
                    words = f"widest interval {self.bounds.width():.3g}, part {number + 1} of {len(parts)}"
                    self.deadline.tell(f"{words}, {part.game.live:,} nodes")
                left = self.deadline.seconds_left()
                limit = None if left is None else min(left, max(1.0, part.game.live * seconds_per_node))
                solver = IntervalSolver(part.game, None, self.width, self.deadline.within(limit))
                part.improve(self.bounds, solver.run())
                self.methods += [each for each in solver.methods if each not in self.methods]
                cut += [part] if solver.deadline.has_passed() and self._is_wide(part) else []
        return cut

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
                words = f"widest interval {self.bounds.width():.3g}, {wide:,} wide, chunk {number + 1}"
                self.deadline.tell(words)
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
            snapped, mixes = snapped_upper(game, high, low, known, self.width, self.deadline)
            self.bounds.improve(player, sign * snapped, mixes)

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
        self.safe = [~self._reached_nodes(other, before) for other in (mirror, self.game)]
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
    def _reached_nodes(other: RecursiveGame, before: Predecessors) -> NDArray[np.bool_]:
        """Marks the nodes from which player 1 of *other* cannot keep play away from ends above 0."""
        gains = np.zeros(other.nodes, np.uint8)
        gains[other.live :] = other.high > 0.0
        return np.less(distances_to(other, before, gains, REACH), FAR)

    def _follow_path(self, players: tuple[int, ...]) -> None:
        """The proofs along the discounted path, for one player or both."""
        game, bounds = self.game, self.bounds
        swept = game.choices > FEW_TO_SWEEP
        known = bounds.closed_nodes(self.width) if swept else (bounds.low == bounds.high).astype(np.uint8)
        known[game.choices : game.live], known[game.live :] = 0, 1
        proofs = PathProofs(bounds, known, self.width, self.deadline, players, self.is_part)
        proofs.run()
        self.methods += [each for each in proofs.methods if each not in self.methods]
        self.eta, self.path_nodes = proofs.eta, int(np.count_nonzero(known == 0))
        self.endless = proofs.endless or self.endless
