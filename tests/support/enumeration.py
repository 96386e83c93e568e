"""Recognition by listing every explanation one by one: the readable reference, for small libraries.

For every multiset of goals, every way to expand their trees and every way to map the observations to their leaves, the
probability is the product that the assumptions define. Nothing is merged, left out or patched later, because all goals
are there from the beginning. `recogniser` is its fast twin.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import NamedTuple

from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.inference.recursion import Recursion
from kibitz_lab.plans.library import Event, Instance, Part, PlanLibrary, predecessors

Path = tuple[int, ...]


class Node(NamedTuple):
    """A node of a tree: the rule chosen for it (None before that), its parts, and whether it is done."""

    part: Part
    level: int
    rule: int | None = None
    parts: tuple["Node", ...] = ()
    done: bool = False
    seen: Observation | None = None


class Root(NamedTuple):
    """A tree, whether it was begun, whether one of its actions was seen, and the probability of its idle time."""

    node: Node
    begun: bool = False
    seen: bool = False
    idle: float = 1.0
    dropped: bool = False


class WeightedForest(NamedTuple):
    """One explanation: its trees and its probability."""

    roots: tuple[Root, ...]
    probability: float

    @property
    def goals(self) -> tuple[str, ...]:
        return tuple(root.node.part.symbol for root in self.roots)


class Enumeration:
    """Lists all explanations of some observations."""

    def __init__(self, library: PlanLibrary, assumptions: Assumptions | None = None) -> None:
        self.library, self.assumptions = library, assumptions or Assumptions()
        self.recursion = Recursion(library, self.assumptions.depth)

    def explanations(self, seen: Sequence[Observation], confidences: Sequence[float] = ()) -> Iterator[WeightedForest]:
        """Every explanation in which each goal explains an observation, with its probability.

        *confidences* are the probabilities that the observations are right, 1 unless given.
        """
        events = [Event(each, *(confidences[place : place + 1])) for place, each in enumerate(seen)]
        most = min(
            self.assumptions.most_roots(self.library),
            len(seen) * (1 + self.assumptions.silent * (self.assumptions.miss > 0.0)),
        )
        for count in range(most + 1):
            for goals in combinations_with_replacement(self.library.goals, count):
                times = Counter(goals)
                if any(number > self.assumptions.most(goal) for goal, number in times.items()):
                    continue
                prior = prod(self.assumptions.prior(self.library, goal) for goal in goals)
                alike = prod(factorial(number) for number in times.values())
                for probability, nodes in self.initial_trees(goals):
                    for found in self.carried_on(tuple(map(Root, nodes)), events):
                        if all(root.seen for root in found.roots):
                            yield WeightedForest(found.roots, prior * probability * found.probability / alike)

    def posterior(
        self, seen: Sequence[Observation], confidences: Sequence[float] = ()
    ) -> tuple[float, dict[str, float]]:
        """The probability of the observations, and of each goal given them."""
        total, shares = 0.0, dict.fromkeys(self.library.goals, 0.0)
        for found in self.explanations(seen, confidences):
            total += found.probability
            for goal in set(found.goals):
                shares[goal] += found.probability
        return total, {goal: share / total if total else 0.0 for goal, share in shares.items()}

    def initial_trees(self, goals: Sequence[str]) -> Iterator[tuple[float, tuple[Node, ...]]]:
        """The trees of some goals before any action: only roots, or fully expanded in all ways."""
        roots = [Node(Part(goal, False), self.recursion.start(goal)) for goal in goals]
        if self.assumptions.meaning == "frontier":
            yield 1.0, tuple(roots)
            return
        for grown in product(*(list(self.grow_tree(root)) for root in roots)):
            yield prod(probability for probability, _ in grown), tuple(node for _, node in grown)

    def grow_tree(self, node: Node) -> Iterator[tuple[float, Node]]:
        """A tree, fully expanded in all ways."""
        if node.part.action:
            yield 1.0, node
            return
        for probability, expanded in self.expand_node(node):
            for below in product(*(list(self.grow_tree(part)) for part in expanded.parts)):
                yield probability * prod(p for p, _ in below), expanded._replace(parts=tuple(part for _, part in below))

    def expand_node(self, node: Node) -> Iterator[tuple[float, Node]]:
        """A node with each of the rules it may have."""
        left = self.recursion.below(node.part.symbol, node.level)
        for probability, rule in self.recursion.options(node.part.symbol, node.level):
            parts = (
                Node(part, 0 if part.action else self.recursion.level(part.symbol, left))
                for part in self.library.rules[rule].parts
            )
            yield probability, node._replace(rule=rule, parts=tuple(parts))

    def carried_on(self, roots: tuple[Root, ...], seen: Sequence[Event]) -> Iterator[WeightedForest]:
        """Every way in which these trees can have led to the observations."""
        if not seen:
            yield WeightedForest(roots, 1.0)
            return
        assumptions, first, later = self.assumptions, seen[0].observation, seen[1:]
        slip = 1.0 - (1.0 - assumptions.slip) * seen[0].confidence
        if slip:
            for found in self.carried_on(roots, later):
                yield found._replace(probability=found.probability * slip / len(self.library.actions))
        hidden = [(1.0 - slip, roots)]
        for times in range(1 + (assumptions.silent if assumptions.miss else 0)):
            for probability, before in hidden:
                for pick, after in self.pick_action(before, first):
                    for found in self.carried_on(after, later):
                        share = probability * (1.0 - assumptions.miss) * pick
                        yield found._replace(probability=found.probability * share)
            if times < assumptions.silent:
                hidden = [
                    (probability * assumptions.miss * pick, after)
                    for probability, before in hidden
                    for pick, after in self.pick_action(before, None)
                ]

    def pick_action(
        self, roots: tuple[Root, ...], action: Observation | None
    ) -> Iterator[tuple[float, tuple[Root, ...]]]:
        """Every pick that leads to *action* (or to any action, unseen), with its probability."""
        pending = [[] if root.dropped else list(self.pending(root.node)) for root in roots]
        size = sum(map(len, pending))
        for place, paths in enumerate(pending):
            for path in paths:
                for probability, node in self.do_action(roots[place].node, path, action):
                    if consistent(self.library, node):
                        yield probability / size, self.after(roots, place, node, action is not None, pending)

    def after(
        self, roots: tuple[Root, ...], place: int, node: Node, seen: bool, pending: Sequence[Sequence[Path]]
    ) -> tuple[Root, ...]:
        """The trees after a pick, abandoned ones included."""
        everything = sum(len(paths) for paths, root in zip(pending, roots, strict=True) if root.begun)
        everything += 0 if roots[place].begun else len(pending[place])
        found = []
        for number, root in enumerate(roots):
            if number == place:
                root = Root(node, True, root.seen or seen)
            elif root.begun and self.assumptions.abandon and not root.dropped:
                idle = root.idle * (1.0 - len(pending[number]) / everything)
                root = root._replace(idle=idle, dropped=idle < self.assumptions.abandon)
            found.append(root)
        return tuple(found)

    def pending(self, node: Node, path: Path = ()) -> Iterator[Path]:
        """What may be picked: actions, and nodes that have no rule yet, whose predecessors are complete."""
        if node.done:
            return
        if node.rule is None:
            yield path
            return
        before = predecessors(len(node.parts), self.library.rules[node.rule].order)
        for place, part in enumerate(node.parts):
            if all(node.parts[other].done for other in range(len(node.parts)) if before[place] >> other & 1):
                yield from self.pending(part, (*path, place))

    def do_action(self, node: Node, path: Path, action: Observation | None) -> Iterator[tuple[float, Node]]:
        """Every tree after the node at *path* was picked and led down to *action*."""
        if path:
            place, *deeper = path
            for probability, part in self.do_action(node.parts[place], tuple(deeper), action):
                yield probability, replace_part(node, place, part)
        elif node.part.action:
            if action is None or node.part.symbol == action.action:
                yield 1.0, node._replace(done=True, seen=action)
        elif node.rule is None:
            for probability, expanded in self.expand_node(node):
                first = [own for own in self.pending(expanded) if len(own) == 1]
                for own in first:
                    for share, found in self.do_action(expanded, own, action):
                        yield probability / len(first) * share, found


def replace_part(node: Node, place: int, part: Node) -> Node:
    """A node with one of its parts replaced; it is done if all parts are."""
    parts = (*node.parts[:place], part, *node.parts[place + 1 :])
    return node._replace(parts=parts, done=all(each.done for each in parts))


def consistent(library: PlanLibrary, node: Node) -> bool:
    """Whether all values that must be equal are equal."""
    return bound_values(library, node) is not None


def plan_instances(library: PlanLibrary, root: Node) -> list[Instance]:
    """All plans of a tree that were begun, with the values of their parameters, the goal first."""
    known = bound_values(library, root) or {}
    found: list[Instance] = []

    def visit(here: Node, path: Path) -> bool:
        place = len(found)
        found.append(Instance(here.part.symbol, tuple(known.get((path, name)) for name in parameters(here))))
        begun = [
            visit(part, (*path, number)) if part.rule is not None else part.done
            for number, part in enumerate(here.parts)
        ]
        if not any(begun):
            del found[place:]
        return any(begun)

    def parameters(here: Node) -> tuple[str, ...]:
        return library.symbol(here.part).parameters

    visit(root, ())
    return found


def bound_values(library: PlanLibrary, node: Node) -> dict[tuple[Path, str], str] | None:
    """The values of parameters, by the path of their node, as far as the observations tell; None if some differ."""
    known: dict[tuple[Path, str], tuple[Path, str]] = {}
    values: dict[tuple[Path, str], set[str]] = {}

    def leader(slot: tuple[Path, str]) -> tuple[Path, str]:
        while known.setdefault(slot, slot) != slot:
            slot = known[slot]
        return slot

    def visit(here: Node, path: Path) -> None:
        for name, value in zip(
            library.symbol(here.part).parameters, here.seen.values if here.seen else (), strict=False
        ):
            if value is not None:
                values.setdefault((path, name), set()).add(value)
        if here.rule is not None:
            for group in library.rules[here.rule].equal:
                slots = [((*path, index - 1) if index else path, name) for index, name in group]
                for slot in slots[1:]:
                    known[leader(slot)] = leader(slots[0])
        for place, part in enumerate(here.parts):
            visit(part, (*path, place))

    visit(node, ())
    together: dict[tuple[Path, str], set[str]] = {}
    for slot, held in values.items():
        together.setdefault(leader(slot), set()).update(held)
    if any(len(held) > 1 for held in together.values()):
        return None
    return {slot: value for slot in (*known, *values) for value in together.get(leader(slot), ())}
