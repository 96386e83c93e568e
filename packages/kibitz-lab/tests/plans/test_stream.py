"""Plan recognition in streams: equal to listing every explanation, and no larger after many events."""

from collections.abc import Iterator, Sequence
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from test_recogniser import libraries

from enumeration import Enumeration, Node, bound_values, consistent, plan_instances
from enumeration import Path as TreePath
from kibitz.core.errors import BadPlan
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans import limits, watch
from kibitz_lab.plans.formats.text_form import parse_text
from kibitz_lab.plans.library import Event, Instance, Part, PlanLibrary
from kibitz_lab.plans.stream import FORGOTTEN, PlanMoment, StreamAssumptions, StreamRecogniser
from trace_sampler import TraceSampler

Root = tuple[Node, bool, int, float]
"""A tree, whether it was seen, and the event and the time at which it was last worked on."""


class Listing:
    """Every explanation of a stream one by one, as the assumptions say."""

    def __init__(self, library: PlanLibrary, assumptions: StreamAssumptions) -> None:
        self.library, self.assumptions, self.trees = library, assumptions, Enumeration(library)
        self.rows: list[tuple[tuple[Root, ...], float]] = [((), 1.0)]
        self.count, self.now = 0, 0.0

    def observe(self, event: Event) -> tuple[float, dict[Instance, float], dict[Instance, float]]:
        """The probability that an event serves a goal, and those of goals under way and of goals finished."""
        assumptions, self.count = self.assumptions, self.count + 1
        self.now = self.now if event.time is None else event.time
        assert assumptions.noise is not None
        self.rows = [(tuple(filter(self.is_held, roots)), mass) for roots, mass in self.rows]
        served = event.confidence * (1.0 - assumptions.noise)
        known = sum(value is not None for value in event.observation.values)
        free = (1.0 - served) / len(self.library.actions) / assumptions.values**known
        idle = [(roots, mass * free) for roots, mass in self.rows]
        found, rows = list(idle), self.rows
        for _ in range(assumptions.silent + 1 if assumptions.miss else 1):
            if event.observation.action in self.library.actions:
                share = served * (1.0 - assumptions.miss)
                found += [each for row in rows for each in self.picks(row, event.observation, share)]
            rows = [each for row in rows for each in self.picks(row, None, assumptions.miss)]
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
        full, when = len(roots) >= self.assumptions.roots, (self.count, self.now)
        room = not full or self.assumptions.fade > 0.0
        weights = [self.weights(root) for root in roots]
        size = sum(sum(each.values()) for each in weights) + (self.assumptions.arrival if room else 0.0)
        for place, (node, was_seen, _, _) in enumerate(roots):
            for path, weight in weights[place].items():
                for chance, after in self.trees.do_action(node, path, seen):
                    if consistent(self.library, after):
                        others = (*roots[:place], (after, was_seen or seen is not None, *when), *roots[place + 1 :])
                        yield others, mass * share * weight * chance / size * self.value_share(node, after, seen)
        for goal, prior in self.library.goals.items() if room else ():
            node = Node(Part(goal, False), self.trees.recursion.start(goal))
            for chance, after in self.trees.do_action(node, (), seen):
                if consistent(self.library, after):
                    idle = min(roots, key=lambda root: root[2:]) if full else None
                    begun = (*(root for root in roots if root is not idle), (after, seen is not None, *when))
                    chance *= self.value_share(node, after, seen)
                    yield begun, mass * share * self.assumptions.arrival * prior * chance / size

    def value_share(self, before: Node, after: Node, seen: Observation | None) -> float:
        """The probability of the values that do not follow from earlier ones, taken one by one."""
        found = 1.0
        path = new_leaf(before, after)
        names = self.library.actions[seen.action].parameters if seen is not None else ()
        for place, (name, value) in enumerate(zip(names, seen.values if seen is not None else (), strict=False)):
            if value is not None:
                assert seen is not None
                known = (*seen.values[:place], *(None for _ in names[place:]))
                bound = bound_values(self.library, with_leaf(after, path, seen._replace(values=known)))
                found /= 1.0 if bound is not None and (path, name) in bound else self.assumptions.values
        return found

    def is_held(self, root: Root) -> bool:
        """Whether a goal is not abandoned by now."""
        return sum(self.weights(root).values()) >= FORGOTTEN

    def weights(self, root: Root) -> dict[TreePath, float]:
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
            found[path] = (1.0 - self.assumptions.fade) ** max(0, self.count - event - 1)
            if timed is not None:
                found[path] *= exp(-(self.now - time) / timed.duration) if timed.duration else 1.0
                found[path] *= timed.timeout is None or self.now - time <= timed.timeout
        return found


def new_leaf(before: Node, after: Node) -> TreePath:
    """The path of the action that was done between two trees."""
    path: TreePath = ()
    while after.parts:
        old = before.parts or tuple(part._replace(done=False, parts=()) for part in after.parts)
        (place,) = (n for n, part in enumerate(after.parts) if part != old[n] and (part.done or part.rule is not None))
        path, before, after = (*path, place), old[place], after.parts[place]
    return path


