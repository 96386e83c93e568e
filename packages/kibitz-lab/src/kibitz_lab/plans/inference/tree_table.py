"""The table of all trees met so far: trees of one goal with equal frontiers are one entry, whatever their history.

How an action changes a tree is computed once.
"""

from collections.abc import Iterable, Iterator
from copy import copy
from typing import NamedTuple, Self

from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.assumptions import Meaning
from kibitz_lab.plans.inference.expansion import Derivation, NodeExpander, derivation_path
from kibitz_lab.plans.inference.frontier import (
    Masks,
    Nodes,
    OpenNode,
    Value,
    bind_values,
    interchangeable_groups,
    known_values,
    pending_places,
    renumber_values,
    reorder_nodes,
    resolve_value,
    shift_origins,
    sorted_places,
    splice_nodes,
)
from kibitz_lab.plans.library import Instance, Part, PlanLibrary, ranked_shares


class Tree(NamedTuple):
    """A goal and its frontier."""

    goal: str
    nodes: Nodes
    before: Masks
    seen: bool = True
    """Whether one of its actions was seen."""
    idle: float = 1.0
    """The probability that it was not picked since the last time, if goals may be abandoned."""
    values: tuple[Value, ...] = ()
    """The values of the goal's parameters."""

    @property
    def instance(self) -> Instance:
        """The goal with the values of its parameters."""
        return Instance(self.goal, known_values(self.values))


class Pick(NamedTuple):
    """A node of a tree that is picked and leads to some action."""

    probability: float
    """The probability of that action once the tree is picked, times how much is pending there."""
    place: int
    times: int
    """How many interchangeable nodes this one stands for."""


class Step(NamedTuple):
    """One way in which a tree can go on."""

    pick: Pick
    target: int
    derivation: Derivation | None
    """From the picked node down to the action."""
    order: tuple[int, ...]
    """The place of each node of the new frontier before these were sorted, with what remains in the picked place."""

    @property
    def path(self) -> tuple[tuple[int, int], ...]:
        """From the picked node down to the action: rule and part."""
        return derivation_path(self.derivation)

    def origins(self, library: PlanLibrary, count: int) -> list[int | tuple[int, ...]]:
        """The origin of each node of the new frontier: a place of the old one, or parts below the picked node.

        *count* is the number of nodes of the old frontier; the step must be traced.
        """
        inner: list[tuple[int, ...]] = []
        for rule, place in reversed(self.path):
            after = range(place + 1, len(library.rules[rule].parts))
            inner = [*((each,) for each in range(place)), *((place, *each) for each in inner), *((n,) for n in after)]
        place = self.pick.place
        found: list[int | tuple[int, ...]] = [*range(place), *inner, *range(place + 1, count)]
        return [found[each] for each in self.order]


class Beginning(NamedTuple):
    """A way in which a goal can begin: its tree, how likely that is, how much is pending in it, and the first step."""

    goal: str
    share: float
    tree: int
    pending: int
    step: Step


Trees = tuple[int, ...]
"""The trees of a forest, by number."""


