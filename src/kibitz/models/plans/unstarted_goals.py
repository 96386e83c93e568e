"""Goals that have not begun yet: they are pending from the start, so they make every earlier pick less likely.

PHATT corrects past probabilities when a goal is first seen. This recogniser looks ahead instead: an explanation has one
mass for every *kind* of goals that may still be waiting, and a goal that begins leads from one kind to a smaller one.
So it needs no history, and explanations with equal trees can be merged. The mass that counts is that of the kind in
which no goal waits.
"""

from math import factorial

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadPlan
from kibitz.models.plans.assumptions import Assumptions
from kibitz.models.plans.frontier import Signature, sum_distribution, together
from kibitz.models.plans.tree_table import TreeTable

Floats = NDArray[np.float64]
Kind = tuple[tuple[tuple[str, str], int], ...]
"""All that waits, as pairs of goal and token, and how often; the goal is empty if all picks are alike."""
MOST = 200_000
"""The most kinds."""


class UnstartedGoals:
    """The kinds of waiting goals, by number; in the first, no goal waits."""

    def __init__(self, forestry: TreeTable, story: Assumptions) -> None:
        self.forestry, self.story = forestry, story
        self.priors = {goal: story.prior(forestry.library, goal) for goal in forestry.library.goals}
        found = self.potentials()
        self.kinds = sorted(found, key=lambda kind: (sum(times for _, times in kind), kind))
        self.numbers = {kind: number for number, kind in enumerate(self.kinds)}
        self.potential = np.array([found[kind] for kind in self.kinds])
        """The most that a mass of each kind can reach: the priors of the goals that may be waiting."""
        self.shifts: dict[Kind, NDArray[np.int64]] = {}

    def kind(self, goal: str, signature: Signature) -> Kind:
        """What a goal adds to what waits."""
        return tuple((("" if self.forestry.uniform else goal, token), times) for token, times in signature)

    def potentials(self) -> dict[Kind, float]:
        """Every kind, with the sum over all goals that may make it up of their priors."""
        most = self.story.most_roots(self.forestry.library)
        found: dict[tuple[int, Kind], float] = {(0, ()): 1.0}
        for goal, planted in self.forestry.roots.items():
            one: dict[Kind, float] = {}
            for probability, _, signature in planted:
                kind = self.kind(goal, signature)
                one[kind] = one.get(kind, 0.0) + self.priors[goal] * probability
            several: list[dict[Kind, float]] = [{(): 1.0}]
            for _ in range(min(self.story.most(goal), most)):
                several.append(sum_distribution(several[-1], one))
            more: dict[tuple[int, Kind], float] = {}
            for (count, kind), potential in found.items():
                for times, own in enumerate(several[: most - count + 1]):
                    for added, share in own.items():
                        key = (count + times, together((kind, added)))
                        more[key] = more.get(key, 0.0) + potential * share / factorial(times)
            if len(more) > MOST:
                why = f"more than {MOST:,} sets of goals may be waiting; allow fewer roots or instances"
                raise BadPlan(self.forestry.library.name, why)
            found = more
        total: dict[Kind, float] = {}
        for (_, kind), potential in found.items():
            total[kind] = total.get(kind, 0.0) + potential
        return total

    def before(self, begun: Kind) -> NDArray[np.int64]:
        """For each kind after a goal began, the number of the kind before; len(kinds) if there is none."""
        found = self.shifts.get(begun)
        if found is None:
            numbers = [self.numbers.get(together((kind, begun)), len(self.kinds)) for kind in self.kinds]
            found = self.shifts[begun] = np.array(numbers)
        return found
