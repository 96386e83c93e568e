"""Trees by what is left of them (YAPPR: Geib, Maraist & Goldman 2008).

Of a tree that was begun only its *frontier* matters for what may come: the nodes that are still open, and which of them
must be complete before which. Trees of one goal with equal frontiers are one tree, however they came about, and how an
action changes a tree is worked out once.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count, product
from typing import NamedTuple

from kibitz.models.plans.library import Observation, Part, PlanLibrary, predecessors
from kibitz.models.plans.recursion import Recursion
from kibitz.models.plans.story import Meaning

Signature = tuple[str, ...]
"""The actions with which a plan begins, one word each; that word is empty where all picks are alike."""
Value = int | str
"""What a parameter is: known, or a number that stands for one unknown wherever it occurs."""
Bindings = dict[int, Value]


class Open(NamedTuple):
    """An open node. In the meaning `leaves` what may be done now has been grown so far that its signature is known."""

    part: Part
    level: int = 0
    signature: Signature = ()
    values: tuple[Value, ...] = ()


class Tree(NamedTuple):
    """A goal and its frontier; *before* has, for each open node, the bits of all that must be complete first."""

    goal: str
    nodes: tuple[Open, ...]
    before: tuple[int, ...]
    seen: bool = True
    """Whether one of its actions was seen."""
    idle: float = 1.0
    """How likely it was not to be picked since it last was, where goals may be given up."""


class Step(NamedTuple):
    """One way in which a tree can go on."""

    probability: float
    target: int
    token: str
    """What was picked, in the words of signatures."""
    place: int
    path: tuple[tuple[int, int], ...]
    """From the node that was picked down to the action: rule and part."""
    origins: tuple[int | tuple[int, ...], ...]
    """Where each node of the new frontier comes from: a place of the old one, or parts below the node picked."""


class Fragment(NamedTuple):
    """What is left of a node after it led down to an action, and what was learned of parameters."""

    probability: float
    nodes: tuple[Open, ...]
    before: tuple[int, ...]
    origins: tuple[tuple[int, ...], ...]
    path: tuple[tuple[int, int], ...]
    bindings: Bindings


class Forestry:
    """All trees of a library that have been met, by number, and how they go on."""

    def __init__(self, library: PlanLibrary, meaning: Meaning, depth: int | None = None, *, alike: bool = True) -> None:
        self.library, self.meaning, self.alike = library, meaning, alike
        self.recursion = Recursion(library, depth)
        self.before = [tuple(predecessors(len(rule.parts), rule.order)) for rule in library.rules]
        self.plain = not any(symbol.parameters for symbol in (*library.plans.values(), *library.actions.values()))
        self.trees: list[Tree] = []
        self.numbers: dict[Tree, int] = {}
        self.tokens: list[tuple[str, ...]] = []
        """What is pending in each tree."""
        self.known: dict[Observation | None, dict[int, list[Step]]] = {}
        self.signatures = cache(self._signatures)
        self.first_actions = cache(self._first_actions)
        self.first_actions_by = cache(self._first_actions_by)
        self.fragments = cache(self._fragments) if self.plain else self._fragments
        self.fresh = count(1_000_000)
        self.roots = {goal: self.planted(goal) for goal in library.goals}
        self.beginnings: dict[str, list[str]] = {}
        """The goals that may begin with each action."""
        for goal in library.goals:
            for action in self.first_actions(Part(goal, False), self.recursion.start(goal)):
                self.beginnings.setdefault(action, []).append(goal)

    def planted(self, goal: str) -> list[tuple[float, int, Signature]]:
        """A goal before it is begun: its tree, how likely it is, and what it adds to what is pending."""
        level = self.recursion.start(goal)
        root = Open(Part(goal, False), level, (), self.unknown(Part(goal, False)))
        if self.meaning == "frontier":
            tree = self.number(Tree(goal, (root,), (0,), False))
            return [(1.0, tree, self.tokens[tree])]
        return [
            (probability, self.number(Tree(goal, (root._replace(signature=signature),), (0,), False)), signature)
            for signature, probability in self.signatures(root.part, level).items()
        ]

    def number(self, tree: Tree) -> int:
        """The number of a tree, a new one where it is new."""
        found = self.numbers.get(tree)
        if found is None:
            found = self.numbers[tree] = len(self.trees)
            self.trees.append(tree)
            pending = (node for node, before in zip(tree.nodes, tree.before, strict=True) if not before)
            self.tokens.append(tuple(token for node in pending for token in self.pending_tokens(node)))
        return found

    def pending_tokens(self, node: Open) -> Signature:
        """What a node adds to what is pending."""
        if self.meaning == "leaves" and not node.part.action:
            return node.signature
        return (self.token(node.part),)

    def token(self, part: Part) -> str:
        return "" if self.alike else part.symbol

    def unknown(self, part: Part) -> tuple[Value, ...]:
        """Unknown values for the parameters of a symbol."""
        return tuple(next(self.fresh) for _ in self.library.symbol(part).parameters)

    def steps(self, tree: int, observation: Observation | None) -> list[Step]:
        """Every way in which a tree can go on with an action, or with any action, unseen (None)."""
        known = self.known.setdefault(observation, {})
        found = known.get(tree)
        if found is None:
            found = known[tree] = list(self._steps(self.trees[tree], observation))
        return found

    def idled(self, tree: int, share: float, abandon: float) -> int:
        """A tree that was not picked though *share* of what was pending was its own; an empty one if it is given up."""
        held = self.trees[tree]
        idle = held.idle * (1.0 - share)
        if idle < abandon:
            return self.number(held._replace(nodes=(), before=(), idle=1.0))
        return self.number(held._replace(idle=idle))

    def largest_share(self, action: str) -> float:
        """No tree shows *action* next with a higher probability than this."""
        holding = [rule for rule in self.library.rules if Part(action, True) in rule.parts]
        alone = all(len(rule.parts) == 1 and rule.head not in self.recursion.reaching for rule in holding)
        if self.meaning == "leaves" or not alone:
            return 1.0
        heads = {rule.head for rule in holding}
        return max((sum(rule.probability for rule in holding if rule.head == head) for head in heads), default=0.0)

    def next_actions(self, tree: int) -> set[str]:
        """The actions that may come next in a tree."""
        held = self.trees[tree]
        pending = (node for node, before in zip(held.nodes, held.before, strict=True) if not before)
        return {action for node in pending for action in self.first_actions(node.part, node.level)}

    def _steps(self, tree: Tree, observation: Observation | None) -> Iterator[Step]:
        seen = tree.seen or observation is not None
        for place, node in enumerate(tree.nodes):
            if tree.before[place]:
                continue
            for fragment in self.fragments(node, observation):
                nodes, before = spliced(tree.nodes, tree.before, place, fragment.nodes, fragment.before)
                origins: list[int | tuple[int, ...]] = [*range(place), *fragment.origins]
                origins += range(place + 1, len(tree.nodes))
                if fragment.bindings or not self.plain:
                    nodes = renamed(nodes, fragment.bindings)
                token = self.picked(node, fragment, observation)
                for share, grown in self.grown(nodes, before):
                    order = sorted(range(len(grown)), key=lambda i: sorting(grown[i], before[i]))
                    target = Tree(tree.goal, *arranged(grown, before, order), seen)
                    if not self.plain:
                        target = target._replace(nodes=renumbered(target.nodes))
                    arrived = tuple(origins[i] for i in order)
                    probability = fragment.probability * share
                    yield Step(probability, self.number(target), token, place, fragment.path, arrived)

    def picked(self, node: Open, fragment: Fragment, observation: Observation | None) -> str:
        """What was picked: the node, or in the meaning `leaves` the action it led to."""
        if self.alike or self.meaning == "frontier" or node.part.action:
            return self.token(node.part)
        if observation is not None:
            return observation.action
        rule, part = fragment.path[-1]
        return self.library.rules[rule].parts[part].symbol

    def grown(self, nodes: tuple[Open, ...], before: Sequence[int]) -> Iterator[tuple[float, tuple[Open, ...]]]:
        """Nodes that may be worked on now, grown until their signatures are known, in all ways."""
        if self.meaning == "frontier":
            yield 1.0, nodes
            return
        ways = [
            [(node, 1.0)]
            if mask or node.part.action or node.signature
            else [(node._replace(signature=own), p) for own, p in self.signatures(node.part, node.level).items()]
            for node, mask in zip(nodes, before, strict=True)
        ]
        for chosen in product(*ways):
            share = 1.0
            for _, probability in chosen:
                share *= probability
            yield share, tuple(node for node, _ in chosen)

    def _signatures(self, part: Part, level: int) -> dict[Signature, float]:
        """With which actions a node may begin, and how likely."""
        if part.action:
            return {(self.token(part),): 1.0}
        found: dict[Signature, float] = {}
        for probability, rule in self.recursion.options(part.symbol, level):
            first = [
                each for each, mask in zip(self.parts(part, level, rule), self.before[rule], strict=True) if not mask
            ]
            for own in product(*(self.signatures(each, below).items() for each, below in first)):
                together: list[str] = []
                share = probability
                for signature, chance in own:
                    share *= chance
                    together += signature
                key = tuple(sorted(together))
                found[key] = found.get(key, 0.0) + share
        return found

    def _first_actions(self, part: Part, level: int) -> frozenset[str]:
        """The actions with which a node may begin."""
        if part.action:
            return frozenset({part.symbol})
        options = self.recursion.options(part.symbol, level)
        return frozenset(action for _, rule in options for action in self.first_actions_by(part, level, rule))

    def _first_actions_by(self, part: Part, level: int, rule: int) -> frozenset[str]:
        """The actions with which a rule may begin."""
        pairs = zip(self.parts(part, level, rule), self.before[rule], strict=True)
        return frozenset(action for each, mask in pairs if not mask for action in self.first_actions(*each))

    def parts(self, part: Part, level: int, rule: int) -> list[tuple[Part, int]]:
        """The parts of a rule with their levels."""
        left = self.recursion.below(part.symbol, level)
        return [
            (each, 0 if each.action else self.recursion.level(each.symbol, left))
            for each in self.library.rules[rule].parts
        ]

    def _fragments(self, node: Open, observation: Observation | None) -> list[Fragment]:
        """Every way from a node down to an action."""
        if node.part.action:
            if observation is not None and node.part.symbol != observation.action:
                return []
            bindings = unified({}, node.values, observation.values if observation else ())
            return [] if bindings is None else [Fragment(1.0, (), (), (), (), bindings)]
        if observation is not None and observation.action not in self.first_actions(node.part, node.level):
            return []
        found: list[Fragment] = []
        for probability, rule in self.recursion.options(node.part.symbol, node.level):
            if observation is not None and observation.action not in self.first_actions_by(node.part, node.level, rule):
                continue
            chosen = self.expanded(node, rule)
            if chosen is not None:
                for share, parts in self.signed(node, rule, chosen[0]):
                    found += self.down(parts, rule, probability * share, chosen[1], observation)
        return found

    def down(
        self,
        parts: tuple[Open, ...],
        rule: int,
        probability: float,
        bindings: Bindings,
        observation: Observation | None,
    ) -> Iterator[Fragment]:
        """Every way on from a rule that was chosen, by each of its parts with which it may begin."""
        before = self.before[rule]
        first = [place for place, mask in enumerate(before) if not mask]
        share = probability / len(first) if self.meaning == "frontier" else probability
        for place in first:
            part = parts[place]
            if bindings:
                part = part._replace(values=tuple(resolved(value, bindings) for value in part.values))
            for inner in self.fragments(part, observation):
                nodes, masks = spliced(parts, before, place, inner.nodes, inner.before)
                origins = [(other,) for other in range(place)]
                origins += [(place, *origin) for origin in inner.origins]  # type: ignore[misc]
                origins += [(other,) for other in range(place + 1, len(parts))]
                path = ((rule, place), *inner.path)
                yield Fragment(
                    share * inner.probability, nodes, masks, tuple(origins), path, {**bindings, **inner.bindings}
                )

    def signed(self, node: Open, rule: int, parts: tuple[Open, ...]) -> Iterator[tuple[float, tuple[Open, ...]]]:
        """The parts of a rule with signatures that together make the node's own, and how likely they are given it."""
        if self.meaning == "frontier":
            yield 1.0, parts
            return
        whole = self.signatures(node.part, node.level)[node.signature]
        for share, grown in self.grown(parts, self.before[rule]):
            first = [part for part, mask in zip(grown, self.before[rule], strict=True) if not mask]
            if tuple(sorted(token for part in first for token in self.pending_tokens(part))) == node.signature:
                yield share / whole, grown

    def expanded(self, node: Open, rule: int) -> tuple[tuple[Open, ...], Bindings] | None:
        """The parts of a rule, their parameters tied to the node's; None where its values cannot be equal."""
        levels = self.parts(node.part, node.level, rule)
        if self.plain:
            return tuple(Open(part, level) for part, level in levels), {}
        names = self.library.plans[node.part.symbol].parameters
        values = {(0, name): value for name, value in zip(names, node.values, strict=True)}
        bindings: Bindings | None = {}
        for group in self.library.rules[rule].equal:
            own = [values[slot] for slot in group if slot[0] == 0] or [next(self.fresh)]
            bindings = unified(bindings or {}, own[1:], [own[0]] * (len(own) - 1))
            if bindings is None:
                return None
            values |= {slot: own[0] for slot in group if slot[0]}
        parts = []
        for index, (part, level) in enumerate(levels, 1):
            free = zip(self.library.symbol(part).parameters, self.unknown(part), strict=True)
            parts.append(Open(part, level, (), tuple(values.get((index, name), value) for name, value in free)))
        return tuple(parts), bindings or {}


