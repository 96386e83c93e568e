"""Expansion: all ways from an open node down to an action, by the rules that apply, and what remains of the node."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement, count, product
from math import prod
from typing import NamedTuple

from kibitz.core.errors import BadPlan
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans import limits
from kibitz_lab.plans.assumptions import Meaning
from kibitz_lab.plans.inference.frontier import (
    Bindings,
    Masks,
    Nodes,
    OpenNode,
    Value,
    bind_values,
    interchangeable_groups,
    known_values,
    pending_places,
    reorder_nodes,
    shift_origins,
    sorted_places,
    splice_nodes,
    sum_distribution,
    unify_values,
)
from kibitz_lab.plans.inference.recursion import Recursion
from kibitz_lab.plans.library import Part, PlanLibrary, predecessors


class Derivation(NamedTuple):
    """A way from a node down to an action: the rule, its part, and the derivation below it."""

    rule: int
    place: int
    below: "Derivation | None" = None


def derivation_path(derivation: Derivation | None) -> tuple[tuple[int, int], ...]:
    """The rules of a derivation and their parts, from the node down."""
    found = []
    while derivation is not None:
        found.append((derivation.rule, derivation.place))
        derivation = derivation.below
    return tuple(found)


class Fragment(NamedTuple):
    """What remains of a node after it led down to an action, and the parameter values this fixes."""

    probability: float
    nodes: Nodes
    before: Masks
    bindings: Bindings
    derivation: "Derivation | None" = None
    """How the node led down to the action, unless it is the action; one of several if ways were merged."""


class NodeExpander:
    """The ways down in one library; if *traced*, ways that leave the same remainder are told apart.

    *value_share* is the probability of an observed value that does not follow from earlier ones.
    """

    def __init__(
        self,
        library: PlanLibrary,
        meaning: Meaning,
        depth: int | None,
        *,
        traced: bool,
        value_share: float = 1.0,
    ) -> None:
        self.library, self.meaning, self.traced = library, meaning, traced
        self.value_share = value_share
        self.recursion = Recursion(library, depth)
        self.before = [tuple(predecessors(len(rule.parts), rule.order)) for rule in library.rules]
        self.timed = [rule.duration is not None or rule.timeout is not None for rule in library.rules]
        self.origins = [[rule.parts.index(part) + 1 if traced else 0 for part in rule.parts] for rule in library.rules]
        self.plain = not any(symbol.parameters for symbol in (*library.plans.values(), *library.actions.values()))
        self.first_counts = cache(self._first_counts)
        self.first_actions = cache(self._first_actions)
        self.first_actions_by = cache(self._first_actions_by)
        self.grown_parts = cache(self._grown_parts) if self.plain else self._grown_parts
        self.fragments = cache(self._fragments) if self.plain else self._fragments
        self.chances = cache(self._chances) if self.plain else self._chances
        self.fresh = count(1_000_000)

    def ways_error(self, part: Part) -> BadPlan:
        """The error for too many ways."""
        why = f"there are more than {limits.WAYS:,} ways to carry out {part.symbol!r}; remove some rules"
        hint = ", or use the meaning frontier" if self.meaning == "leaves" else ""
        return BadPlan(self.library.name, why + hint + (", or do not ask for explanations" if self.traced else ""))

    def pending_count(self, node: OpenNode) -> int:
        """What a node adds to what is pending."""
        return node.first if self.meaning == "leaves" and not node.part.action else 1

    def unknown_values(self, part: Part) -> tuple[Value, ...]:
        """Unknown values for the parameters of a symbol."""
        return tuple(next(self.fresh) for _ in self.library.symbol(part).parameters)

    def parts(self, part: Part, level: int, rule: int) -> list[tuple[Part, int]]:
        """The parts of a rule with their levels."""
        left = self.recursion.below(part.symbol, level)
        return [
            (each, 0 if each.action else self.recursion.level(each.symbol, left))
            for each in self.library.rules[rule].parts
        ]

    def first_parts(self, part: Part, level: int, rule: int) -> list[tuple[Part, int]]:
        """The parts with which a rule may begin, with their levels."""
        pairs = zip(self.parts(part, level, rule), self.before[rule], strict=True)
        return [each for each, mask in pairs if not mask]

    def _first_actions(self, part: Part, level: int) -> frozenset[str]:
        """The actions with which a node may begin."""
        if part.action:
            return frozenset({part.symbol})
        options = self.recursion.options(part.symbol, level)
        return frozenset(action for _, rule in options for action in self.first_actions_by(part, level, rule))

    def _first_actions_by(self, part: Part, level: int, rule: int) -> frozenset[str]:
        """The actions with which a rule may begin."""
        first = dict.fromkeys(self.first_parts(part, level, rule))
        return frozenset(action for each in first for action in self.first_actions(*each))

    def _first_counts(self, part: Part, level: int) -> dict[int, float]:
        """With how many actions a node may begin, and how likely."""
        if part.action:
            return {1: 1.0}
        found: dict[int, float] = {}
        for probability, rule in self.recursion.options(part.symbol, level):
            own = {0: probability}
            for each in self.first_parts(part, level, rule):
                more = self.first_counts(*each)
                if len(own) * len(more) > limits.WAYS:
                    raise self.ways_error(part)
                own = sum_distribution(own, more)
            for first, share in own.items():
                found[first] = found.get(first, 0.0) + share
        return found

    def grow_nodes(self, nodes: Nodes, before: Masks, elsewhere: Sequence[Value]) -> Iterator[tuple[float, Nodes]]:
        """Nodes that may be worked on now, expanded in all ways until it is known with how many actions they begin.

        *elsewhere* are values used elsewhere.
        """
        places = [i for i in pending_places(before) if not (nodes[i].part.action or nodes[i].first)]
        if self.meaning == "frontier" or not places:
            yield 1.0, nodes
            return
        groups = interchangeable_groups(nodes, before, places, elsewhere)
        every = [list(self.counted_alike(nodes[group[0]], len(group))) for group in groups]
        if prod(map(len, every)) > limits.WAYS:
            raise self.ways_error(nodes[places[0]].part)
        for chosen in product(*every):
            found = list(nodes)
            for group, (_, counts) in zip(groups, chosen, strict=True):
                for place, first in zip(group, counts, strict=True):
                    found[place] = nodes[place]._replace(first=first)
            yield prod(share for share, _ in chosen), tuple(found)

    def counted_alike(self, node: OpenNode, times: int) -> Iterator[tuple[float, tuple[int, ...]]]:
        """With how many actions each of several interchangeable nodes begins, in any order, and how likely."""
        shares = self.first_counts(node.part, node.level)
        for number, counts in enumerate(combinations_with_replacement(shares, times)):
            if number >= limits.WAYS:
                raise self.ways_error(node.part)
            share, taken = 1.0, Counter[int]()
            for place, first in enumerate(counts, 1):  # step by step, so as not to overflow
                taken[first] += 1
                share *= shares[first] * place / taken[first]
            yield share, counts

    def count_parts(self, node: OpenNode, rule: int, parts: Nodes) -> Iterator[tuple[float, Nodes]]:
        """The parts of a rule, which begin with as many actions as the node, and how likely they are given that."""
        if self.meaning == "frontier":
            yield 1.0, parts
            return
        whole = self.first_counts(node.part, node.level)[node.first]
        for share, grown in self.grown_parts(parts, rule, node.values).get(node.first, ()):
            yield share / whole, grown

    def _grown_parts(
        self, parts: Nodes, rule: int, elsewhere: tuple[Value, ...]
    ) -> dict[int, list[tuple[float, Nodes]]]:
        """The parts of a rule expanded in all ways, by the number of actions with which they begin together."""
        found: dict[int, list[tuple[float, Nodes]]] = {}
        first = pending_places(self.before[rule])
        for share, grown in self.grow_nodes(parts, self.before[rule], elsewhere):
            pending = sum(self.pending_count(grown[place]) for place in first)
            found.setdefault(pending, []).append((share, grown))
        return found

    def expand_rule(self, node: OpenNode, rule: int) -> tuple[Nodes, Bindings] | None:
        """The parts of a rule, their parameters tied to the node's; None if values that must be equal differ."""
        levels = self.parts(node.part, node.level, rule)
        origins = self.origins[rule]
        clock = rule if self.timed[rule] else node.clock
        if self.plain:
            pairs = zip(levels, origins, strict=True)
            return tuple(OpenNode(*each, origin=own, clock=clock) for each, own in pairs), {}
        names = self.library.plans[node.part.symbol].parameters
        values = {(0, name): value for name, value in zip(names, node.values, strict=True)}
        bindings: Bindings | None = {}
        for group in self.library.rules[rule].equal:
            own = [values[slot] for slot in group if slot[0] == 0] or [next(self.fresh)]
            bindings = unify_values(bindings or {}, own[1:], [own[0]] * (len(own) - 1))
            if bindings is None:
                return None
            values |= {slot: own[0] for slot in group if slot[0]}
        parts = []
        for index, (part, level) in enumerate(levels, 1):
            free = zip(self.library.symbol(part).parameters, self.unknown_values(part), strict=True)
            known = tuple(values.get((index, name), value) for name, value in free)
            parts.append(OpenNode(part, level, 0, known, origins[index - 1], clock))
        return tuple(parts), bindings or {}

    def choose_rules(
        self, node: OpenNode, observation: Observation | None
    ) -> Iterator[tuple[float, int, Nodes, Bindings]]:
        """Every rule that may lead from a node to an observation: its probability, number, parts and their ties.

        A tied part gets its values at once.
        """
        for probability, rule in self.recursion.options(node.part.symbol, node.level):
            if observation is not None and observation.action not in self.first_actions_by(node.part, node.level, rule):
                continue
            found = self.expand_rule(node, rule)
            if found is not None:
                parts, bindings = found
                for share, grown in self.count_parts(node, rule, parts):
                    yield probability * share, rule, grown, bindings

    def first_groups(self, rule: int, parts: Nodes, elsewhere: Sequence[Value]) -> Iterator[tuple[int, float]]:
        """Of the parts with which a rule may begin, one for each interchangeable set, and the weight of picking it."""
        first = pending_places(self.before[rule])
        for group in interchangeable_groups(parts, self.before[rule], first, elsewhere):
            yield group[0], len(group) / (len(first) if self.meaning == "frontier" else 1)

    def _fragments(self, node: OpenNode, observation: Observation | None) -> list[Fragment]:
        """Every way from a node down to an action, or to any (None)."""
        if node.part.action:
            if observation is not None and node.part.symbol != observation.action:
                return []
            bindings = unify_values({}, node.values, observation.values if observation else ())
            if bindings is None:
                return []
            return [Fragment(self.value_share ** len(bindings), (), (), bindings)]
        found: list[Fragment] = []
        for probability, rule, parts, bindings in self.choose_rules(node, observation):
            for place, share in self.first_groups(rule, parts, node.values):
                part = bind_values(parts[place], bindings)
                found += [
                    self.remaining_fragment(parts, rule, place, probability * share, bindings, inner)
                    for inner in self.fragments(part._replace(origin=0), observation)
                ]
            if len(found) > limits.WAYS:
                found = self.merge_fragments(found)
                if len(found) > limits.WAYS:
                    raise self.ways_error(node.part)
        return self.merge_fragments(found)

    def remaining_fragment(
        self, parts: Nodes, rule: int, place: int, share: float, bindings: Bindings, inner: Fragment
    ) -> Fragment:
        """What remains of a rule after one of its parts led down to an action."""
        deeper = shift_origins(inner.nodes, len(parts) if self.traced else 0)
        nodes, before = splice_nodes(parts, self.before[rule], place, deeper, inner.before)
        probability, ties = share * inner.probability, {**bindings, **inner.bindings}
        return Fragment(probability, nodes, before, ties, Derivation(rule, place, inner.derivation))

    def merge_fragments(self, fragments: Sequence[Fragment]) -> list[Fragment]:
        """The same, with ways that leave the same remainder merged unless they are traced."""
        if self.traced or not self.plain or len(fragments) < 2:
            return list(fragments)
        found: dict[tuple[Nodes, Masks], Fragment] = {}
        for each in fragments:
            nodes, before = reorder_nodes(each.nodes, each.before, sorted_places(each.nodes, each.before))
            known = found.get((nodes, before))
            probability = each.probability + (known.probability if known else 0.0)
            found[nodes, before] = each._replace(probability=probability, nodes=nodes, before=before)
        return list(found.values())

    def _chances(self, node: OpenNode) -> dict[Observation, float]:
        """The actions with which a node may go on, and how likely (`leaves`: how often); short for `fragments`."""
        if node.part.action:
            return {Observation(node.part.symbol, known_values(node.values)): 1.0}
        found: dict[Observation, float] = {}
        for probability, rule, parts, bindings in self.choose_rules(node, None):
            for place, share in self.first_groups(rule, parts, node.values):
                for action, chance in self.chances(bind_values(parts[place], bindings)._replace(origin=0)).items():
                    found[action] = found.get(action, 0.0) + probability * share * chance
        return found
