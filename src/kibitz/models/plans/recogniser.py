"""Plan recognition, one observation after the other; equal to `enumeration`, which says what it means.

An explanation is a *forest*: the trees of the goals that were begun, by their numbers in the `Forestry`. Forests that
are equal are merged unless their histories are wanted. Masses are kept relative to a logarithm, so that nothing
underflows, and a beam that drops forests keeps an upper bound of what they could have come to.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import exp, inf, log
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadPlan, UnknownName
from kibitz.models.plans.frontier import Forestry, Step
from kibitz.models.plans.library import Observation, PlanLibrary
from kibitz.models.plans.story import Choice, Story
from kibitz.models.plans.waiting import Floats, Kind, Waiting

Forest = tuple[int, ...]


class Act(NamedTuple):
    """How a forest came to be: from which, the place of the tree that went on, its step, and when, if it was seen."""

    before: "Act | None"
    place: int
    step: Step
    time: int | None


class Rows(NamedTuple):
    """Forests with their masses, a column per kind of what waits, and their histories where these are kept."""

    forests: list[Forest]
    masses: Floats
    histories: list[Act | None]


class Edge(NamedTuple):
    """One way in which a forest can go on: which, the place of the tree, its step, its weight, and what began."""

    row: int
    place: int
    step: Step
    weight: float
    begun: Kind | None


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


class Recogniser:
    """Follows one actor. *beam* is how many forests are kept at most; with *trees* nothing is merged."""

    def __init__(
        self,
        library: PlanLibrary,
        story: Story | None = None,
        *,
        beam: int | None = None,
        trees: bool = False,
        choice: Choice | None = None,
    ) -> None:
        self.library, self.story, self.beam, self.trees, self.choice = library, story or Story(), beam, trees, choice
        with self.explained_depth():
            self.forestry = Forestry(library, self.story.meaning, self.story.depth, alike=choice is None)
            self.waiting = Waiting(self.forestry, self.story)
        self.most_roots = self.story.most_roots(library)
        self.rows = Rows([()], np.ones((1, len(self.waiting.kinds))), [None])
        self.observations: list[Observation] = []
        self.log_scale = 0.0
        self.lost = 0.0
        """What all forests that were dropped can have come to by now, at most, in the scale of the masses."""

    def clone(self) -> Self:
        """A copy that goes its own way; what is known of trees is shared."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.observations = list(self.observations)
        return copied

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.clone()

    def observe(
        self, observation: Observation, context: object = None, possible: Sequence[Observation] | None = None
    ) -> None:
        """Go on with an observation.

        *context* is handed to the choice model; *possible* are all observations that could have been made, each as
        often as there are ways to make it.
        """
        self.check(observation)
        with self.explained_depth():
            self.go_on(observation, context, possible)

    @contextmanager
    def explained_depth(self) -> Iterator[None]:
        """Says what is wrong where plans stand so deep within each other that Python gives up."""
        try:
            yield
        except RecursionError:
            why = "its plans stand too deep within each other; take some out, or lower the depth"
            raise BadPlan(self.library.name, why) from None

    def go_on(self, observation: Observation, context: object, possible: Sequence[Observation] | None) -> None:
        """The same, once it is known to be an action of the library."""
        story, rows = self.story, self.rows
        gathered = Gathered(self)
        if story.slip:
            chance = possible.count(observation) / len(possible) if possible else 1.0 / len(self.library.actions)
            gathered.add_unchanged(rows, story.slip * chance)
        pending = self.pending(context, possible)
        time, share = len(self.observations), (1.0 - story.slip) * (1.0 - story.miss)
        for _ in range(story.silent if story.miss else 0):
            gathered.add(rows, pending, observation, share, time)
            unseen = Gathered(self)
            unseen.add(rows, pending, None, story.miss, None)
            rows = unseen.rows()
        gathered.add(rows, pending, observation, share, time)
        self.observations.append(observation)
        self.rows = gathered.rows()
        if self.lost and not possible:
            self.lost *= self.forestry.largest_share(observation.action)
        self.shrink()
        self.rescale()

    def check(self, observation: Observation) -> None:
        """Require an action of the library, with a value, if unknown, for each of its parameters."""
        symbol = self.library.actions.get(observation.action)
        if symbol is None:
            raise UnknownName("action", observation.action, list(self.library.actions), f"in {self.library.name}")
        if len(observation.values) not in (0, len(symbol.parameters)):
            why = f"{observation} has {len(observation.values)} values; its parameters are {len(symbol.parameters)}"
            raise BadPlan(self.library.name, why)

    def pending(self, context: object = None, possible: Sequence[Observation] | None = None) -> Pending:
        """How much is pending, in a context or where only some observations are possible."""
        if not possible:
            return Pending(self.forestry, self.waiting, self.choice, context)
        if self.story.meaning == "leaves" or self.choice is not None:
            raise BadPlan(
                self.library.name, "what is possible can be told in the meaning frontier, without a choice model"
            )
        return Allowed(self.forestry, self.waiting, list(dict.fromkeys(possible)))

    def edges(self, rows: Rows, pending: Pending, observation: Observation | None) -> Iterator[Edge]:
        """Every way in which every forest can go on with an observation, or unseen."""
        forestry, trees, story = self.forestry, self.forestry.trees, self.story
        beginning = self.beginning(pending, observation)
        for row, forest in enumerate(rows.forests):
            for place, tree in enumerate(forest):
                for step in forestry.steps(tree, observation):
                    yield Edge(row, place, step, pending.chance(tree, step), None)
            if beginning and len(forest) < self.most_roots:
                begun = [trees[tree].goal for tree in forest]
                for goal, kind, step, weight in beginning:
                    if begun.count(goal) < story.most(goal):
                        yield Edge(row, len(forest), step, weight, kind)

    def beginning(self, pending: Pending, observation: Observation | None) -> list[tuple[str, Kind, Step, float]]:
        """Every way in which a goal can begin with an observation, or unseen: kind while it waited, step, weight."""
        forestry, waiting = self.forestry, self.waiting
        goals = forestry.roots if observation is None else forestry.beginnings.get(observation.action, ())
        return [
            (goal, waiting.kind(goal, signature), step, waiting.priors[goal] * share * pending.chance(tree, step))
            for goal in goals
            for share, tree, signature in forestry.roots[goal]
            for step in forestry.steps(tree, observation)
        ]

    def picks(self, rows: Rows, pending: Pending) -> Floats:
        """The masses divided by all that is pending, and a last column of zeros."""
        own = np.array([sum(map(pending.of, forest)) for forest in rows.forests])
        size = own[:, None] + pending.kinds[None, :]
        found = np.zeros((len(rows.forests), len(self.waiting.kinds) + 1))
        np.divide(rows.masses, size, out=found[:, :-1], where=size > 0.0)
        return found

    def successor(self, forest: Forest, edge: Edge, pending: Pending) -> Forest:
        """A forest after a step, with goals that were given up emptied."""
        if self.story.abandon:
            everything = sum(map(pending.of, forest))
            if edge.begun is not None:
                everything += sum(pending.weight(*waiting) for waiting in edge.begun)
            forest = tuple(
                tree
                if place == edge.place
                else self.forestry.idled(tree, pending.of(tree) / everything, self.story.abandon)
                for place, tree in enumerate(forest)
            )
        found = (*forest[: edge.place], edge.step.target, *forest[edge.place + 1 :])
        return found if self.trees else tuple(sorted(found))

    def shrink(self) -> None:
        """Drop what is beyond the beam, and count what it could come to."""
        if self.beam is None or len(self.rows.forests) <= self.beam:
            return
        potential = self.rows.masses @ self.waiting.potential
        order = np.argsort(-potential, kind="stable")
        self.lost += float(potential[order[self.beam :]].sum())
        self.keep(np.sort(order[: self.beam]))

    def keep(self, chosen: NDArray[np.int64]) -> None:
        """Keep only some of the forests, by number."""
        rows = self.rows
        places = chosen.tolist()
        histories = [rows.histories[place] for place in places]
        self.rows = Rows([rows.forests[place] for place in places], rows.masses[chosen], histories)

    def rescale(self) -> None:
        """Bring the masses near 1, and remember by how much."""
        total = float(self.rows.masses.sum())
        if total > 0.0:
            self.rows = self.rows._replace(masses=self.rows.masses / total)
            self.lost /= total
            self.log_scale += log(total)

    def complete(self, forest: Forest) -> bool:
        """Whether every goal of a forest explains something."""
        return all(self.forestry.trees[tree].seen for tree in forest)

    def weights(self) -> Floats:
        """How much each forest counts as an explanation of what was seen."""
        weights: Floats = self.rows.masses[:, 0]
        if self.story.miss:
            weights = weights * np.array([self.complete(forest) for forest in self.rows.forests], dtype=np.float64)
        return weights

    @property
    def total(self) -> float:
        """The mass of all explanations, in the scale of the masses."""
        return float(self.weights().sum())

    @property
    def explained(self) -> bool:
        """Whether what was seen has an explanation."""
        return self.total > 0.0

    @property
    def log_probability(self) -> float:
        """The logarithm of the probability of what was seen."""
        return self.log_scale + log(self.total) if self.explained else -inf

    @property
    def probability(self) -> float:
        return exp(self.log_probability)

    @property
    def kept(self) -> int:
        """How many forests are kept."""
        return len(self.rows.forests)

    @property
    def bound(self) -> float:
        """By so much, at most, the beam has changed any probability of a goal."""
        return self.lost / (self.total + self.lost) if self.lost else 0.0

    def goals(self) -> dict[str, float]:
        """How likely each goal is among those pursued; they need not add up to 1. All 0 where nothing is explained."""
        trees, weights, total = self.forestry.trees, self.weights().tolist(), self.total
        found = dict.fromkeys(self.library.goals, 0.0)
        for forest, weight in zip(self.rows.forests, weights, strict=True):
            for goal in {trees[tree].goal for tree in forest}:
                found[goal] += weight
        return {goal: min(1.0, share / total) if total else 0.0 for goal, share in found.items()}

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Between which limits the probability of each goal would lie without the beam."""
        bound = self.bound
        return {goal: (share * (1.0 - bound), share * (1.0 - bound) + bound) for goal, share in self.goals().items()}

    def belief(self) -> dict[str, float]:
        """Shares of the goals that add up to 1: each explanation is shared by its goals, and an empty one by priors."""
        trees, total = self.forestry.trees, self.total
        if not total:
            return dict(self.library.goals)
        found = dict.fromkeys(self.library.goals, 0.0)
        for forest, weight in zip(self.rows.forests, (self.weights() / total).tolist(), strict=True):
            goals = {trees[tree].goal for tree in forest}
            for goal in goals or found:
                found[goal] += weight / len(goals) if goals else weight * self.library.goals[goal]
        return found

    def likelihoods(self, observations: Sequence[Observation], pending: Pending) -> list[float]:
        """How likely each observation is next, relative to each other; slips are left out."""
        trees, waiting, full = self.picked_masses(pending)
        found = []
        for each in observations:
            total = sum(
                mass * pending.chance(tree, step)
                for tree, mass in trees.items()
                for step in self.forestry.steps(tree, each)
            )
            for goal, kind, _, weight in self.beginning(pending, each):
                column = self.waiting.before(kind)[0]
                total += weight * float(waiting[column] - (full[goal][column] if goal in full else 0.0))
            found.append(total)
        return found

    def picked_masses(self, pending: Pending) -> tuple[dict[int, float], Floats, dict[str, Floats]]:
        """What all forests together give to a pick in each tree, to goals that begin, and of that to each that may not.

        Only what leads to explanations counts: one goal at most is still unseen, and is picked then.
        """
        picks = self.picks(self.rows, pending)
        held = self.forestry.trees
        trees: dict[int, float] = {}
        waiting: Floats = np.zeros(picks.shape[1])
        full: dict[str, Floats] = {}
        for forest, own in zip(self.rows.forests, picks, strict=True):
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
                if goals.count(goal) >= self.story.most(goal):
                    full[goal] = full[goal] + own if goal in full else own
        return trees, waiting, full

    def next_actions(self, context: object = None) -> dict[str, float]:
        """What comes next, from what is pending: action to probability, the likeliest first."""
        forests = {tree for forest in self.rows.forests for tree in forest}
        roots = {tree for planted in self.forestry.roots.values() for _, tree, _ in planted}
        may_come = {action for tree in forests | roots for action in self.forestry.next_actions(tree)}
        actions = sorted(may_come)
        weights = self.likelihoods([Observation(action) for action in actions], self.pending(context))
        total = sum(weights)
        ranked = sorted(zip(actions, weights, strict=True), key=lambda pair: -pair[1])
        return {action: weight / total for action, weight in ranked if weight > 0.0}


class Gathered:
    """Forests as they come, equal ones merged unless histories are kept."""

    def __init__(self, recogniser: Recogniser) -> None:
        self.recogniser = recogniser
        self.numbers: dict[Forest, int] = {}
        self.forests: list[Forest] = []
        self.histories: list[Act | None] = []
        self.parts: list[tuple[NDArray[np.int64], Floats]] = []

    def number(self, forest: Forest, history: Act | None) -> int:
        """The row of a forest."""
        if not self.recogniser.trees:
            found = self.numbers.get(forest)
            if found is not None:
                return found
            self.numbers[forest] = len(self.forests)
        self.forests.append(forest)
        self.histories.append(history)
        return len(self.forests) - 1

    def add_unchanged(self, rows: Rows, share: float) -> None:
        """Rows in which nothing happened, with a share of their masses."""
        targets = [self.number(forest, act) for forest, act in zip(rows.forests, rows.histories, strict=True)]
        self.parts.append((np.array(targets, dtype=np.int64), rows.masses * share))

    def add(
        self, rows: Rows, pending: Pending, observation: Observation | None, share: float, time: int | None
    ) -> None:
        """Every way in which rows can go on, with a share of their masses."""
        recogniser = self.recogniser
        picks = recogniser.picks(rows, pending)
        by_kind: dict[Kind | None, list[tuple[int, int, float]]] = {}
        for edge in recogniser.edges(rows, pending, observation):
            after = recogniser.successor(rows.forests[edge.row], edge, pending)
            act = Act(rows.histories[edge.row], edge.place, edge.step, time) if recogniser.trees else None
            by_kind.setdefault(edge.begun, []).append((edge.row, self.number(after, act), edge.weight * share))
        for kind, moved in by_kind.items():
            sources, targets, weights = (np.array(column) for column in zip(*moved, strict=True))
            masses = picks[sources][:, :-1] if kind is None else picks[sources][:, recogniser.waiting.before(kind)]
            self.parts.append((targets, masses * weights[:, None]))

    def rows(self) -> Rows:
        """All of them together."""
        kinds = len(self.recogniser.waiting.kinds)
        masses = np.zeros((len(self.forests), kinds))
        if self.parts:
            targets = np.concatenate([part for part, _ in self.parts])
            moved = np.concatenate([part for _, part in self.parts])
            for kind in range(kinds):
                masses[:, kind] = np.bincount(targets, weights=moved[:, kind], minlength=len(self.forests))
        return Rows(self.forests, masses, self.histories)


def recognised(
    library: PlanLibrary, observations: Sequence[Observation], story: Story | None = None, **options: object
) -> Recogniser:
    """A recogniser that has seen the observations."""
    found = Recogniser(library, story, **options)  # type: ignore[arg-type]
    for observation in observations:
        found.observe(observation)
    return found


def best_goals(goals: Mapping[str, float], level: float = 1e-9) -> list[str]:
    """The likeliest goals, several where they are tied."""
    most = max(goals.values(), default=0.0)
    return [goal for goal, share in goals.items() if share >= most * (1.0 - level)] if most else []
