"""Best responses to strategies with very small shares, which make play last longer than doubles can tell."""

import msgspec
import numpy as np

from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.proofs.responses import Ints, Marks, Process
from kibitz.solve.recursive.values import pair_kernels
from kibitz.solve.recursive.values.operators import Deadline

MOST_GROUPS = 300
"""The equations are dense, so that more groups would take too long."""
MARGIN = 1e-28
"""What every choice pays on top, in units of the largest payoff: more than rounding can hide in a pair of doubles."""
REFINEMENTS, MOST_POLICIES = 4, 40
"""How often the solution of a policy's equations is refined, and the most policies."""


class PreciseBound(msgspec.Struct, frozen=True):
    """A proved bound of every node, on the strategy's side: a double, and the tail to add to it."""

    numbers: Floats
    tails: Floats


def precise_response(
    game: RecursiveGame, mixes: Floats, player: int, fixed: Marks, held: PreciseBound, deadline: Deadline
) -> PreciseBound | None:
    """What a strategy guarantees at the nodes that are not *fixed*; None if there are too many, or rounding wins."""
    process = Process(game, mixes, player, fixed, held.numbers)
    if not 0 < process.groups <= MOST_GROUPS:
        return None
    found = _Precise(process, held).solve_process(deadline)
    if found is None:
        return None
    numbers, tails = held.numbers.copy(), held.tails.copy()
    # The double alone must be a bound, too, so that tails help the strategy's owner.
    proved, rest = -process.sign * found.numbers, -process.sign * found.tails
    below = np.nextafter(proved, -process.sign * np.inf)
    wrong = process.sign * rest < 0.0
    rest = np.where(wrong, (proved - below) + rest, rest)
    proved = np.where(wrong, below, proved)
    numbers[process.active], tails[process.active] = proved[process.group], rest[process.group]
    return PreciseBound(numbers, tails)


class _Precise:
    """Policy iteration on the groups of a process, in pairs of doubles."""

    def __init__(self, process: Process, held: PreciseBound) -> None:
        self.process, groups = process, process.groups
        kept = np.flatnonzero(~process.staying)
        resting = np.unique(process.group[process.owner[process.staying]])
        renumbered = np.full(len(process.owner), -1, np.int64)
        renumbered[kept] = np.arange(len(kept))
        used = renumbered[process.choice] >= 0
        choice = np.concatenate([renumbered[process.choice[used]], len(kept) + np.arange(len(resting))])
        inner = process.inner[used]
        target = np.where(inner >= 0, process.group[inner], groups + process.after[used])
        nothing = groups + len(held.numbers)
        target = np.concatenate([target, np.full(len(resting), nothing)])
        odds = np.concatenate([process.odds[used], np.ones(len(resting))])
        owners = np.concatenate([process.group[process.owner[kept]], resting])
        paid = np.concatenate([-process.sign * process.stage[kept], np.zeros(len(resting))])
        by_owner = np.argsort(owners, kind="stable")
        rank = np.empty(len(owners), np.int64)
        rank[by_owner] = np.arange(len(owners))
        order = np.argsort(rank[choice], kind="stable")
        self.owners, self.paid = owners[by_owner].astype(np.int64), paid[by_owner]
        self.targets, self.odds = target[order].astype(np.int64), odds[order]
        self.first = np.searchsorted(rank[choice][order], np.arange(len(owners) + 1)).astype(np.int64)
        self.starts = np.searchsorted(self.owners, np.arange(groups))
        self.numbers = np.concatenate([np.zeros(groups), -process.sign * held.numbers, [0.0]])
        self.tails = np.concatenate([np.zeros(groups), -process.sign * held.tails, [0.0]])
        self.margin = MARGIN * max(float(np.abs(self.numbers).max()), float(np.abs(self.paid).max(initial=0.0)))

    def solve_process(self, deadline: Deadline) -> PreciseBound | None:
        """Values that no choice improves, rounding included; None if there are none."""
        groups = self.process.groups
        policy = self.process.promising_policy(self.process.paid)
        for _ in range(MOST_POLICIES):
            if deadline.has_passed() or not self._evaluate(policy):
                return None
            gains = self._gains()
            best = self._best(gains)
            changed = gains[best] > np.maximum(gains[policy], 0.0) + 0.5 * self.margin
            if not changed.any():
                proved = bool((gains < self.margin).all())  # without what was paid on top, every choice loses
                return PreciseBound(self.numbers[:groups], self.tails[:groups]) if proved else None
            policy = np.where(changed, best, policy)
        return None

    def _gains(self) -> Floats:
        """What each choice gains, with the margin paid on top."""
        gains = np.empty(len(self.owners))
        pair_kernels.write_gains(
            self.first, self.owners, self.paid, self.targets, self.odds, self.numbers, self.tails, gains
        )
        return gains + self.margin

    def _evaluate(self, policy: Ints) -> bool:
        """Make the values those of a policy; return whether its play ends."""
        groups = self.process.groups
        moves, leaving = np.zeros((groups, groups)), np.zeros(groups)
        counts = self.first[policy + 1] - self.first[policy]
        source = np.repeat(np.arange(groups), counts)
        place = np.repeat(self.first[policy] - (np.cumsum(counts) - counts), counts) + np.arange(len(source))
        target, odds = self.targets[place], self.odds[place]
        inside = target < groups
        np.add.at(moves, (source[inside], target[inside]), odds[inside])
        np.add.at(leaving, source[~inside], odds[~inside])
        np.fill_diagonal(moves, 0.0)
        if pair_kernels.eliminate(moves, leaving):
            return False
        self.numbers[:groups], self.tails[:groups] = 0.0, 0.0
        for _ in range(REFINEMENTS):
            added = self._gains()[policy]
            pair_kernels.substitute(moves, added)
            if not np.isfinite(added).all():
                return False
            pair_kernels.add_to_pairs(self.numbers, self.tails, added)
        return True

    def _best(self, gains: Floats) -> Ints:
        """The first best choice of every group."""
        best = np.maximum.reduceat(gains, self.starts)
        places = np.where(gains >= best[self.owners], np.arange(len(gains)), len(gains))
        found: Ints = np.minimum.reduceat(places, self.starts)
        return found