def with_leaf(node: Node, path: TreePath, seen: Observation) -> Node:
    """A tree in which one action was seen otherwise."""
    if not path:
        return node._replace(seen=seen)
    parts = list(node.parts)
    parts[path[0]] = with_leaf(parts[path[0]], path[1:], seen)
    return node._replace(parts=tuple(parts))


def check_stream(library: PlanLibrary, events: Sequence[Event], assumptions: StreamAssumptions) -> None:
    listing, watching = Listing(library, assumptions), StreamRecogniser(library, assumptions, beam=10**6, least=1e-12)
    for event in events:
        explained, under_way, finished = listing.observe(event)
        found = watching.observe(event)
        assert found.explained == pytest.approx(explained, abs=1e-9)
        assert found.instances == pytest.approx(under_way, abs=1e-6)
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
@settings(max_examples=25)
def test_a_stream_equals_full_enumeration(
    library: PlanLibrary, seen: list[Event], assumptions: StreamAssumptions
) -> None:
    check_stream(library, seen[:3], assumptions)
    check_stream(library, seen[:2], replace(assumptions, miss=0.2, roots=4))


@pytest.mark.long
@given(libraries(), events, streams, st.lists(st.sampled_from([0.5, 1.0, 4.0]), min_size=4, max_size=4))
@settings(max_examples=25)
def test_a_stream_with_times_equals_full_enumeration(
    library: PlanLibrary, seen: list[Event], assumptions: StreamAssumptions, pauses: list[float]
) -> None:
    kinds = [{}, {"duration": 2.0}, {"timeout": 2.0}, {"duration": 0.3, "timeout": 2.0}]
    rules = tuple(replace(rule, **kinds[number % 4]) for number, rule in enumerate(library.rules))
    times = np.cumsum(pauses).tolist()
    timed = [event._replace(time=time) for event, time in zip(seen[:3], times, strict=False)]
    check_stream(replace(library, rules=rules), timed, assumptions)


values = st.sampled_from([None, "1", "2"])


@pytest.mark.long
@given(
    libraries(parameters=True),
    st.lists(st.builds(Observation, st.sampled_from("abcd"), st.tuples(values, values)).map(Event), max_size=3),
    streams,
)
@settings(max_examples=25)
def test_a_stream_with_parameters_equals_full_enumeration(
    library: PlanLibrary, seen: list[Event], assumptions: StreamAssumptions
) -> None:
    check_stream(library, seen, assumptions)


NET = parse_text("""
library net
goal exfiltrate(host) [0.3]
goal encrypt_everything(host) [0.2]
goal administrate(host) [0.5]
plan break_in(host)
action scan(host)
action login(host)
action copy(host)
action upload(host)
action encrypt(host)
action update(host)
exfiltrate(h) -> break_in(h) copy(h) upload(h) : ordered [within 600]
encrypt_everything(h) -> break_in(h) encrypt(h) : ordered [about 30]
administrate(h) -> login(h) update(h) : ordered
break_in(h) -> scan(h) login(h) : ordered [0.8] | login(h) [0.2]
""")


def told(moments: Sequence[PlanMoment], least: float = 0.5) -> list[str]:
    """The goals that were finished and abandoned, as text."""
    kinds = (("+", "finished"), ("-", "abandoned"))
    return [
        f"{sign}{each}"
        for moment in moments
        for sign, kind in kinds
        for each in getattr(moment, kind)
        if each.probability >= least
    ]


def test_goals_are_finished_once_with_their_values_and_leave() -> None:
    lines = "scan(web1) login(web1) login(db) copy(web1) update(db) upload(web1)".split()  # noqa: SIM905
    moments = list(watch(NET, lines))
    assert told(moments) == ["+administrate(db)", "+exfiltrate(web1)"]
    assert moments[3].next[Observation("upload", ("web1",))] > 0.2
    assert moments[-1].instances.get(Instance("exfiltrate", ("web1",)), 0.0) < 0.1
    after = list(watch(NET, [*lines, *["sneeze"] * 30]))[-1]
    assert after.goals["exfiltrate"] < 0.2
    assert after.noise > 0.5


def test_what_was_too_long_ago_is_abandoned() -> None:
    lines = [
        "scan(web1) @ 0",
        "login(web1) @ 5",
        "copy(web1) @ 9",
        "sneeze @ 400",
        "sneeze @ 620",
        "upload(web1) @ 630",
    ]
    moments = list(watch(NET, lines))
    assert told(moments) == ["-exfiltrate(web1)"]
    assert moments[4].abandoned[0].probability > 0.9
    assert moments[5].explained < 0.1
    in_time = list(watch(NET, [line.replace("@ 620", "@ 450").replace("630", "460") for line in lines]))
    assert told(in_time) == ["+exfiltrate(web1)"]
    pauses = {}
    for time in (6, 60):  # a break-in that may serve two goals, one of which is usually pursued at once
        pauses[time] = list(watch(NET, ["scan(x) @ 0", "login(x) @ 5", f"sneeze @ {time}", f"login(y) @ {time}"]))[-1]
    assert pauses[60].next[Observation("encrypt", ("x",))] < 0.5 * pauses[6].next[Observation("encrypt", ("x",))]


