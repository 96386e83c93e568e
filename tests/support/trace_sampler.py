"""Draws traces from a plan library: an actor who follows its plans, of which nothing is missed or abandoned.

The number of goals is given, because the weights of sets of goals are no distribution over their number; given the
number, goals are drawn by their weights.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from kibitz import core
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.formats.text_form import ANY, in_quotes, quote_name
from kibitz_lab.plans.formats.traces import Trace
from kibitz_lab.plans.inference.recursion import Recursion
from kibitz_lab.plans.library import Instance, Part, PlanLibrary, predecessors

LONGEST = 10_000
"""The most observations of a trace."""


def write_traces(path: Path | str, traces: Iterable[Trace]) -> None:
    """Write traces as text, or as JSON lines if the name ends so."""
    pairs = [
        ([written(each) for each in trace.goals], [written(each) for each in trace.observations]) for trace in traces
    ]
    if str(path).endswith(".jsonl"):
        rows = (json.dumps({"goals": goals, "observations": observations}) for goals, observations in pairs)
    else:
        rows = ("\n".join([f"trace {', '.join(goals)}", *observations]) for goals, observations in pairs)
    Path(path).write_text("\n".join(rows) + "\n")


def written(thing: Instance | Observation) -> str:
    """A goal or an observation in the text form."""
    known = ", ".join(ANY if value is None else in_quotes(value) for value in thing.values)
    return quote_name(thing[0]) + (f"({known})" if thing.values else "")


class SharedValue:
    """The value of one or several parameters that must be equal; unknown until an action fixes it."""

    def __init__(self) -> None:
        self.leader: SharedValue | None = None
        self.value: str | None = None

    def root(self) -> "SharedValue":
        """The value that stands for all that are equal to this one."""
        here = self
        while here.leader is not None:
            here = here.leader
        return here

    def unite(self, other: "SharedValue") -> None:
        """Make two values equal; at most one of them is known."""
        mine, theirs = self.root(), other.root()
        if mine is not theirs:
            if theirs.value is not None:
                mine, theirs = theirs, mine
            theirs.leader = mine


class PlanNode:
    """A node of a plan that is carried out."""

    def __init__(self, library: PlanLibrary, part: Part, level: int) -> None:
        self.part, self.level = part, level
        self.values = {name: SharedValue() for name in library.symbol(part).parameters}
        self.rule: int | None = None
        self.parts: list[PlanNode] = []
        self.parent: PlanNode | None = None
        self.done = False


class TraceSampler:
    """Draws traces of actors who follow the plans of a library; parameters take one of *objects* values each."""

    def __init__(self, library: PlanLibrary, assumptions: Assumptions | None = None, *, objects: int = 5) -> None:
        self.library, self.assumptions, self.objects = library, assumptions or Assumptions(), objects
        self.recursion = Recursion(library, self.assumptions.depth)
        self.before = [predecessors(len(rule.parts), rule.order) for rule in library.rules]
        self.goals = list(library.goals)
        weights = np.array([self.assumptions.prior(library, goal) for goal in self.goals])
        self.weights = weights / weights.sum()
        self.actions = list(library.actions)

    def traces(self, count: int, rng: core.Rng, *, goals: int = 1, length: int | None = None) -> list[Trace]:
        """Several traces."""
        return [self.trace(rng, goals=goals, length=length) for _ in range(count)]

    def trace(self, rng: core.Rng, *, goals: int = 1, length: int | None = None) -> Trace:
        """The observations of an actor with some *goals*, until all is done or *length* are made."""
        roots = [self.node(Part(goal, False), None) for goal in self.drawn_goals(rng, goals)]
        observations: list[Observation] = []
        seen: set[int] = set()
        most = LONGEST if length is None else length
        while len(observations) < most and any(self.pending_nodes(root) for root in roots):
            if rng.random() < self.assumptions.slip:
                action = self.actions[int(rng.random() * len(self.actions))]
                observations.append(self.observation(self.node(Part(action, True), None), rng))
                continue
            place, leaf = self.act(roots, rng)
            seen.add(place)
            observations.append(self.observation(leaf, rng))
        return Trace(tuple(observations), tuple(self.instance(roots[place]) for place in sorted(seen)))

    def drawn_goals(self, rng: core.Rng, count: int) -> list[str]:
        """Goals by their weights, none more often than it may occur."""
        ends = np.cumsum(self.weights)
        while True:
            places = [min(int(np.searchsorted(ends, rng.random(), side="right")), len(ends) - 1) for _ in range(count)]
            found = [self.goals[place] for place in places]
            if all(times <= self.assumptions.most(goal) for goal, times in Counter(found).items()):
                return found

    def node(self, part: Part, left: int | None) -> PlanNode:
        """A new node; *left* is the level left above it, None for a root."""
        if part.action:
            return PlanNode(self.library, part, 0)
        level = self.recursion.start(part.symbol) if left is None else self.recursion.level(part.symbol, left)
        return PlanNode(self.library, part, level)

    def expand(self, node: PlanNode, rng: core.Rng) -> None:
        """Choose a rule for a node."""
        options = list(self.recursion.options(node.part.symbol, node.level))
        draw = rng.random() * sum(share for share, _ in options)
        chosen = options[-1][1]
        for share, rule in options:
            draw -= share
            if draw < 0.0:
                chosen = rule
                break
        left = self.recursion.below(node.part.symbol, node.level)
        node.rule = chosen
        node.parts = [self.node(part, left) for part in self.library.rules[chosen].parts]
        for part in node.parts:
            part.parent = node
        for (first, name), *others in self.library.rules[chosen].equal:
            for other, parameter in others:
                self.owner(node, first).values[name].unite(self.owner(node, other).values[parameter])

    def owner(self, node: PlanNode, index: int) -> PlanNode:
        """The left side (0) or a part (from 1) of a node's rule."""
        return node.parts[index - 1] if index else node

    def enabled_parts(self, node: PlanNode) -> Iterator[PlanNode]:
        """The parts of a node that are not done, and for which everything before them is."""
        assert node.rule is not None
        for place, part in enumerate(node.parts):
            mask = self.before[node.rule][place]
            if not part.done and all(each.done for at, each in enumerate(node.parts) if mask >> at & 1):
                yield part

    def pending_nodes(self, root: PlanNode) -> list[PlanNode]:
        """What may be picked in a tree: actions, and nodes that have no rule yet."""
        found: list[PlanNode] = []
        waiting = [] if root.done else [root]
        while waiting:
            node = waiting.pop()
            if node.rule is None:
                found.append(node)
            else:
                waiting += self.enabled_parts(node)
        return found

    def act(self, roots: list[PlanNode], rng: core.Rng) -> tuple[int, PlanNode]:
        """Pick what is pending, evenly, go down to an action, and do it; whose it is, and the action."""
        pending = [(place, node) for place, root in enumerate(roots) for node in self.pending_nodes(root)]
        place, node = pending[int(rng.random() * len(pending))]
        while not node.part.action:
            self.expand(node, rng)
            below = list(self.enabled_parts(node))
            node = below[int(rng.random() * len(below))]
        self.finish(node)
        return place, node

    def finish(self, leaf: PlanNode) -> None:
        """Mark an action as done, and every plan that is complete with it."""
        here: PlanNode | None = leaf
        while here is not None and all(part.done for part in here.parts):
            here.done = True
            here = here.parent

    def observation(self, leaf: PlanNode, rng: core.Rng) -> Observation:
        """What is seen of an action; values that are still unknown are drawn."""
        for name, shared in leaf.values.items():
            if shared.root().value is None:
                shared.root().value = f"{name}{int(rng.random() * self.objects)}"
        return Observation(leaf.part.symbol, tuple(shared.root().value for shared in leaf.values.values()))

    def instance(self, root: PlanNode) -> Instance:
        """A goal with the values that its actions gave it."""
        return Instance(root.part.symbol, tuple(shared.root().value for shared in root.values.values()))
