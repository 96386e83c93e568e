"""Plan recognition in streams: equal to listing every explanation, and as quick after many events as at first."""

from collections.abc import Iterator, Sequence
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.models.plans.test_recogniser import libraries

from kibitz.models.plans.enumeration import Enumeration, Node, Path, consistent, plan_instances
from kibitz.models.plans.library import Event, Instance, Observation, Part, PlanLibrary
from kibitz.models.plans.stream import FORGOTTEN, StreamAssumptions, StreamRecogniser

Root = tuple[Node, bool, int, float]
"""A tree, whether it was seen, and the event and the time at which it was last worked on."""


class Listing:
    """Every explanation of a stream one by one, as the story has it."""

    def __init__(self, library: PlanLibrary, story: StreamAssumptions) -> None:
        self.library, self.story, self.trees = library, story, Enumeration(library)
        self.rows: list[tuple[tuple[Root, ...], float]] = [((), 1.0)]
        self.count, self.now = 0, 0.0

    def observe(self, event: Event) -> tuple[float, dict[Instance, float], dict[Instance, float]]:
        """The probability that an event serves a goal, and those of goals under way and of goals finished."""
        story, self.count = self.story, self.count + 1
        self.now = self.now if event.time is None else event.time
        assert story.noise is not None
        self.rows = [(tuple(filter(self.is_held, roots)), mass) for roots, mass in self.rows]
        served = event.confidence * (1.0 - story.noise)
        idle = [(roots, mass * (1.0 - served) / (len(self.library.actions) + 1)) for roots, mass in self.rows]
        found, rows = list(idle), self.rows
        for _ in range(story.silent + 1 if story.miss else 1):
            if event.observation.action in self.library.actions:
                share = served * (1.0 - story.miss)
                found += [each for row in rows for each in self.picks(row, event.observation, share)]
            rows = [each for row in rows for each in self.picks(row, None, story.miss)]
        found = [row for row in found if all(seen for _, seen, _, _ in row[0])]
        total = sum(mass for _, mass in found)
        under_way, finished = dict[Instance, float](), dict[Instance, float]()
        self.rows = []
        for roots, mass in found:
            left = tuple(root for root in roots if not root[0].done)
            self.rows.append((left, mass / total))
            for held, kind in ((left, under_way), ([root for root in roots if root[0].done], finished)):
                names = [plan_instances(self.library, root[0])[0] for root in held]
                for name in set(names) if kind is under_way else names:
                    kind[name] = kind.get(name, 0.0) + mass / total
        return 1.0 - sum(mass for _, mass in idle) / total, under_way, finished

    def picks(
        self, row: tuple[tuple[Root, ...], float], seen: Observation | None, share: float
    ) -> Iterator[tuple[tuple[Root, ...], float]]:
        roots, mass = row
        room, when = len(roots) < self.story.roots, (self.count, self.now)
        weights = [self.weights(root) for root in roots]
        size = sum(sum(each.values()) for each in weights) + (self.story.arrival if room else 0.0)
        for place, (node, was_seen, _, _) in enumerate(roots):
            for path, weight in weights[place].items():
                for chance, after in self.trees.do_action(node, path, seen):
                    if consistent(self.library, after):
                        others = (*roots[:place], (after, was_seen or seen is not None, *when), *roots[place + 1 :])
                        yield others, mass * share * weight * chance / size
        for goal, prior in self.library.goals.items() if room else ():
            node = Node(Part(goal, False), self.trees.recursion.start(goal))
            for chance, after in self.trees.do_action(node, (), seen):
                if consistent(self.library, after):
                    begun = (*roots, (after, seen is not None, *when))
                    yield begun, mass * share * self.story.arrival * prior * chance / size

    def is_held(self, root: Root) -> bool:
        """Whether a goal is not abandoned by now."""
        return sum(self.weights(root).values()) >= FORGOTTEN

    def weights(self, root: Root) -> dict[Path, float]:
        """The weight of everything pending in a tree."""
        node, _, event, time = root
        found = {}
        for path in self.trees.pending(node):
            here, timed = node, None
            for place in path:
                assert here.rule is not None
                rule = self.library.rules[here.rule]
                timed = rule if rule.duration or rule.timeout else timed
                here = here.parts[place]
            found[path] = (1.0 - self.story.fade) ** max(0, self.count - event - 1)
            if timed is not None:
                found[path] *= exp(-(self.now - time) / timed.duration) if timed.duration else 1.0
                found[path] *= timed.timeout is None or self.now - time <= timed.timeout
        return found


def check_stream(library: PlanLibrary, events: Sequence[Event], story: StreamAssumptions) -> None:
    listing, watching = Listing(library, story), StreamRecogniser(library, story, beam=10**6, least=1e-12)
    for event in events:
        explained, under_way, finished = listing.observe(event)
        found = watching.observe(event)
        assert found.explained == pytest.approx(explained, abs=1e-9)
        assert found.goals == pytest.approx(under_way, abs=1e-6)
        told = {Instance(each.goal, each.values): each.probability for each in found.finished}
        assert told == pytest.approx({name: share for name, share in finished.items() if share >= 1e-12}, abs=1e-6)
        assert sum(found.next.values()) == pytest.approx(1.0)


events = st.lists(
    st.builds(
        Event,
        st.builds(Observation, st.sampled_from("abcdz"), st.just(())),
        st.sampled_from([1.0, 1.0, 0.7]),
        st.none(),
    ),
    min_size=1,
    max_size=4,
)
streams = st.builds(
    StreamAssumptions,
    arrival=st.sampled_from([0.5, 1.0]),
    noise=st.sampled_from([0.1, 0.3]),
    fade=st.sampled_from([0.0, 0.2, 0.97]),
    roots=st.sampled_from([1, 2]),
)


@pytest.mark.long
@given(libraries(), events, streams)
@settings(max_examples=40)
def test_a_stream_equals_full_enumeration(library: PlanLibrary, seen: list[Event], story: StreamAssumptions) -> None:
    check_stream(library, seen[:3], story)
    check_stream(library, seen[:2], replace(story, miss=0.2))


@pytest.mark.long
@given(libraries(), events, streams, st.lists(st.sampled_from([0.5, 1.0, 4.0]), min_size=4, max_size=4))
@settings(max_examples=40)
def test_a_stream_with_times_equals_full_enumeration(
    library: PlanLibrary, seen: list[Event], story: StreamAssumptions, pauses: list[float]
) -> None:
    kinds = [{}, {"duration": 2.0}, {"timeout": 2.0}, {"duration": 0.3, "timeout": 2.0}]
    rules = tuple(replace(rule, **kinds[number % 4]) for number, rule in enumerate(library.rules))
    times = np.cumsum(pauses).tolist()
    timed = [event._replace(time=time) for event, time in zip(seen[:3], times, strict=False)]
    check_stream(replace(library, rules=rules), timed, story)


values = st.sampled_from([None, "1", "2"])


@pytest.mark.long
@given(
    libraries(parameters=True),
    st.lists(st.builds(Observation, st.sampled_from("abcd"), st.tuples(values, values)).map(Event), max_size=3),
    streams,
)
@settings(max_examples=40)
def test_a_stream_with_parameters_equals_full_enumeration(
    library: PlanLibrary, seen: list[Event], story: StreamAssumptions
) -> None:
    check_stream(library, seen, story)
