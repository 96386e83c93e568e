"""The plan recogniser, which processes one observation at a time.

An explanation is a *forest*: the trees of the goals that were begun, by their numbers in the `TreeTable`. Equal forests
are merged; if explanations are wanted, the recogniser keeps the arrivals of each. Masses are relative to a stored
logarithm, so that nothing underflows; a beam that drops forests keeps an upper bound of the mass they could reach.
"""

from collections.abc import Callable, Mapping, Sequence
from math import exp, inf, log
from typing import Literal, Self

import numpy as np

from kibitz.core.errors import BadPlan, short_list
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans import limits
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.inference.hypotheses import (
    Extension,
    Forest,
    Hypotheses,
    Layer,
    masses_per_pick,
    pending_sizes,
)
from kibitz_lab.plans.inference.pending import AllowedPending, Floats, Pending, UnstartedGoals
from kibitz_lab.plans.inference.recursion import explained_depth
from kibitz_lab.plans.inference.tree_table import Pick, TreeTable
from kibitz_lab.plans.library import Instance, PlanLibrary, ranked_shares

Method = Literal["exact", "beam"]
TIED = 1e-9
"""Goals whose probabilities differ by less than this part are tied."""


class Recogniser:
    """Observes one actor. *beam* is the most forests to keep; with *trees* it can give explanations."""

    def __init__(
        self,
        library: PlanLibrary,
        assumptions: Assumptions | None = None,
        *,
        beam: int | None = None,
        trees: bool = False,
    ) -> None:
        self.library, self.assumptions, self.beam, self.trees = library, assumptions or Assumptions(), beam, trees
        with explained_depth(library):
            self.table = TreeTable(library, self.assumptions.meaning, self.assumptions.depth, traced=trees)
            self.unstarted = UnstartedGoals(self.table, self.assumptions)
        self.most_roots = self.assumptions.most_roots(library)
        self.rows = Hypotheses([()], np.ones((1, len(self.unstarted.kinds))), [])
        self.layers: list[Layer] = []
        """All earlier rows, in their order, if explanations are wanted."""
        self.observations: list[Observation] = []
        self.log_scale = 0.0
        self.lost = 0.0
        """An upper bound of the current mass of all dropped forests, in the scale of the masses."""

    def clone(self) -> Self:
        """An independent copy, which shares the table of trees."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.observations, copied.layers = list(self.observations), list(self.layers)
        return copied

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.clone()

    def observe(
        self,
        observation: Observation,
        possible: Sequence[Observation] | None = None,
        confidence: float = 1.0,
    ) -> None:
        """Process an observation; an action that the library does not have serves no goal.

        *possible* are all observations that could have been made, each as often as there are ways to make it.
        *confidence* is the probability that the observation is right; where it is wrong, nothing happened, as with a
        slip.
        """
        self.check(observation)
        with explained_depth(self.library):
            self.go_on(observation, possible, 1.0 - (1.0 - self.assumptions.slip) * confidence)

    def go_on(self, observation: Observation, possible: Sequence[Observation] | None, slip: float) -> None:
        """The same for a checked observation, which serves no goal with probability *slip*."""
        assumptions, rows = self.assumptions, self.rows
        growth, pending = Extension(self), self.pending(possible)
        layer = self.add_layer(rows, pending)
        chance = possible.count(observation) / len(possible) if possible else 1.0 / len(self.library.actions)
        if slip:
            growth.add_unchanged(rows, slip * chance, layer)
        time, share = len(self.observations), (1.0 - slip) * (1.0 - assumptions.miss)
        for _ in range(assumptions.silent if assumptions.miss else 0):
            growth.add(rows, pending, observation, share, layer, time)
            unseen = Extension(self)
            unseen.add(rows, pending, None, assumptions.miss, layer, None)
            rows = unseen.rows()
            growth.dropped += unseen.dropped * (1.0 - slip)
            layer = self.add_layer(rows, pending)
        growth.add(rows, pending, observation, share, layer, time)
        self.observations.append(observation)
        self.rows = growth.rows()
        if self.lost and not possible:
            self.lost *= min(1.0, self.table.largest_share(observation.action) + slip * chance)
        self.lost += growth.dropped
        self.shrink()
        self.rescale()
        self.thin()

    def add_layer(self, rows: Hypotheses, pending: Pending) -> int:
        """The number of a layer of rows, which is kept if explanations are wanted."""
        if self.trees:
            self.layers.append(Layer(rows, pending_sizes(rows, pending)))
        return len(self.layers) - 1

    def check(self, observation: Observation) -> None:
        """Require a value (unknown ones too) for each parameter of an action that the library has."""
        symbol = self.library.actions.get(observation.action)
        if symbol is not None and len(observation.values) not in (0, len(symbol.parameters)):
            why = f"{observation} has too many or too few values; its parameters are: {short_list(symbol.parameters)}"
            raise BadPlan(self.library.name, why)

    def pending(self, possible: Sequence[Observation] | None = None) -> Pending:
        """How much is pending, of all or if only some observations are possible."""
        if not possible:
            return Pending(self.table, self.unstarted)
        if self.assumptions.meaning == "leaves":
            raise BadPlan(self.library.name, "give possible observations only in the meaning frontier")
        return AllowedPending(self.table, self.unstarted, list(dict.fromkeys(possible)))

    def shrink(self) -> None:
        """Drop forests beyond the beam, and add up the mass they could reach."""
        if self.beam is None or len(self.rows.forests) <= self.beam:
            return
        potential = self.rows.masses @ self.unstarted.potential
        order = np.argsort(-potential, kind="stable")
        self.lost += float(potential[order[self.beam :]].sum())
        self.rows = self.rows.select_rows(order[: self.beam])

    def rescale(self) -> None:
        """Rescale the masses to about 1, and store the logarithm of the factor."""
        total = float(self.rows.masses.sum())
        if total > 0.0:
            self.rows = self.rows._replace(masses=self.rows.masses / total)
            self.lost /= total
            self.log_scale += log(total)

    def thin(self) -> None:
        """Drop trees that are in no forest any more once there are many, unless explanations need them."""
        if self.trees or len(self.table.trees) <= limits.SPENT_TREES:
            return
        held = {tree for forest in self.rows.forests for tree in forest}
        if len(self.table.trees) > limits.SPENT_TREES + len(held):
            self.table, numbers = self.table.restrict_trees(held)
            self.rows = self.rows._replace(
                forests=[tuple(map(numbers.__getitem__, each)) for each in self.rows.forests]
            )

    def complete(self, forest: Forest) -> bool:
        """Whether every goal of a forest explains an observation."""
        return all(self.table.trees[tree].seen for tree in forest)

    def weights(self) -> Floats:
        """The weight of each forest as an explanation of the observations."""
        weights: Floats = self.rows.masses[:, 0]
        if self.assumptions.miss:
            weights = weights * np.array([self.complete(forest) for forest in self.rows.forests], dtype=np.float64)
        return weights

    def forest_shares(self) -> list[tuple[Forest, float]]:
        """All forests that explain the observations, with their probabilities."""
        weights = self.weights().tolist()
        total = sum(weights)
        pairs = zip(self.rows.forests, weights, strict=True)
        return [(forest, weight / total) for forest, weight in pairs if weight > 0.0]

    @property
    def total(self) -> float:
        """The mass of all explanations, in the scale of the masses."""
        return float(self.weights().sum())

    @property
    def is_explained(self) -> bool:
        """Whether the observations have an explanation."""
        return self.total > 0.0

    @property
    def log_probability(self) -> float:
        """The logarithm of the probability of the observations."""
        total = self.total
        return self.log_scale + log(total) if total > 0.0 else -inf

    @property
    def probability(self) -> float:
        return exp(self.log_probability)

    @property
    def forest_count(self) -> int:
        """How many forests are kept."""
        return len(self.rows.forests)

    @property
    def method(self) -> Method:
        """How the answers come about: exactly, or without what the beam dropped."""
        return "beam" if self.lost else "exact"

    @property
    def bound(self) -> float:
        """The most by which the beam has changed the probability of any goal."""
        return self.lost / (float(self.weights().sum()) + self.lost) if self.lost else 0.0

    def goals(self) -> dict[str, float]:
        """The probability that each goal is pursued; they need not add up to 1. All are 0 without an explanation."""
        return self.table.goal_shares(self.forest_shares())

    def instances(self) -> dict[Instance, float]:
        """The probability that each goal with the values of its parameters is pursued, the likeliest first."""
        return self.table.instance_shares(self.forest_shares())

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Lower and upper bounds of the exact probability of each goal."""
        bound = self.bound
        return {goal: (share * (1.0 - bound), share * (1.0 - bound) + bound) for goal, share in self.goals().items()}

    def belief(self) -> dict[str, float]:
        """Shares of the goals that add up to 1: the goals of an explanation share it; priors share an empty one."""
        trees, forests = self.table.trees, self.forest_shares()
        if not forests:
            return dict(self.library.goals)
        found = dict.fromkeys(self.library.goals, 0.0)
        for forest, probability in forests:
            goals = {trees[tree].goal for tree in forest}
            for goal in goals or found:
                found[goal] += probability / len(goals) if goals else probability * self.library.goals[goal]
        return found

    def likelihoods(self, observations: Sequence[Observation], pending: Pending) -> list[float]:
        """The relative probability of each observation as the next one; slips are left out."""

        def ways(tree: int) -> dict[Observation, list[Pick]]:
            return {each: [step.pick for step in self.table.steps(tree, each)] for each in observations}

        found = self.next_probabilities(ways, pending)
        return [found.get(each, 0.0) for each in observations]

    def next_probabilities(
        self, ways: Callable[[int], Mapping[Observation, Sequence[Pick]]], pending: Pending
    ) -> dict[Observation, float]:
        """Relative probabilities of what comes next, where *ways* are the picks in a tree that lead there."""
        trees, waiting, full = self.picked_masses(pending)
        found: dict[Observation, float] = {}

        def add(tree: int, mass: float) -> None:
            for thing, own in ways(tree).items():
                if own:
                    found[thing] = found.get(thing, 0.0) + mass * sum(pending.chance(tree, pick) for pick in own)

        for tree, mass in trees.items():
            add(tree, mass)
        for goal, planted in self.table.roots.items():
            for share, tree, first in planted:
                column = self.unstarted.before(first)[0]
                room = float(waiting[column] - (full[goal][column] if goal in full else 0.0))
                add(tree, self.unstarted.priors[goal] * share * room)
        return found

    def picked_masses(self, pending: Pending) -> tuple[dict[int, float], Floats, dict[str, Floats]]:
        """The total weight of a pick in each tree, of goals that begin, and of that the part of each goal that may not.

        Only picks that lead to explanations count: at most one goal is still unseen, and it is the one picked.
        """
        per_pick = masses_per_pick(self, self.rows, pending)
        held = self.table.trees
        trees: dict[int, float] = {}
        waiting: Floats = np.zeros(per_pick.shape[1])
        full: dict[str, Floats] = {}
        for forest, own in zip(self.rows.forests, per_pick, strict=True):
            unseen = [tree for tree in forest if not held[tree].seen]
            if len(unseen) > 1:
                continue
            for tree in unseen or forest:
                trees[tree] = trees.get(tree, 0.0) + float(own[0])
            if unseen or len(forest) >= self.most_roots:
                continue
            waiting += own
            goals = [held[tree].goal for tree in forest]
            for goal in set(goals):
                if goals.count(goal) >= self.assumptions.most(goal):
                    full[goal] = full[goal] + own if goal in full else own
        return trees, waiting, full

    def next_observations(self) -> dict[Observation, float]:
        """The probability of each next action with its values as far as they are known, the likeliest first."""
        weights = self.next_probabilities(self.table.picks, self.pending())
        total = sum(weights.values())
        return ranked_shares({each: weight / total for each, weight in weights.items() if weight > 0.0})

    def next_actions(self) -> dict[str, float]:
        """The probability of each next action, from what is pending, the likeliest first."""
        found: dict[str, float] = {}
        for each, share in self.next_observations().items():
            found[each.action] = found.get(each.action, 0.0) + share
        return ranked_shares(found)


def best_goals(goals: Mapping[str, float]) -> list[str]:
    """The likeliest goals; several if they are tied."""
    most = max(goals.values(), default=0.0)
    return [goal for goal, share in goals.items() if share >= most * (1.0 - TIED)] if most else []
