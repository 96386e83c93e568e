"""Plan recognition in a stream that need not end: goals begin, are finished or abandoned, and leave.

The assumptions differ from those of `recogniser`, in which all goals are there from the beginning. Before each event
the actor has some goals under way. With the noise rate, the event serves no goal. Otherwise the actor picks one pending
node of their trees, or begins a new goal, by weight: *arrival* for a new goal, 1 for a pending node of a goal that was
just worked on, and less for each event (and each moment, where rules have durations) since. A goal whose weight has
faded below `FORGOTTEN`, or whose timeout has passed, is abandoned. A finished or abandoned goal leaves the stream, so
time and memory per event do not grow.
"""

from collections.abc import Iterator, Mapping
from heapq import nlargest
from math import exp
from typing import Annotated

import msgspec
from msgspec import Meta

from kibitz.core.kit.plans import Observation
from kibitz_lab.plans import limits
from kibitz_lab.plans.assumptions import Share
from kibitz_lab.plans.inference.frontier import pending_places
from kibitz_lab.plans.inference.recursion import explained_depth
from kibitz_lab.plans.inference.tree_table import Trees, TreeTable
from kibitz_lab.plans.library import Event, Instance, PlanLibrary, ranked_shares

Active = tuple[int, int, float]
"""A goal under way: its tree, and the event and the time at which it was last worked on."""
Forest = tuple[Active, ...]
Succession = tuple[float, Forest, int | None, int, bool]
"""How a forest goes on: mass, forest, place of the goal that goes, tree that comes, and whether that is a new goal."""
FORGOTTEN = 1e-3
"""A goal whose weight has faded below this is abandoned."""
NEXT_SHARE = 0.99
"""Next actions are predicted from the likeliest forests that have this share together."""
NEGLIGIBLE = 1e-9
"""Forests with a smaller share are dropped."""
FIRST_RATE, FIRST_EVENTS, MEMORY = 0.05, 20.0, 200.0
"""The noise rate before any event, how many events that counts for, and over how many the rate is taken."""


class StreamAssumptions(msgspec.Struct, frozen=True):
    """The assumptions about the actor of a stream.

    *arrival* is the weight with which a new goal begins, where a pending node has 1. *noise* is the share of actions of
    the library that serve no goal; None means that it is inferred. *miss* is the probability that an action is not
    seen, and *silent* the most unseen actions in a row. A goal loses the share *fade* of its weight with each event in
    which it is not worked on. At most *roots* goals are under way at a time; if another begins, the one idle longest is
    abandoned. A parameter has one of so many *values*, so that it is no chance if several actions have the same.

    >>> from kibitz_lab.plans import StreamAssumptions, watch
    >>> (moment,) = watch("cooking", ["take_buns"], StreamAssumptions(roots=1, noise=0.1))
    >>> round(sum(moment.goals.values()), 2)
    0.98
    """

    arrival: Annotated[float, Meta(gt=0.0, le=1e6)] = 1.0
    noise: Share | None = None
    miss: Share = 0.0
    silent: Annotated[int, Meta(ge=0, le=10)] = 1
    fade: Share = 0.05
    roots: Annotated[int, Meta(ge=1, le=100)] = 10
    values: Annotated[float, Meta(ge=1.0, le=1e9)] = 20.0
    depth: Annotated[int, Meta(ge=1, le=100)] | None = None


class Ended(msgspec.Struct, frozen=True):
    """A goal that was finished or abandoned, with the probability that this happened at this event."""

    goal: str
    values: tuple[str | None, ...]
    probability: float

    def __str__(self) -> str:
        return str(Instance(self.goal, self.values))


class PlanMoment(msgspec.Struct):
    """What is believed after an event of a stream.

    >>> from kibitz_lab.plans import watch
    >>> *_, moment = watch("cooking", ["take_buns", "take_chicken_patties"])
    >>> moment.number, max(moment.goals, key=moment.goals.get), f"{moment.explained:.0%}"
    (2, 'meat_burger', '96%')
    """

    number: int
    event: Event
    explained: float
    """The probability that the event served a goal."""
    noise: float
    """The share of events that serve no goal, in the last few hundred."""
    finished: list[Ended]
    abandoned: list[Ended]
    goals: dict[str, float]
    """The probability that each goal is under way, the likeliest first."""
    instances: dict[Instance, float]
    """The same for each goal with the values of its parameters."""
    next: dict[Observation, float]
    """The probability of each next action of a goal, the likeliest first."""
    kept: int
    dropped: float
    """The share of probability that the beam dropped at this event."""