def spliced(
    nodes: Sequence[Open], before: Sequence[int], place: int, inner: Sequence[Open], within: Sequence[int]
) -> tuple[tuple[Open, ...], tuple[int, ...]]:
    """A frontier with one node that waits for nothing replaced by several; who waited for it waits for all of them."""
    more = len(inner)
    all_inner, low = ((1 << more) - 1) << place, (1 << place) - 1
    masks = [
        mask & low | (mask >> (place + 1)) << (place + more) | (all_inner if mask >> place & 1 else 0)
        for mask in before
    ]
    found = (*masks[:place], *(mask << place for mask in within), *masks[place + 1 :])
    return (*nodes[:place], *inner, *nodes[place + 1 :]), found


def sorting(node: Open, before: int) -> tuple[object, ...]:
    """Where a node stands in a frontier, so that equal frontiers look equal."""
    known = tuple("" if isinstance(value, int) else f"={value}" for value in node.values)
    return node.part, node.level, node.signature, before.bit_count(), known


def arranged(
    nodes: Sequence[Open], before: Sequence[int], order: Sequence[int]
) -> tuple[tuple[Open, ...], tuple[int, ...]]:
    """A frontier in another order."""
    masks = tuple(
        sum(1 << new for new, old in enumerate(order) if before[i] >> old & 1) if before[i] else 0 for i in order
    )
    return tuple(nodes[i] for i in order), masks


