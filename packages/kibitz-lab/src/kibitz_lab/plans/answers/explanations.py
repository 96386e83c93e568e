"""The explanations of a recogniser, the likeliest first: which actions serve which goals, as trees and in words.

An explanation is rebuilt from a *history*: which steps of which trees led to the observations. Equal forests are
merged, so histories are paths through a graph. Its nodes are pairs of a forest and a set of waiting goals. A forward
pass finds the likeliest path to each node; a backward best-first search then extends the path with the highest possible
probability, so that paths come out in order and no more are examined than wanted.

Questions decide between explanations (SPR: Mirsky, Stern, Gal & Kalech 2016): whether some observations, and no others
so far, serve a certain plan. The actor or an expert answers yes or no; only the explanations that agree remain.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import count, islice
from math import exp, inf, log, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadPlan, short_list
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans import limits
from kibitz_lab.plans.answers.explanation_trees import Branch, bind_parameters
from kibitz_lab.plans.inference.hypotheses import BackPointer
from kibitz_lab.plans.inference.pending import Floats
from kibitz_lab.plans.library import Instance, Part, PlanLibrary, interchangeable
from kibitz_lab.plans.recogniser import Recogniser

EXACT = 1e-9
"""Probabilities count as exact if the unexamined histories have at most this share."""


class Explanation(NamedTuple):
    """Trees that together explain the observations, the first to begin first, and their posterior probability."""

    roots: tuple[Branch, ...]
    probability: float
    exact: bool = True
    """Whether every history of it was examined; otherwise the probability is a lower bound."""

    @property
    def goals(self) -> tuple[str, ...]:
        return tuple(root.part.symbol for root in self.roots)

    def words(self, library: PlanLibrary, observations: Sequence[Observation]) -> str:
        """What was done for which goal, by which rules, and after three dots what is still to do."""
        return "; ".join(Wording(library, observations).root(each) for each in self.roots) or "no action serves a goal"


class Wording:
    """Trees in words; an action seen more than once carries the number of its observation."""

    def __init__(self, library: PlanLibrary, observations: Sequence[Observation]) -> None:
        self.library = library
        seen = Counter(map(str, observations))
        self.seen = [f"{each}#{n}" if seen[str(each)] > 1 else str(each) for n, each in enumerate(observations, 1)]
        self.ways = Counter((rule.head, *sorted(rule.parts)) for rule in library.rules)

    def root(self, root: Branch) -> str:
        """A goal with all below it."""
        below, first = dict[int, str](), dict[int, int]()
        for branch in root.walk_up():
            times = [-1 if branch.time is None else branch.time] if branch.done else []
            times += [first[id(part)] for part in branch.parts if id(part) in first]
            if times:
                first[id(branch)] = min((time for time in times if time >= 0), default=-1)
            below[id(branch)] = self.below(branch, below, first)
        return f"{self.plan_name(root)} ({'done' if root.complete() else 'under way'}): {below[id(root)]}"

    def plan_name(self, branch: Branch) -> str:
        """A plan, with its rule if its parts do not tell which."""
        if branch.rule is None:
            return str(branch)
        rule = self.library.rules[branch.rule]
        if rule.title:
            return f'{branch} "{rule.title}"'
        if self.ways[rule.head, *sorted(rule.parts)] == 1:
            return str(branch)
        own = [number for number, each in enumerate(self.library.rules) if each.head == rule.head]
        return f"{branch} by rule {own.index(branch.rule) + 1}"

    def node(self, branch: Branch, below: Mapping[int, str]) -> str:
        """A node that was begun, with all below it."""
        if branch.part.action:
            return f"{branch} (not seen)" if branch.time is None else self.seen[branch.time]
        own = below[id(branch)]
        return f"{self.plan_name(branch)} > {own}" if len(branch.parts) == 1 else f"{self.plan_name(branch)} ({own})"

    def below(self, branch: Branch, below: Mapping[int, str], first: Mapping[int, int]) -> str:
        """The parts of a plan: those begun, in that order, and the others."""
        rule = None if branch.rule is None else self.library.rules[branch.rule]
        tied = rule is not None and bool(rule.order or rule.equal)
        names = Counter(part.part for part in branch.parts)
        begun = sorted(
            ((place, part) for place, part in enumerate(branch.parts, 1) if part.has_begun()),
            key=lambda pair: first.get(id(pair[1]), -1),
        )
        left = Counter(str(part) for part in branch.parts if not part.has_begun())
        to_do = [f"{name} ×{times}" if times > 1 else name for name, times in left.items()]
        words = [
            f"{self.node(part, below)} as part {place}" if tied and names[part.part] > 1 else self.node(part, below)
            for place, part in begun
        ]
        return f"{', '.join(words)} … {short_list(to_do)}" if to_do else ", ".join(words)


def explanations(recogniser: Recogniser, most: int | None = None) -> list[Explanation]:
    """The explanations of the observations, the likeliest first; the recogniser must keep trees.

    Histories that differ only in which of several interchangeable parts of a rule was done are one explanation. So are
    those that differ in the time of unseen actions or, in the meaning `leaves`, in chosen rules of which nothing was
    done; unless you ask for all explanations, only the likeliest such histories are examined, and probabilities that
    may be higher do not count as exact.
    """
    if not recogniser.trees:
        raise BadPlan(recogniser.library.name, "only a recogniser with trees=True keeps explanations")
    library, assumptions, total = recogniser.library, recogniser.assumptions, recogniser.log_probability
    several = assumptions.meaning == "leaves" or assumptions.miss > 0.0
    enough = max(most, limits.FEWEST_EXPLANATIONS) * limits.HISTORIES if most is not None and several else most
    places = cache(lambda rule: interchangeable(library.rules[rule]))
    numbers: dict[Hashable, int] = {}
    named = any(symbol.parameters for symbol in (*library.plans.values(), *library.actions.values()))
    found: dict[Hashable, Explanation] = {}
    for log_mass, arrivals in islice(histories(recogniser), enough):
        roots = tuple(rebuild_trees(recogniser, arrivals))
        for root in roots if named else ():
            bind_parameters(library, root, recogniser.observations)
        key = frozenset(Counter(root.history(places, numbers) for root in roots).items())
        known = found.setdefault(key, Explanation(roots, 0.0))
        found[key] = known._replace(probability=known.probability + exp(log_mass - total))
    exact = not several or sum(each.probability for each in found.values()) > 1.0 - EXACT
    ranked = sorted(found.values(), key=lambda each: -each.probability)[:most]
    return [each._replace(exact=exact) for each in ranked]


def plan_probabilities(found: Iterable[Explanation]) -> dict[Instance, float]:
    """The probability that each plan, goals included, was begun with these values, the likeliest first.

    It is relative to the explanations given; without all of them, it is an estimate.
    """
    total, shares = 0.0, dict[Instance, float]()
    for each in found:
        total += each.probability
        nodes = (node for root in each.roots for node in root.walk() if node.parts)
        for instance in {Instance(node.part.symbol, node.values) for node in nodes}:
            shares[instance] = shares.get(instance, 0.0) + each.probability
    ranked = sorted(shares.items(), key=lambda item: (-item[1], str(item[0])))
    return {instance: share / total for instance, share in ranked}


def rebuild_trees(recogniser: Recogniser, arrivals: Iterable[BackPointer]) -> list[Branch]:
    """The trees of a history, the first to begin first."""
    begun: list[Branch] = []
    held: list[tuple[Branch, list[Branch]]] = []  # as in forests: each tree with its frontier
    trees, library = recogniser.table.trees, recogniser.library
    for arrival in arrivals:
        if arrival.edge is None:
            continue
        place, step = arrival.edge.place, arrival.edge.step
        if place == len(held):
            begun.append(Branch(Part(trees[step.target].goal, False)))
            held.append((begun[-1], [begun[-1]]))
        root, frontier = held[place]
        picked = frontier[step.pick.place]
        leaf = picked.grow(library, step.path)
        leaf.time, leaf.done = arrival.time, True
        origins = step.origins(library, len(frontier))
        after = [frontier[origin] if isinstance(origin, int) else picked.at(origin) for origin in origins]
        held[place] = root, after
        held = [held[old] for old in arrival.order]
    return begun


class Tail(NamedTuple):
    """The end of a history, from an arrival on."""

    arrival: BackPointer
    later: "Tail | None"


def histories(recogniser: Recogniser) -> Iterator[tuple[float, list[BackPointer]]]:
    """Every history of the observations, with the logarithm of its probability."""
    graph = HistoryGraph(recogniser)
    final = len(graph.arrivals) - 1
    turn = count()  # of equally likely ones the first found comes first
    waiting: list[tuple[float, int, int, int, int, float, Tail | None]] = []

    def wait(layer: int, row: int, kind: int, log_mass: float, tail: Tail | None) -> None:
        reach = log_mass + float(graph.best[layer][row, kind])
        if reach > -inf:
            heappush(waiting, (-reach, next(turn), layer, row, kind, log_mass, tail))

    for row, weight in enumerate(recogniser.weights().tolist()):
        if weight > 0.0:
            wait(final, row, 0, 0.0, None)
    while waiting:
        reach, _, layer, row, kind, log_mass, tail = heappop(waiting)
        if layer == 0:
            yield -reach, back_pointers(tail)
            continue
        for arrival in graph.arrivals[layer][row]:
            before, own = graph.ways(arrival)
            if own[kind] > 0.0:
                wait(arrival.layer, arrival.row, int(before[kind]), log_mass + log(own[kind]), Tail(arrival, tail))


def back_pointers(tail: Tail | None) -> list[BackPointer]:
    """The arrivals of a history, the first first."""
    found = []
    while tail is not None:
        found.append(tail.arrival)
        tail = tail.later
    return found


class HistoryGraph:
    """All earlier rows, the arrivals of each forest, and the likeliest path to each."""

    def __init__(self, recogniser: Recogniser) -> None:
        self.layers, self.unstarted = recogniser.layers, recogniser.unstarted
        self.arrivals = [*(layer.rows.arrivals for layer in self.layers), recogniser.rows.arrivals]
        self.best: list[Floats] = [np.zeros((1, len(self.unstarted.kinds)))]
        """The logarithm of the probability of the likeliest path to each forest and kind, by layer."""
        for arrivals in self.arrivals[1:]:
            best = [np.max([self.likeliest_ways(each) for each in own], axis=0) for own in arrivals]
            self.best.append(np.array(best).reshape(len(arrivals), len(self.unstarted.kinds)))

    def ways(self, arrival: BackPointer) -> tuple[NDArray[np.int64], Floats]:
        """For each kind after an arrival, the number of the kind before, and the weight of the arrival."""
        kinds = np.arange(len(self.unstarted.kinds))
        if arrival.edge is None:
            return kinds, np.full(len(kinds), arrival.share)
        before = kinds if arrival.edge.begun is None else self.unstarted.before(arrival.edge.begun)
        size = np.append(self.layers[arrival.layer].sizes[arrival.row], inf)[before]
        return before, arrival.share * arrival.edge.weight / size

    def likeliest_ways(self, arrival: BackPointer) -> Floats:
        """The likeliest path through one arrival, for each kind."""
        before, own = self.ways(arrival)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(own) + np.append(self.best[arrival.layer][arrival.row], -inf)[before])


class Question(NamedTuple):
    """Whether there is such a plan, served by exactly these observations (numbered from 0)."""

    plan: str
    observations: tuple[int, ...]

    def __str__(self) -> str:
        numbers = ", ".join(str(time + 1) for time in self.observations)
        one = len(self.observations) == 1
        return f"{'does observation' if one else 'do observations'} {numbers} serve {self.plan}?"


def questions_of(explanation: Explanation) -> set[Question]:
    """The questions that an explanation answers with yes."""
    return {
        Question(node.part.symbol, tuple(sorted(node.times())))
        for root in explanation.roots
        for node in root.walk()
        if not node.part.action and node.times()
    }


def shares(explanations: Sequence[Explanation]) -> dict[Question, float]:
    """Every open question, and the probability that its answer is yes."""
    total = sum(each.probability for each in explanations)
    found: dict[Question, float] = {}
    counts: dict[Question, int] = {}
    for each in explanations:
        for question in questions_of(each):
            found[question] = found.get(question, 0.0) + each.probability / total
            counts[question] = counts.get(question, 0) + 1
    return {question: share for question, share in found.items() if counts[question] < len(explanations)}


def best_question(explanations: Sequence[Explanation]) -> Question | None:
    """The question whose answer leaves the least expected entropy; None if no question decides between them."""
    found = shares(explanations)
    return max(sorted(found), key=lambda question: round(answer_entropy(found[question]), 12), default=None)


def consistent_explanations(explanations: Sequence[Explanation], question: Question, yes: bool) -> list[Explanation]:
    """The explanations that agree with an answer, with probabilities that add up to 1."""
    left = [each for each in explanations if (question in questions_of(each)) is yes]
    total = sum(each.probability for each in left)
    return [each._replace(probability=each.probability / total) for each in left]


def answer_entropy(share: float) -> float:
    """The entropy in bits of an answer that is yes with this probability: the expected information it gives."""
    return sum(-p * log2(p) for p in (share, 1.0 - share) if p > 0.0)
