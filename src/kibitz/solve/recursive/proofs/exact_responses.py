"""Best responses in whole numbers to strategies with very small shares, which make play last longer than doubles can
tell.
"""

import numpy as np

from kibitz.solve.recursive.proofs.responses import Process
from kibitz.solve.recursive.values.fixed_point import Held, chain_values, to_doubles, to_fixed
from kibitz.solve.recursive.values.operators import Deadline

MOST_GROUPS = 300
"""More equations would take too long."""
SPARE_BITS, MARGIN_BITS = 160, 40
"""Bits beyond those of the smallest share twice; what every choice pays on top, in these bits of the last digits: more
than rounding can hide."""
MOST_POLICIES = 40


def exact_response(process: Process, held: Held, deadline: Deadline) -> dict[int, tuple[float, ...]] | None:
    """What a strategy guarantees at the active nodes, as doubles to be added up; None if there are too many nodes.

    *held* says what the other nodes are worth to player 0, rounded to the disadvantage of the strategy's owner.
    """
    if not 0 < process.groups <= MOST_GROUPS:
        return None
    values = _ExactProcess(process, held).values(deadline)
    if values is None:
        return None
    sign = int(process.sign)
    proved = [tuple(sign * part for part in to_doubles(-value, values[1])) for value in values[0]]
    return {int(node): proved[group] for node, group in zip(process.active, process.group, strict=True)}


class _ExactProcess:
    """Policy iteration on the groups of a process. Values are the responder's, in units of `2**-bits`."""

    def __init__(self, process: Process, held: Held) -> None:
        self.process, self.groups = process, process.groups
        self.bits = bits = 2 * int(-np.log2(process.odds.min())) + SPARE_BITS
        self.margin, sign = 1 << MARGIN_BITS, int(process.sign)
        choices, kept = len(process.owners), len(process.kept)
        place = np.full(len(process.owner), -1)
        place[process.kept] = np.argsort(process.order)[:kept]
        self.owners: list[int] = process.owners.tolist()
        self.inner: list[list[tuple[int, int]]] = [[] for _ in range(choices)]
        """For every choice, the chances of its outcomes that go on, and their groups."""
        self.leaving, self.paid = [0] * choices, [0] * choices
        """The chance of its ends, and what these and the way there pay on average, in units of `2**-(2 bits)`."""
        for choice in range(kept, choices):  # to stay for ever, which is worth 0
            self.leaving[int(np.flatnonzero(process.order == choice)[0])] = 1 << bits
        payoffs: dict[int, int] = {}
        outcomes = zip(process.choice, process.odds, process.inner, process.after, process.pays, strict=True)
        for choice, odds, inner, after, pays in outcomes:
            if (found := int(place[choice])) < 0:
                continue
            chance, node = to_fixed(float(odds), bits), int(after)
            self.paid[found] -= chance * to_fixed(sign * float(pays), bits)
            if inner >= 0:
                self.inner[found].append((chance, int(process.group[inner])))
            else:
                if node not in payoffs:
                    payoffs[node] = -sign * held(node, bits)
                self.leaving[found] += chance
                self.paid[found] += chance * payoffs[node]

    def values(self, deadline: Deadline) -> tuple[list[int], int] | None:
        """Values that no choice improves, and their bits; None if there are none."""
        policy = self.process.promising_policy(self.process.paid).tolist()
        for _ in range(MOST_POLICIES):
            values = None if deadline.has_passed() else self._policy_values(policy)
            if values is None:
                return None
            best: dict[int, tuple[int, int]] = {}
            for choice, owner in enumerate(self.owners):
                gain = self._gain(choice, values)
                if 2 * gain > -(self.margin << self.bits) and (owner not in best or gain > best[owner][0]):
                    best[owner] = gain, choice
            if not best:  # without what was paid on top, every choice loses
                return values, self.bits
            for owner, (_, choice) in best.items():
                policy[owner] = choice
        return None

    def _gain(self, choice: int, values: list[int]) -> int:
        """What a choice gains on average over its owner's value, exactly."""
        here = values[self.owners[choice]]
        going_on = sum(chance * (values[after] - here) for chance, after in self.inner[choice])
        return self.paid[choice] - self.leaving[choice] * here + going_on

    def _policy_values(self, policy: list[int]) -> list[int] | None:
        """The values of a policy, with the margin paid on top; None if its play may never end."""
        moves: list[dict[int, int]] = [{} for _ in policy]
        for group, choice in enumerate(policy):
            for chance, after in self.inner[choice]:
                if after != group:
                    moves[group][after] = moves[group].get(after, 0) + chance
        paid = [(self.paid[choice] >> self.bits) + self.margin for choice in policy]
        return chain_values(moves, [self.leaving[choice] for choice in policy], paid, self.bits)