def test_goals_that_lie_idle_fade() -> None:
    moments = list(watch(NET, ["scan(web1)", *["sneeze"] * 30, "login(web1)"], StreamAssumptions(fade=0.3)))
    gone = {str(each): each.probability for moment in moments for each in moment.abandoned}
    assert set(gone) == {"exfiltrate(web1)", "encrypt_everything(web1)"}
    assert sum(gone.values()) == pytest.approx(moments[0].explained, abs=0.05)
    assert moments[-1].goals["administrate"] > 0.6


@pytest.mark.long
def test_values_that_never_come_back_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STREAM_TREES", 50)
    watching = StreamRecogniser(NET)
    for number in range(200):  # an upload that nothing precedes, so that no goal goes on or begins with it
        watching.observe(Event(Observation("upload", (f"host{number}",))))
        assert len(watching.table.known) <= 51
    for number in range(200):
        watching.observe(Event(Observation("scan", (f"host{number}",))))
        assert len(watching.table.trees) <= 50 + 200
    assert watching.observe(Event(Observation("login", ("host199",)))).explained > 0.5


@pytest.mark.long
def test_goals_that_are_begun_and_left_do_not_keep_others_from_beginning() -> None:
    scans = [f"scan(host{number})" for number in range(100)]
    moments = list(watch(NET, [*scans, "login(host98)", "encrypt(host98)"], StreamAssumptions(fade=0.2)))
    assert min(moment.explained for moment in moments) > 0.6
    left = {str(each).partition("(")[2] for moment in moments for each in moment.abandoned}
    assert len(left) > 60
    assert told(moments)[-1] == "+encrypt_everything(host98)"


def test_events_may_be_text_mappings_or_observations() -> None:
    given = ["scan(web1) [0.5]", {"action": "login", "values": ["web1"], "time": 3}, Observation("copy", ("web1",))]
    moments = list(watch(NET, given))
    assert [moment.event.confidence for moment in moments] == [0.5, 1.0, 1.0]
    assert moments[1].event.time == 3.0
    sure = next(iter(watch(NET, ["scan(web1)"])))
    assert moments[0].explained < sure.explained
    with pytest.raises(BadPlan, match=r"events:2: 'scan' has more values than parameters"):
        list(watch(NET, ["scan(web1)", "scan(web1, db)"]))
    with pytest.raises(BadPlan, match="events:1: it is not an event"):
        list(watch(NET, [{"verb": "scan"}]))


def mixed_stream(library: PlanLibrary, rng: np.random.Generator) -> Iterator[tuple[Event, Instance | None]]:
    """Events of three goals at a time, with the goal that each finishes; some serve none, and some goals are left."""
    sampler, active = TraceSampler(library, objects=50), list[tuple[list[Observation], Instance]]()
    while True:
        if rng.random() < 0.05:
            yield Event(Observation("something_else")), None
            continue
        if len(active) < 3:
            trace = sampler.trace(rng)
            active.append((list(trace.observations), trace.goals[0]))
        place = int(rng.integers(len(active)))
        left, goal = active[place]
        yield Event(left.pop(0)), None if left else goal
        if not left or rng.random() < 0.01:
            del active[place]


def drawn_scores(library: PlanLibrary, events: int, burst: tuple[int, int] = (0, 0)) -> dict[str, float]:
    """How a drawn stream is recognised, with *burst* unexplained events in a row in its middle."""
    rng, watching = np.random.default_rng(7), StreamRecogniser(library)
    stream = mixed_stream(library, rng)
    found = dict.fromkeys(("finished", "recognised", "told", "right"), 0)
    for number in range(events):
        bursting = burst[0] <= number < burst[1]
        event, goal = (Event(Observation("sneeze")), None) if bursting else next(stream)
        moment = watching.observe(event)
        names = [Instance(each.goal, each.values) for each in moment.finished if each.probability >= 0.5]
        if number >= burst[1] + 20:
            found["finished"] += goal is not None
            found["recognised"] += goal in names
            found["told"] += len(names)
    return {
        "recall": found["recognised"] / found["finished"],
        "precision": found["recognised"] / found["told"],
        "trees": len(watching.table.trees),
    }


@pytest.mark.long
def test_a_thousand_events_of_a_mixed_stream_are_recognised_and_a_burst_is_survived() -> None:
    scores = drawn_scores(NET, 1_000, burst=(300, 500))
    assert scores["recall"] > 0.9
    assert scores["precision"] > 0.9
    assert scores["trees"] <= limits.STREAM_TREES + 1000