def resolved(value: Value, bindings: Bindings) -> Value:
    """What a value is by now."""
    while isinstance(value, int) and value in bindings:
        value = bindings[value]
    return value


def unified(bindings: Bindings, some: Sequence[Value], others: Sequence[Value | None]) -> Bindings | None:
    """What must be so for values to be equal, two by two; None where they cannot be."""
    found = bindings
    for one, other in zip(some, others, strict=False):
        if other is None:
            continue
        first, second = resolved(one, found), resolved(other, found)
        if first == second:
            continue
        if isinstance(first, int):
            found = {**found, first: second}
        elif isinstance(second, int):
            found = {**found, second: first}
        else:
            return None
    return found


def renamed(nodes: Sequence[Open], bindings: Bindings) -> tuple[Open, ...]:
    """Nodes with what is known of their values filled in."""
    return tuple(node._replace(values=tuple(resolved(value, bindings) for value in node.values)) for node in nodes)


def renumbered(nodes: Sequence[Open]) -> tuple[Open, ...]:
    """Nodes whose unknown values are numbered in the order they occur."""
    numbers: dict[int, int] = {}
    return tuple(
        node._replace(
            values=tuple(
                numbers.setdefault(value, len(numbers)) if isinstance(value, int) else value for value in node.values
            )
        )
        for node in nodes
    )
