"""Learn a plan library from traces by EM: priors of goals, probabilities of rules, and how often the actor errs.

The expectation step counts, over all explanations of a trace, how often each rule was chosen and each goal begun: a
forward and a backward pass through the rows of a recogniser, which remember where they came from. The maximisation step
turns the counts into probabilities. Abandonment is a threshold, not a probability: it takes the best of a few values.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import exp, factorial, inf, isfinite, log
from typing import NamedTuple, Self, TypeVar

import msgspec
import numpy as np

from kibitz.core.errors import BadPlan
from kibitz_lab.plans.answers.explanations import HistoryGraph
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.formats.traces import Trace
from kibitz_lab.plans.inference.hypotheses import Edge
from kibitz_lab.plans.inference.pending import Floats
from kibitz_lab.plans.library import NOISE, Instance, Part, PlanLibrary
from kibitz_lab.plans.recogniser import Recogniser

PRIOR_COUNT = 1.0
"""How many choices the probabilities begun with count for, by plan: so a rule that was never seen stays possible."""
LEAST_RATE = 1e-6
THRESHOLDS = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
"""The values that the threshold of abandonment may take."""
CLOSE = 1e-6
"""EM ends once an iteration gains less than this, in nats per observation."""

Thing = TypeVar("Thing")
Choice = tuple[str, frozenset[int]]
"""A plan, and the rules from which one was chosen: all of them, unless the depth excludes some."""


class ExpectedCounts:
    """Expected counts: choices of rules, goals begun, observations that are slips, seen and unseen actions."""

    def __init__(self) -> None:
        self.rules: dict[int, float] = defaultdict(float)
        self.choices: dict[Choice, float] = defaultdict(float)
        self.goals: dict[str, float] = defaultdict(float)
        self.sizes: dict[int, float] = defaultdict(float)
        """How many explanations have how many goals."""
        self.slips = self.seen = self.unseen = 0.0

    def add(self, other: "ExpectedCounts", times: float = 1.0) -> None:
        """Add the counts of a trace that occurs *times* times."""
        add_counts(self.rules, other.rules, times)
        add_counts(self.choices, other.choices, times)
        add_counts(self.goals, other.goals, times)
        add_counts(self.sizes, other.sizes, times)
        self.slips += times * other.slips
        self.seen += times * other.seen
        self.unseen += times * other.unseen


def add_counts(counts: dict[Thing, float], more: Mapping[Thing, float], times: float) -> None:
    """Add to each count *times* as much as to another one."""
    for thing, count in more.items():
        counts[thing] += times * count


class PlanEstimate(NamedTuple):
    """What is known of an actor: the library with the goal `noise` if there is one, and the assumptions."""

    library: PlanLibrary
    assumptions: Assumptions

    @property
    def noise(self) -> float:
        """The prior of the goal `noise`."""
        return self.library.goals.get(NOISE, 0.0)

    def plain_library(self, first: PlanLibrary) -> PlanLibrary:
        """The library without the goal `noise`, where *first* is what it was before noise was added."""
        rest = 1.0 - self.noise
        goals = {goal: self.library.goals[goal] / rest for goal in first.goals}
        return msgspec.structs.replace(first, goals=goals, rules=self.library.rules[: len(first.rules)])


class PlanLearner:
    """Improves an estimate with every `iterate`; *traces* whose goals are given are explained by these goals only.

    *complete* says that actors stop when all is done, and not before: then only explanations in which nothing is left
    to do count. If it is None, traces count as complete if each of them may be.
    """

    def __init__(
        self,
        library: PlanLibrary,
        assumptions: Assumptions,
        traces: Sequence[Trace],
        *,
        beam: int | None = None,
        complete: bool | None = None,
    ) -> None:
        if assumptions.meaning != "frontier" or assumptions.priors != "product":
            raise BadPlan(library.name, "plans are learned in the meaning frontier, with priors as a product")
        self.begun_with = self.estimate = PlanEstimate(library, assumptions)
        self.traces = Counter(traces)
        self.beam = beam
        self.complete = self.are_complete() if complete is None else complete

    def are_complete(self) -> bool:
        """Whether every trace that has an explanation has one in which nothing is left to do."""
        fresh = self.recogniser(self.begun_with)
        watched = (watch_trace(fresh, trace) for trace in self.traces)
        return all(final_weights(each, complete=True).any() for each in watched if each.is_explained)

    def iterate(self, told: Callable[[int], None] | None = None) -> float:
        """One iteration of EM; returns the log likelihood per observation before it, of all explained traces."""
        counts, total, observations = ExpectedCounts(), 0.0, 0
        fresh = self.recogniser(self.estimate, trees=True)
        for trace, times in self.traces.items():
            watching = watch_trace(fresh, trace)
            if told is not None:
                told(times)
            value = log_probability(watching, complete=self.complete)
            if isfinite(value):
                counts.add(expected_counts(watching, trace.goals, complete=self.complete), times)
                total += times * value
                observations += times * len(trace.observations)
        if not observations:
            raise BadPlan(self.estimate.library.name, "no trace has an explanation; allow noise or missed actions")
        self.estimate = self.improve_estimate(counts)
        if self.begun_with.assumptions.abandon:
            self.choose_threshold()
        return total / observations

    def recogniser(self, estimate: PlanEstimate, *, trees: bool = False) -> Recogniser:
        """A new recogniser, whose table of trees all traces share."""
        return Recogniser(estimate.library, estimate.assumptions, beam=self.beam, trees=trees)

    def improve_estimate(self, counts: ExpectedCounts) -> PlanEstimate:
        """The estimate that the counts make likeliest."""
        library, assumptions = self.estimate.library, self.estimate.assumptions
        first = self.begun_with.library
        goals = goal_priors(library, first, assumptions, counts)
        shares = rule_probabilities(library, first, counts)
        rules = tuple(
            msgspec.structs.replace(rule, probability=share) for rule, share in zip(library.rules, shares, strict=True)
        )
        learned = msgspec.structs.replace(library, goals=goals, rules=rules)
        done = counts.seen + counts.unseen
        changed: dict[str, float] = {}
        if assumptions.slip:
            changed["slip"] = rate(counts.slips, counts.slips + counts.seen)
        if assumptions.miss:
            changed["miss"] = rate(counts.unseen, done)
        return PlanEstimate(learned, msgspec.structs.replace(assumptions, **changed))

    def choose_threshold(self) -> None:
        """Move the threshold of abandonment to a neighbour that makes the traces likelier."""
        assumptions = self.estimate.assumptions
        values = sorted({*THRESHOLDS[1:], assumptions.abandon})
        place = values.index(assumptions.abandon)
        tried = values[max(place - 1, 0) : place + 2]
        stories = [msgspec.structs.replace(assumptions, abandon=value) for value in tried]
        scored = [(self.log_likelihood(self.estimate._replace(assumptions=each)), -n) for n, each in enumerate(stories)]
        self.estimate = self.estimate._replace(assumptions=stories[-max(scored)[1]])

    def log_likelihood(self, estimate: PlanEstimate) -> float:
        """The log likelihood of all traces; one without explanation counts as little as a probability of 1e-100."""
        fresh = self.recogniser(estimate)
        watched = ((watch_trace(fresh, trace), times) for trace, times in self.traces.items())
        found = ((log_probability(each, complete=self.complete), times) for each, times in watched)
        return sum(times * (value if isfinite(value) else -230.0) for value, times in found)


class Losses(NamedTuple):
    """The log loss per observation of each trace that both estimates explain, before and after learning."""

    before: Floats
    after: Floats
    unexplained: int

    @classmethod
    def of(cls, learner: PlanLearner, traces: Sequence[Trace]) -> Self:
        """The losses on traces that were not learned from."""
        fresh = [learner.recogniser(each) for each in (learner.begun_with, learner.estimate)]
        pairs = [
            [
                -log_probability(watch_trace(each, trace), complete=learner.complete) / len(trace.observations)
                for each in fresh
            ]
            for trace in traces
        ]
        known = [pair for pair in pairs if all(map(isfinite, pair))]
        found = np.array(known, dtype=np.float64).reshape(len(known), 2)
        return cls(found[:, 0], found[:, 1], len(pairs) - len(known))


def watch_trace(fresh: Recogniser, trace: Trace) -> Recogniser:
    """A copy of a new recogniser that has seen a trace."""
    watching = fresh.clone()
    for observation in trace.observations:
        watching.observe(observation)
    return watching


def final_weights(watching: Recogniser, *, complete: bool) -> Floats:
    """The weight of each forest as an explanation of a whole trace; with *complete*, 0 if something is left to do."""
    weights = watching.weights()
    if not complete:
        return weights
    trees = watching.table.trees
    done = [not any(trees[tree].nodes for tree in forest) for forest in watching.rows.forests]
    return np.asarray(weights * np.array(done, dtype=np.float64))


def log_probability(watching: Recogniser, *, complete: bool) -> float:
    """The logarithm of the probability of a trace."""
    total = float(final_weights(watching, complete=complete).sum())
    return watching.log_scale + log(total) if total > 0.0 else -inf


def rate(events: float, chances: float) -> float:
    """How often something happens; never quite 0, so that it can still be learned."""
    return min(max(events / chances, LEAST_RATE), 0.95) if chances else LEAST_RATE


def goal_priors(
    library: PlanLibrary, first: PlanLibrary, assumptions: Assumptions, counts: ExpectedCounts
) -> dict[str, float]:
    """The prior of every goal, from how often it was begun, and how often it could have been."""
    expected = expected_goals(library, assumptions, counts.sizes)
    weights = {
        goal: (counts.goals.get(goal, 0.0) + PRIOR_COUNT * first.goals[goal])
        * prior
        / (expected.get(goal, 0.0) + PRIOR_COUNT * prior)
        for goal, prior in library.goals.items()
    }
    total = sum(weights.values())
    return {goal: weight / total for goal, weight in weights.items()}


def expected_goals(library: PlanLibrary, assumptions: Assumptions, sizes: Mapping[int, float]) -> dict[str, float]:
    """How often each goal is expected in sets of so many goals, by its prior, if none occurs more often than it may."""
    most = max(sizes, default=0)
    series = {
        goal: np.array([prior**n / factorial(n) if n <= assumptions.most(goal) else 0.0 for n in range(most + 1)])
        for goal, prior in library.goals.items()
    }
    found: dict[str, float] = {}
    for goal, own in series.items():
        rest = np.eye(1, most + 1)[0]
        for other, more in series.items():
            if other != goal:
                rest = np.convolve(rest, more)[: most + 1]
        every, times = np.convolve(own, rest), np.convolve(own * np.arange(most + 1), rest)
        pairs = ((float(times[size]), float(every[size]), count) for size, count in sizes.items())
        found[goal] = sum(count * expected / whole for expected, whole, count in pairs if whole > 0.0)
    return found


def rule_probabilities(library: PlanLibrary, first: PlanLibrary, counts: ExpectedCounts) -> list[float]:
    """The probability of every rule, from how often it was chosen, and from among which.

    Where the depth excludes rules, a choice says nothing about those; then this is one step of Hunter's (2004) method
    for choices from different sets, which EM repeats.
    """
    found = [rule.probability for rule in library.rules]
    chosen: dict[str, list[tuple[frozenset[int], float]]] = {}
    for (plan, rules), times in counts.choices.items():
        chosen.setdefault(plan, []).append((rules, times))
    for plan, own in library.rules_by_plan().items():
        if plan == NOISE or len(own) < 2:
            continue
        sets = [*chosen.get(plan, ()), (frozenset(number for number, _ in own), PRIOR_COUNT)]
        weights = {}
        for number, _ in own:
            exposure = sum(
                times / sum(library.rules[each].probability for each in rules)
                for rules, times in sets
                if number in rules
            )
            weights[number] = (counts.rules.get(number, 0.0) + PRIOR_COUNT * first.rules[number].probability) / exposure
        total = sum(weights.values())
        for number, weight in weights.items():
            found[number] = weight / total
    return found


def expected_counts(watching: Recogniser, goals: Sequence[Instance] = (), *, complete: bool = False) -> ExpectedCounts:
    """How often everything happened, over all explanations of what was observed, by their probability.

    If *goals* are given, only explanations with exactly these goals, and noise, count, unless there are none.
    """
    graph = HistoryGraph(watching)
    masses, scales = forward_masses(graph)
    last = len(graph.arrivals) - 1
    final = np.zeros((len(graph.arrivals[last]), len(watching.unstarted.kinds)))
    final[:, 0] = final_weights(watching, complete=complete) > 0.0
    if goals:
        wanted = sorted(goal.plan for goal in goals)
        trees = watching.table.trees
        held = [[trees[tree].goal for tree in forest] for forest in watching.rows.forests]
        right = [sorted(goal for goal in each if goal != NOISE) == wanted for each in held]
        if (masses[last][:, 0] * final[:, 0] * right).sum() > 0.0:
            final[:, 0] *= right
    total = float((masses[last] * final).sum())
    found = ExpectedCounts()
    for forest, share in zip(watching.rows.forests, (masses[last] * final).sum(axis=1) / total, strict=True):
        if share > 0.0:
            found.sizes[len(forest)] += float(share)
    reach = [np.zeros_like(each) for each in masses]
    reach[last] = final / total
    for layer in range(last, 0, -1):
        for row, arrivals in enumerate(graph.arrivals[layer]):
            ahead = reach[layer][row]
            if not ahead.any():
                continue
            for arrival in arrivals:
                before, own = graph.ways(arrival)
                scaled = own * ahead * exp(scales[arrival.layer] - scales[layer])
                source = np.append(masses[arrival.layer][arrival.row], 0.0)
                share = float((source[before] * scaled).sum())
                if share <= 0.0:
                    continue
                back = np.zeros(len(ahead) + 1)
                np.add.at(back, before, scaled)
                reach[arrival.layer][arrival.row] += back[:-1]
                count_arrival(found, watching, arrival.layer, arrival.edge, arrival.time is not None, share)
    return found


def forward_masses(graph: HistoryGraph) -> tuple[list[Floats], list[float]]:
    """The mass of every row and kind, by layer, each layer with the logarithm of its scale."""
    kinds = len(graph.unstarted.kinds)
    masses: list[Floats] = [np.ones((1, kinds))]
    scales = [0.0]
    for arrivals in graph.arrivals[1:]:
        found = np.zeros((len(arrivals), kinds))
        for row, own in enumerate(arrivals):
            for arrival in own:
                before, weight = graph.ways(arrival)
                factor = exp(scales[arrival.layer] - scales[-1])
                found[row] += weight * np.append(masses[arrival.layer][arrival.row], 0.0)[before] * factor
        total = float(found.sum())
        masses.append(found / total if total else found)
        scales.append(scales[-1] + (log(total) if total else 0.0))
    return masses, scales


def count_arrival(
    found: ExpectedCounts, watching: Recogniser, layer: int, edge: Edge | None, seen: bool, share: float
) -> None:
    """Count one way in which a forest went on, with its probability."""
    if edge is None:
        found.slips += share
        return
    found.seen += share * seen
    found.unseen += share * (not seen)
    trees, recursion = watching.table.trees, watching.table.expander.recursion
    goal = trees[edge.step.target].goal
    if edge.begun is not None:
        found.goals[goal] += share
        part, level = Part(goal, False), recursion.start(goal)
    else:
        tree = trees[watching.layers[layer].rows.forests[edge.row][edge.place]]
        node = tree.nodes[edge.step.pick.place]
        part, level = node.part, node.level
    for rule, place in edge.step.path:
        found.rules[rule] += share
        found.choices[part.symbol, frozenset(each for _, each in recursion.options(part.symbol, level))] += share
        left = recursion.below(part.symbol, level)
        part = watching.library.rules[rule].parts[place]
        level = 0 if part.action else recursion.level(part.symbol, left)