class TreeTable:
    """The trees of a library by number, and how they go on; if *traced*, the ways to a tree are told apart."""

    def __init__(
        self,
        library: PlanLibrary,
        meaning: Meaning,
        depth: int | None = None,
        *,
        traced: bool = False,
        value_share: float = 1.0,
    ) -> None:
        self.library, self.meaning, self.traced = library, meaning, traced
        self.expander = NodeExpander(library, meaning, depth, traced=traced, value_share=value_share)
        self.clear()
        self.beginning_goals: dict[str, list[str]] = {}
        """The goals that may begin with each action."""
        for goal in library.goals:
            for action in self.expander.first_actions(Part(goal, False), self.expander.recursion.start(goal)):
                self.beginning_goals.setdefault(action, []).append(goal)

    def clear(self) -> None:
        """Start with only the trees of goals that have not begun."""
        self.trees: list[Tree] = []
        self.numbers: dict[Tree, int] = {}
        self.sizes: list[int] = []
        """How much is pending in each tree."""
        self.known: dict[Observation | None, dict[int, list[Step]]] = {}
        self.known_picks: dict[int, dict[Observation, list[Pick]]] = {}
        self.roots = {goal: self.root_trees(goal) for goal in self.library.goals}

    def restrict_trees(self, held: Iterable[int]) -> tuple[Self, dict[int, int]]:
        """The same with only some of its trees, in their order, and the new numbers of these."""
        found = copy(self)
        found.clear()
        return found, {tree: found.number(self.trees[tree]) for tree in sorted(held)}

    def root_trees(self, goal: str) -> list[tuple[float, int, int]]:
        """A goal before it is begun: its tree, how likely it is, and what it adds to what is pending."""
        part, level = Part(goal, False), self.expander.recursion.start(goal)
        root = OpenNode(part, level, 0, self.expander.unknown_values(part))
        if self.meaning == "frontier":
            tree = self.number(Tree(goal, (root,), (0,), False, values=root.values))
            return [(1.0, tree, self.sizes[tree])]
        found = []
        for first, probability in self.expander.first_counts(part, level).items():
            whole = Tree(goal, (root._replace(first=first),), (0,), False, values=root.values)
            found.append((probability, self.number(whole), first))
        return found

    def number(self, tree: Tree) -> int:
        """The number of a tree; a new tree gets the next number."""
        found = self.numbers.get(tree)
        if found is None:
            found = self.numbers[tree] = len(self.trees)
            self.trees.append(tree)
            pending = pending_places(tree.before)
            self.sizes.append(sum(self.expander.pending_count(tree.nodes[place]) for place in pending))
        return found

    def steps(self, tree: int, observation: Observation | None) -> list[Step]:
        """Every way in which a tree can go on with an action, or with any action, unseen (None)."""
        known = self.known.setdefault(observation, {})
        found = known.get(tree)
        if found is None:
            found = known[tree] = self.merge_steps(self._steps(self.trees[tree], observation))
        return found

    def beginnings(self, observation: Observation | None) -> Iterator[Beginning]:
        """Every way in which a goal can begin with an action, or with any action, unseen (None)."""
        goals = self.roots if observation is None else self.beginning_goals.get(observation.action, ())
        for goal in goals:
            for share, tree, pending in self.roots[goal]:
                for step in self.steps(tree, observation):
                    yield Beginning(goal, share, tree, pending, step)

    def goal_shares(self, forests: Iterable[tuple[Trees, float]]) -> dict[str, float]:
        """The probability that each goal is in a forest, from the forests with their probabilities."""
        found = dict.fromkeys(self.library.goals, 0.0)
        for forest, share in forests:
            for goal in {self.trees[tree].goal for tree in forest}:
                found[goal] += share
        return {goal: min(1.0, share) for goal, share in found.items()}

    def instance_shares(self, forests: Iterable[tuple[Trees, float]]) -> dict[Instance, float]:
        """The same for each goal with the values of its parameters, the likeliest first."""
        found: dict[Instance, float] = {}
        for forest, share in forests:
            for instance in {self.trees[tree].instance for tree in forest}:
                found[instance] = found.get(instance, 0.0) + share
        return ranked_shares({instance: min(1.0, share) for instance, share in found.items()})

    def picks(self, tree: int) -> dict[Observation, list[Pick]]:
        """Every observation with which a tree can go on, and the picks that lead there; a short form of `steps`."""
        found = self.known_picks.get(tree)
        if found is None:
            found = self.known_picks[tree] = {}
            held = self.trees[tree]
            for place, times in self.pending(held):
                node = held.nodes[place]._replace(origin=0)
                for seen, chance in self.expander.chances(node).items():
                    found.setdefault(seen, []).append(Pick(chance * times, place, times))
        return found

    def pending(self, tree: Tree, observation: Observation | None = None) -> list[tuple[int, int]]:
        """One place for each interchangeable set that is pending, or may lead to an observation, and the set's size."""
        places = pending_places(tree.before)
        if observation is not None:
            nodes, first = tree.nodes, self.expander.first_actions
            places = [i for i in places if observation.action in first(nodes[i].part, nodes[i].level)]
        groups = interchangeable_groups(tree.nodes, tree.before, places, tree.values)
        return [(group[0], len(group)) for group in groups]

    def idle_tree(self, tree: int, share: float, abandon: float) -> int:
        """A tree that was not picked although it had *share* of what was pending; an empty tree if it is abandoned."""
        held = self.trees[tree]
        idle = held.idle * (1.0 - share)
        if idle < abandon:
            return self.number(held._replace(nodes=(), before=(), idle=1.0))
        return self.number(held._replace(idle=idle))

    def largest_share(self, action: str) -> float:
        """An upper bound on the probability that any tree leads to *action* next."""
        holding = [rule for rule in self.library.rules if Part(action, True) in rule.parts]
        alone = all(len(rule.parts) == 1 and rule.head not in self.expander.recursion.reaching for rule in holding)
        if not alone:
            return 1.0
        shares = dict.fromkeys((rule.head for rule in holding), 0.0)
        for rule in holding:
            shares[rule.head] += rule.probability
        if self.meaning == "leaves":  # then it is known that the head begins with one action
            for head in shares:
                shares[head] /= self.expander.first_counts(Part(head, False), 0)[1]
        return max(shares.values(), default=0.0)

    def _steps(self, tree: Tree, observation: Observation | None) -> Iterator[Step]:
        seen = tree.seen or observation is not None
        origins = max((node.origin for node in tree.nodes), default=0) + 1 if self.traced else 0
        for place, times in self.pending(tree, observation):
            node = tree.nodes[place]._replace(origin=0)
            for fragment in self.expander.fragments(node, observation):
                inner = shift_origins(fragment.nodes, origins)
                nodes, before = splice_nodes(tree.nodes, tree.before, place, inner, fragment.before)
                values = tree.values
                if fragment.bindings:
                    nodes = tuple(bind_values(each, fragment.bindings) for each in nodes)
                    values = tuple(resolve_value(value, fragment.bindings) for value in values)
                for share, grown in self.expander.grow_nodes(nodes, before, values):
                    order = sorted_places(grown, before)
                    target = Tree(tree.goal, *reorder_nodes(grown, before, order), seen, values=values)
                    if self.traced or not self.expander.plain:
                        own, renumbered = renumber_values(values, target.nodes)
                        target = target._replace(nodes=renumbered, values=own)
                    pick = Pick(fragment.probability * share * times, place, times)
                    yield Step(pick, self.number(target), fragment.derivation, tuple(order))

    def merge_steps(self, steps: Iterator[Step]) -> list[Step]:
        """The same, with steps from one node to the same tree merged unless they are traced."""
        if self.traced:
            return list(steps)
        found: dict[tuple[int, int], Step] = {}
        for step in steps:
            key = (step.pick.place, step.target)
            known = found.get(key)
            if known is not None:
                pick = step.pick._replace(probability=step.pick.probability + known.pick.probability)
                step = step._replace(pick=pick)
            found[key] = step
        return list(found.values())