class NoiseRate:
    """The share of events that serve no goal: given, or the mean of its posterior over the last events."""

    def __init__(self, fixed: float | None = None) -> None:
        self.fixed = fixed
        self.noise, self.events = 0.0, 0.0

    def rate(self) -> float:
        if self.fixed is not None:
            return self.fixed
        return (FIRST_RATE * FIRST_EVENTS + self.noise) / (FIRST_EVENTS + self.events)

    def learn(self, noise: float, served: float) -> None:
        """Process the probabilities that an event was noise, and that it served a goal."""
        keep = 1.0 - 1.0 / MEMORY
        self.noise = keep * self.noise + noise
        self.events = keep * self.events + noise + served


class StreamRecogniser:
    """Observes one actor for ever. *beam* is the most forests to keep; *least* the least probability worth telling."""

    def __init__(
        self,
        library: PlanLibrary,
        assumptions: StreamAssumptions | None = None,
        *,
        beam: int = 100,
        least: float = 0.05,
    ) -> None:
        self.library, self.assumptions, self.beam, self.least = library, assumptions or StreamAssumptions(), beam, least
        with explained_depth(library):
            self.table = TreeTable(
                library, "frontier", self.assumptions.depth, value_share=1.0 / self.assumptions.values
            )
        self.timed = any(self.table.expander.timed)
        self.noise, self.strange = NoiseRate(self.assumptions.noise), NoiseRate()
        """The share of the library's actions that serve no goal, and the share of other actions."""
        self.forests: dict[Forest, float] = {(): 1.0}
        self.count, self.now, self.dropped = 0, 0.0, 0.0
        self.weights: dict[Active, float] = {}
        """What is pending in each goal under way, now."""
        self.displaced: dict[Instance, float] = {}
        """The masses of goals in whose place another begins, now."""

    def observe(self, event: Event) -> PlanMoment:
        """Process an event; an action that the library does not know serves no goal."""
        with explained_depth(self.library):
            return self.go_on(event)

    def go_on(self, event: Event) -> PlanMoment:
        """The same for a library whose plans are not nested too deep."""
        self.advance(event.time)
        abandoned, self.displaced = self.forget_abandoned(), {}
        known = self.is_known(event.observation)
        rate = self.noise.rate()
        served = event.confidence * (1.0 - rate) if known else 0.0
        given = sum(value is not None for value in event.observation.values)
        free = (1.0 - served) / len(self.library.actions) / self.assumptions.values**given
        found = {forest: mass * free for forest, mass in self.forests.items()} if free else {}
        unexplained = free * sum(self.forests.values())
        if known:
            self.serve(event.observation, served, found)
        kept, finished = self.retire_finished(found)
        total = sum(kept.values())
        if total > 0.0:
            self.forests = {forest: mass / total for forest, mass in kept.items()}
        explained = max(0.0, 1.0 - unexplained / total) if total > 0.0 else 0.0
        for instance, mass in self.displaced.items() if total > 0.0 else ():
            abandoned[instance] = abandoned.get(instance, 0.0) + mass / total
        self.strange.learn(1.0 - known, float(known))
        if known:
            real = event.confidence * rate / (1.0 - served) if free else 1.0
            self.noise.learn((1.0 - explained) * real, explained)
        self.shrink()
        self.weights.clear()
        return PlanMoment(
            self.count,
            event,
            explained,
            self.strange.rate() + (1.0 - self.strange.rate()) * self.noise.rate(),
            self.ended_goals(finished, total),
            self.ended_goals(abandoned, 1.0),
            self.goals(),
            self.instances(),
            self.next_observations(),
            len(self.forests),
            self.dropped,
        )

    def advance(self, time: float | None) -> None:
        """Let the next event come, at a time if it is known; a time before that of the last event counts as that."""
        self.count += 1
        if time is not None:
            self.now = max(self.now, time) if self.count > 1 else time
        self.weights.clear()

    def is_known(self, observation: Observation) -> bool:
        """Whether the library has this action, with so many parameters."""
        symbol = self.library.actions.get(observation.action)
        return symbol is not None and len(observation.values) in (0, len(symbol.parameters))

    def serve(self, observation: Observation, share: float, found: dict[Forest, float]) -> None:
        """Add to *found* every way in which the observation serves a goal, after some unseen actions."""
        miss, rows = self.assumptions.miss, dict(self.forests)
        for silent in range((self.assumptions.silent if miss else 0) + 1):
            if silent:
                unseen: dict[Forest, float] = {}
                self.extend(likeliest_forests(rows, max(1, self.beam // limits.UNSEEN)), None, miss, unseen)
                fitting = {row: mass for row, mass in unseen.items() if any(self.fits(a[0], observation) for a in row)}
                rows = likeliest_forests(fitting if len(unseen) > self.beam else unseen, self.beam)
            self.extend(rows, observation, share * (1.0 - miss), found)

    def extend(
        self, rows: Mapping[Forest, float], observation: Observation | None, share: float, found: dict[Forest, float]
    ) -> None:
        """Add to *found* every way in which an action, or any unseen one, extends some forests."""
        arrival, steps = self.assumptions.arrival, self.table.steps
        beginnings = [
            (arrival * self.library.goals[each.goal] * each.share * each.step.pick.probability, each.step.target)
            for each in self.table.beginnings(observation)
        ]
        ways: list[Succession] = []
        for forest, mass in rows.items():
            room = self.has_room(forest)
            pending = sum(map(self.weight, forest)) + (arrival if room else 0.0)
            if pending <= 0.0 or mass <= 0.0:
                continue
            base = mass * share / pending
            for place, active in enumerate(forest):
                for step in steps(active[0], observation):
                    chance = step.pick.probability * self.factor(active, step.pick.place)
                    ways.append((base * chance, forest, place, step.target, False))
            if room and beginnings:
                displaced = idle_longest(forest) if len(forest) >= self.assumptions.roots else None
                ways += [(base * weight, forest, displaced, target, True) for weight, target in beginnings]
        stamp = self.stamp()
        for mass, forest, picked, target, begun in self.likeliest_ways(ways):
            others = forest if picked is None else (*forest[:picked], *forest[picked + 1 :])
            if begun and picked is not None and observation is not None:
                instance = self.table.trees[forest[picked][0]].instance
                self.displaced[instance] = self.displaced.get(instance, 0.0) + mass
            after = tuple(sorted((*others, (target, *stamp))))
            found[after] = found.get(after, 0.0) + mass

    def has_room(self, forest: Forest) -> bool:
        """Whether a goal may begin; if there are too many, in the place of the one idle longest, if goals fade."""
        return len(forest) < self.assumptions.roots or self.assumptions.fade > 0.0

    def likeliest_ways(self, ways: list[Succession]) -> list[Succession]:
        """The ways that may matter under the beam."""
        most = limits.BEGINNINGS * self.beam
        return ways if len(ways) <= most else nlargest(most, ways, key=lambda way: way[0])

    def fits(self, tree: int, observation: Observation) -> bool:
        """Whether a tree may go on with an action, as far as its name tells."""
        held, first = self.table.trees[tree], self.table.expander.first_actions
        nodes = (held.nodes[place] for place in pending_places(held.before))
        return any(observation.action in first(node.part, node.level) for node in nodes)

    def stamp(self) -> tuple[int, float]:
        """When a goal is worked on now, as far as it matters later."""
        return (self.count if self.assumptions.fade else 0, self.now if self.timed else 0.0)

    def factor(self, active: Active, place: int) -> float:
        """The weight of a node of a goal under way."""
        tree, event, time = active
        found = (1.0 - self.assumptions.fade) ** (self.count - event - 1) if self.count > event + 1 and event else 1.0
        clock = self.table.trees[tree].nodes[place].clock
        if clock >= 0 and self.now > time:
            rule, pause = self.library.rules[clock], self.now - time
            if rule.timeout is not None and pause > rule.timeout:
                return 0.0
            found *= exp(-pause / rule.duration) if rule.duration is not None else 1.0
        return found

    def weight(self, active: Active) -> float:
        """What is pending in a goal under way."""
        found = self.weights.get(active)
        if found is None:
            places = pending_places(self.table.trees[active[0]].before)
            if self.timed:
                found = sum(self.factor(active, place) for place in places)
            else:
                found = len(places) * self.factor(active, places[0]) if places else 0.0
            self.weights[active] = found
        return found

    def forget_abandoned(self) -> dict[Instance, float]:
        """Let the goals leave that have faded or timed out by now; return how likely each is to be one of them."""
        faded = {
            active: self.weight(active) < FORGOTTEN for active in {each for forest in self.forests for each in forest}
        }
        self.forests, abandoned = self.remove_goals(self.forests, faded)
        return abandoned

    def retire_finished(self, found: Mapping[Forest, float]) -> tuple[dict[Forest, float], dict[Instance, float]]:
        """The same without finished goals, and the masses of these.

        A goal of which nothing was seen by now was not begun, so such forests are left out.
        """
        trees = self.table.trees
        seen = {forest: mass for forest, mass in found.items() if all(trees[active[0]].seen for active in forest)}
        done = {active: not trees[active[0]].nodes for forest in seen for active in forest}
        return self.remove_goals(seen, done)

    def remove_goals(
        self, found: Mapping[Forest, float], leaving: Mapping[Active, bool]
    ) -> tuple[dict[Forest, float], dict[Instance, float]]:
        """Forests without the goals that leave, and the masses of these."""
        if not any(leaving.values()):
            return dict(found), {}
        kept: dict[Forest, float] = {}
        masses: dict[Instance, float] = {}
        for forest, mass in found.items():
            left = tuple(active for active in forest if not leaving[active])
            kept[left] = kept.get(left, 0.0) + mass
            for active in forest if len(left) < len(forest) else ():
                if leaving[active]:
                    instance = self.table.trees[active[0]].instance
                    masses[instance] = masses.get(instance, 0.0) + mass
        return kept, masses

    def shrink(self) -> None:
        """Drop forests beyond the beam, and once in a while trees that are in no forest, and how trees go on."""
        ranked = sorted(self.forests.items(), key=lambda item: -item[1])
        kept = [item for item in ranked[: self.beam] if item[1] >= NEGLIGIBLE]
        total = sum(mass for _, mass in kept)
        self.dropped = max(0.0, 1.0 - total)
        self.forests = {forest: mass / total for forest, mass in kept}
        if max(len(self.table.trees), len(self.table.known)) > limits.STREAM_TREES:
            held = {active[0] for forest in self.forests for active in forest}
            self.table, numbers = self.table.restrict_trees(held)
            self.forests = {
                tuple(sorted((numbers[tree], event, time) for tree, event, time in forest)): mass
                for forest, mass in self.forests.items()
            }

    def tree_shares(self) -> Iterator[tuple[Trees, float]]:
        """The trees of every forest, and its probability."""
        return ((tuple(tree for tree, _, _ in forest), mass) for forest, mass in self.forests.items())

    def goals(self) -> dict[str, float]:
        """The probability that each goal is under way, the likeliest first."""
        return ranked_shares(self.table.goal_shares(self.tree_shares()))

    def instances(self) -> dict[Instance, float]:
        """The same for each goal with the values of its parameters."""
        return self.table.instance_shares(self.tree_shares())

    def next_observations(self) -> dict[Observation, float]:
        """The probability of each next action, if it serves a goal and time stands still, the likeliest first."""
        self.advance(None)
        picked: dict[Active, float] = {}
        begun, left = 0.0, NEXT_SHARE
        for forest, mass in self.forests.items():  # the likeliest first
            if left <= 0.0:
                break
            left -= mass
            room = self.has_room(forest)
            pending = sum(map(self.weight, forest)) + (self.assumptions.arrival if room else 0.0)
            if pending > 0.0:
                begun += mass / pending if room else 0.0
                for active in forest:
                    picked[active] = picked.get(active, 0.0) + mass / pending
        found: dict[Observation, float] = {}
        for active, mass in picked.items():
            for seen, own in self.table.picks(active[0]).items():
                chance = sum(pick.probability * self.factor(active, pick.place) for pick in own)
                found[seen] = found.get(seen, 0.0) + mass * chance
        for goal, planted in self.table.roots.items():
            for share, tree, _ in planted:
                for seen, own in self.table.picks(tree).items():
                    chance = self.assumptions.arrival * self.library.goals[goal] * share
                    found[seen] = found.get(seen, 0.0) + begun * chance * sum(pick.probability for pick in own)
        self.count -= 1
        self.weights.clear()
        total = sum(found.values())
        return ranked_shares({each: share / total for each, share in found.items() if share > 0.0})

    def ended_goals(self, masses: Mapping[Instance, float], total: float) -> list[Ended]:
        """The goals that left and are worth telling, the likeliest first."""
        shares = ranked_shares({each: mass / total for each, mass in masses.items()})
        return [Ended(*each, min(1.0, share)) for each, share in shares.items() if share >= self.least]


def idle_longest(forest: Forest) -> int:
    """The place of the goal for which nothing was done for the longest."""
    return min(range(len(forest)), key=lambda place: forest[place][1:])


def likeliest_forests(masses: dict[Forest, float], most: int) -> dict[Forest, float]:
    """The forests with most mass."""
    return masses if len(masses) <= most else dict(nlargest(most, masses.items(), key=lambda item: item[1]))
