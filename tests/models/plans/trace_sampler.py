"""Draws traces from a plan library: an actor who follows its plans exactly as the assumptions say.

The number of goals is given, because the weights of
sets of goals are no distribution over their number; given the number, goals are drawn by their weights.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from kibitz import core
from kibitz.core.errors import BadPlan
from kibitz.models.plans.assumptions import Assumptions
from kibitz.models.plans.formats.traces import Trace
from kibitz.models.plans.inference.recursion import Recursion
from kibitz.models.plans.library import Instance, Observation, Part, PlanLibrary, predecessors

TRIES = 1_000
"""How often goals are drawn until none occurs more often than it may."""
LONGEST = 10_000
"""The most observations of a trace."""


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


class Pursuit:
    """A goal that is pursued: its tree, whether it has begun and was seen, and the probability of its idle time."""

    def __init__(self, root: PlanNode) -> None:
        self.root = root
        self.has_begun = self.is_seen = self.is_abandoned = False
        self.idle = 1.0


class TraceSampler:
    """Draws traces of actors who follow the plans of a library; parameters take one of *objects* values each."""

    def __init__(self, library: PlanLibrary, story: Assumptions | None = None, *, objects: int = 5) -> None:
        self.library, self.story, self.objects = library, story or Assumptions(), objects
        self.recursion = Recursion(library, self.story.depth)
        self.before = [predecessors(len(rule.parts), rule.order) for rule in library.rules]
        self.goals = list(library.goals)
        weights = np.array([self.story.prior(library, goal) for goal in self.goals])
        self.weights = weights / weights.sum()
        self.actions = list(library.actions)

    def traces(self, count: int, rng: core.Rng, *, goals: int = 1, length: int | None = None) -> list[Trace]:
        """Several traces."""
        return [self.trace(rng, goals=goals, length=length) for _ in range(count)]

    def trace(self, rng: core.Rng, *, goals: int = 1, length: int | None = None) -> Trace:
        """The observations of an actor with some *goals*, until all is done or *length* are made."""
        pursued = [Pursuit(self.node(Part(goal, False), None)) for goal in self.drawn_goals(rng, goals)]
        if self.story.meaning == "leaves":
            for each in pursued:
                self.expand_all(each.root, rng)
        observations: list[Observation] = []
        unseen = 0
        most = LONGEST if length is None else length
        while len(observations) < most and any(self.pending_nodes(each) for each in pursued):
            if rng.random() < self.story.slip:
                observations.append(self.observation(self.node(Part(self.actions[self.index(rng)], True), None), rng))
                continue
            hidden = unseen < self.story.silent and rng.random() < self.story.miss
            leaf = self.act(pursued, rng, hidden=hidden)
            unseen = unseen + 1 if hidden else 0
            seen = self.observation(leaf, rng)
            if not hidden:
                observations.append(seen)
        return Trace(tuple(observations), tuple(self.instance(each) for each in pursued if each.is_seen))

    def index(self, rng: core.Rng) -> int:
        return int(rng.random() * len(self.actions))

    def drawn_goals(self, rng: core.Rng, count: int) -> list[str]:
        """Goals by their weights, none more often than it may occur."""
        if count > sum(map(self.story.most, self.goals)):
            raise BadPlan(self.library.name, f"{count} goals cannot be drawn; allow more instances of each")
        ends = np.cumsum(self.weights)
        for _ in range(TRIES):
            places = [min(int(np.searchsorted(ends, rng.random(), side="right")), len(ends) - 1) for _ in range(count)]
            found = [self.goals[place] for place in places]
            if all(times <= self.story.most(goal) for goal, times in Counter(found).items()):
                return found
        raise BadPlan(self.library.name, f"{count} goals cannot be drawn; allow more instances of each")

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

    def expand_all(self, root: PlanNode, rng: core.Rng) -> None:
        """Choose rules for a tree down to its actions."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if not node.part.action:
                self.expand(node, rng)
                waiting += node.parts

    def enabled_parts(self, node: PlanNode) -> Iterator[PlanNode]:
        """The parts of a node that are not done, and for which everything before them is."""
        assert node.rule is not None
        for place, part in enumerate(node.parts):
            mask = self.before[node.rule][place]
            if not part.done and all(each.done for at, each in enumerate(node.parts) if mask >> at & 1):
                yield part

    def pending_nodes(self, pursuit: Pursuit) -> list[PlanNode]:
        """What may be picked in a tree: actions, and nodes that have no rule yet."""
        found: list[PlanNode] = []
        waiting = [] if pursuit.is_abandoned or pursuit.root.done else [pursuit.root]
        while waiting:
            node = waiting.pop()
            if node.rule is None:
                found.append(node)
            else:
                waiting += self.enabled_parts(node)
        return found

    def act(self, pursued: list[Pursuit], rng: core.Rng, *, hidden: bool) -> PlanNode:
        """Pick what is pending, evenly, go down to an action, and do it."""
        pending = [self.pending_nodes(each) for each in pursued]
        number = int(rng.random() * sum(map(len, pending)))
        place = 0
        while number >= len(pending[place]):
            number -= len(pending[place])
            place += 1
        node = pending[place][number]
        while not node.part.action:
            self.expand(node, rng)
            below = list(self.enabled_parts(node))
            node = below[int(rng.random() * len(below))]
        self.note_idle_time(pursued, place, [len(each) for each in pending])
        chosen = pursued[place]
        chosen.has_begun, chosen.is_seen, chosen.idle = True, chosen.is_seen or not hidden, 1.0
        self.finish(node)
        return node

    def note_idle_time(self, pursued: list[Pursuit], place: int, pending: list[int]) -> None:
        """Abandon goals whose idle time has become too unlikely."""
        if not self.story.abandon:
            return
        everything = sum(size for size, each in zip(pending, pursued, strict=True) if each.has_begun)
        everything += 0 if pursued[place].has_begun else pending[place]
        for number, each in enumerate(pursued):
            if number != place and each.has_begun and not each.is_abandoned:
                each.idle *= 1.0 - pending[number] / everything
                each.is_abandoned = each.idle < self.story.abandon

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

    def instance(self, pursuit: Pursuit) -> Instance:
        """A goal with the values that its actions gave it."""
        root = pursuit.root
        return Instance(root.part.symbol, tuple(shared.root().value for shared in root.values.values()))
