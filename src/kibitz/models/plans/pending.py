"""What is pending: how much of it there is in every tree, and how likely each step is once it is picked."""

from collections.abc import Sequence

import numpy as np

from kibitz.models.plans.frontier import Forestry, Step
from kibitz.models.plans.library import Observation
from kibitz.models.plans.story import Choice
from kibitz.models.plans.waiting import Waiting


class Pending:
    """How much is pending in every tree and of every kind, now."""

    def __init__(self, forestry: Forestry, waiting: Waiting, choice: Choice | None, context: object) -> None:
        self.forestry, self.choice, self.context = forestry, choice, context
        self.known: dict[int, float] = {}
        self.kinds = np.array([sum(self.weight(goal, token) for goal, token in kind) for kind in waiting.kinds])

    def weight(self, goal: str, token: str) -> float:
        """How readily one pending thing is picked."""
        return 1.0 if self.choice is None else self.choice(goal, token, self.context)

    def of(self, tree: int) -> float:
        """What is pending in a tree."""
        found = self.known.get(tree)
        if found is None:
            goal = self.forestry.trees[tree].goal
            found = self.known[tree] = sum(self.weight(goal, token) for token in self.forestry.tokens[tree])
        return found

    def chance(self, tree: int, step: Step) -> float:
        """How likely a step is once something of the tree is picked, times the weight of what is picked."""
        if self.choice is None:
            return step.probability
        return step.probability * self.weight(self.forestry.trees[tree].goal, step.token)


class Allowed(Pending):
    """The same where only some observations are possible: what leads to none of them is not pending."""

    def __init__(self, forestry: Forestry, waiting: Waiting, possible: Sequence[Observation]) -> None:
        super().__init__(forestry, waiting, None, None)
        self.possible = possible
        self.leading: dict[int, dict[int, float]] = {}

    def led(self, tree: int) -> dict[int, float]:
        """How likely each open node of a tree leads to something possible."""
        found = self.leading.get(tree)
        if found is None:
            found = self.leading[tree] = {}
            for each in self.possible:
                for step in self.forestry.steps(tree, each):
                    found[step.place] = found.get(step.place, 0.0) + step.probability
        return found

    def of(self, tree: int) -> float:
        return float(len(self.led(tree)))

    def chance(self, tree: int, step: Step) -> float:
        return step.probability / self.led(tree)[step.place]
