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
from kibitz.models.plans import limits
from kibitz.models.plans.assumptions import Assumptions, Choice
from kibitz.models.plans.inference.frontier import Signature, sum_distribution, together
from kibitz.models.plans.inference.tree_table import Pick, TreeTable
from kibitz.models.plans.library import Observation

Floats = NDArray[np.float64]
Kind = tuple[tuple[tuple[str, str], int], ...]
"""All that waits, as pairs of goal and token, and how often; the goal is empty if all picks are alike."""


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
            if len(more) > limits.KINDS:
                why = f"more than {limits.KINDS:,} sets of goals may be waiting; allow fewer roots or instances"
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


class Pending:
    """How much is pending in every tree and of every kind, now."""

    def __init__(self, forestry: TreeTable, waiting: UnstartedGoals, choice: Choice | None, context: object) -> None:
        self.forestry, self.choice, self.context = forestry, choice, context
        self.known: dict[int, float] = {}
        self.kinds = np.array([self.kind(each) for each in waiting.kinds])

    def weight(self, goal: str, token: str) -> float:
        """The weight with which a pending symbol is picked."""
        return 1.0 if self.choice is None else self.choice(goal, token, self.context)

    def kind(self, kind: Kind) -> float:
        """What is pending for each kind of waiting goals."""
        return sum(times * self.weight(goal, token) for (goal, token), times in kind)

    def of(self, tree: int) -> float:
        """What is pending in a tree."""
        found = self.known.get(tree)
        if found is None:
            goal = self.forestry.trees[tree].goal
            found = self.known[tree] = sum(
                times * self.weight(goal, token) for token, times in self.forestry.tokens[tree]
            )
        return found

    def chance(self, tree: int, pick: Pick) -> float:
        """The weight of a pick: the probability that it leads where it does, times the weight of what is picked."""
        if self.choice is None:
            return pick.probability
        return pick.probability * self.weight(self.forestry.trees[tree].goal, pick.token)


class AllowedPending(Pending):
    """The same if only some observations are possible: symbols that lead to none of them are not pending."""

    def __init__(self, forestry: TreeTable, waiting: UnstartedGoals, possible: Sequence[Observation]) -> None:
        super().__init__(forestry, waiting, None, None)
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
                for step in self.forestry.steps(tree, each):
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
