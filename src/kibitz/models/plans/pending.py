"""The pending sets: how much is pending in every tree, and how likely each step is once it is picked."""

from collections.abc import Sequence

import numpy as np

from kibitz.models.plans.assumptions import Choice
from kibitz.models.plans.library import Observation
from kibitz.models.plans.tree_table import Pick, TreeTable
from kibitz.models.plans.unstarted_goals import Kind, UnstartedGoals


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
