"""What is pending: in the trees that were begun, and for goals that have not begun yet.

Goals that have not begun are pending from the start, so they make every earlier pick less likely. PHATT corrects past
probabilities when a goal is first seen. This recogniser looks ahead instead: an explanation has one mass for every
*kind* of goals that may still be waiting, and a goal that begins leads from one kind to a smaller one. So it needs no
history, and explanations with equal trees can be merged. The mass that counts is that of the kind in which no goal
waits.
"""

from collections.abc import Sequence
from math import factorial

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadPlan
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans import limits
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.inference.frontier import sum_distribution
from kibitz_lab.plans.inference.tree_table import Pick, TreeTable

Floats = NDArray[np.float64]


class UnstartedGoals:
    """The kinds of waiting goals: how much is pending in them; in the first, no goal waits."""

    def __init__(self, table: TreeTable, assumptions: Assumptions) -> None:
        self.table, self.assumptions = table, assumptions
        self.priors = {goal: assumptions.prior(table.library, goal) for goal in table.library.goals}
        found = self.potentials()
        self.kinds = sorted(found)
        self.numbers = {kind: number for number, kind in enumerate(self.kinds)}
        self.potential = np.array([found[kind] for kind in self.kinds])
        """The most that a mass of each kind can reach: the priors of the goals that may be waiting."""
        self.shifts: dict[int, NDArray[np.int64]] = {}

    def potentials(self) -> dict[int, float]:
        """Every kind, with the sum over all goals that may make it up of their priors."""
        most = self.assumptions.most_roots(self.table.library)
        found: dict[tuple[int, int], float] = {(0, 0): 1.0}
        for goal, planted in self.table.roots.items():
            one = {first: self.priors[goal] * probability for probability, _, first in planted}
            several: list[dict[int, float]] = [{0: 1.0}]
            for _ in range(min(self.assumptions.most(goal), most)):
                several.append(sum_distribution(several[-1], one))
            more: dict[tuple[int, int], float] = {}
            for (count, kind), potential in found.items():
                for times, own in enumerate(several[: most - count + 1]):
                    for added, share in own.items():
                        key = (count + times, kind + added)
                        more[key] = more.get(key, 0.0) + potential * share / factorial(times)
            if len(more) > limits.KINDS:
                why = f"more than {limits.KINDS:,} sets of goals may be waiting; allow fewer roots or instances"
                raise BadPlan(self.table.library.name, why)
            found = more
        total: dict[int, float] = {}
        for (_, kind), potential in found.items():
            total[kind] = total.get(kind, 0.0) + potential
        return total

    def before(self, begun: int) -> NDArray[np.int64]:
        """For each kind after a goal began, the number of the kind before; len(kinds) if there is none."""
        found = self.shifts.get(begun)
        if found is None:
            numbers = [self.numbers.get(kind + begun, len(self.kinds)) for kind in self.kinds]
            found = self.shifts[begun] = np.array(numbers)
        return found


class Pending:
    """How much is pending in every tree and of every kind."""

    def __init__(self, table: TreeTable, unstarted: UnstartedGoals) -> None:
        self.table = table
        self.kinds = np.array(unstarted.kinds, np.float64)

    def of(self, tree: int) -> float:
        """What is pending in a tree."""
        return self.table.sizes[tree]

    def chance(self, tree: int, pick: Pick) -> float:
        """The probability that a pick leads where it does, once its tree is picked, times how much is pending there."""
        return pick.probability


class AllowedPending(Pending):
    """The same if only some observations are possible: symbols that lead to none of them are not pending."""

    def __init__(self, table: TreeTable, unstarted: UnstartedGoals, possible: Sequence[Observation]) -> None:
        super().__init__(table, unstarted)
        self.possible = possible
        self.leading: dict[int, dict[int, float]] = {}
        self.sizes: dict[int, float] = {}

    def lead_probabilities(self, tree: int) -> dict[int, float]:
        """The probability that each open node of a tree, or an interchangeable one, leads to a possible observation."""
        found = self.leading.get(tree)
        if found is None:
            found = self.leading[tree] = {}
            times: dict[int, int] = {}
            for each in self.possible:
                for step in self.table.steps(tree, each):
                    pick = step.pick
                    times[pick.place] = pick.times
                    found[pick.place] = found.get(pick.place, 0.0) + pick.probability / pick.times
            self.sizes[tree] = float(sum(times.values()))
        return found

    def of(self, tree: int) -> float:
        self.lead_probabilities(tree)
        return self.sizes[tree]

    def chance(self, tree: int, pick: Pick) -> float:
        return pick.probability / self.lead_probabilities(tree)[pick.place]
