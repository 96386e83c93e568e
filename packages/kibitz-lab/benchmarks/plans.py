"""Plan recognition on and-or trees of the shape 1-5-2-3-2: 5 goals, depth 2, AND 3, OR 2, 9 observations.

The cases are drawn as the public ones are (random partial orders, 100 action names), so that nothing but kibitz is
needed. A stream mixes goals with parameters, noise, goals left unfinished and a burst that nothing explains. The
published times are for one step of Python 2 programs on another computer: they stand beside ours and are no ratio. The
ratio is against our own recogniser when it also tells the ten likeliest explanations, in the same run.
"""

import time
from collections.abc import Iterator, Sequence
from functools import cache
from statistics import median
from typing import NamedTuple, get_args

import numpy as np

from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.answers.explanations import explanations
from kibitz_lab.plans.assumptions import Assumptions, Meaning
from kibitz_lab.plans.formats.lisp_form import Case, parse_lisp
from kibitz_lab.plans.formats.text_form import parse_text
from kibitz_lab.plans.library import Event, Instance, PlanLibrary
from kibitz_lab.plans.recogniser import Recogniser
from kibitz_lab.plans.stream import StreamRecogniser
from kibitz_lab.testing.benchmark import Bench

GOALS, DEPTH, PARTS, WAYS, ACTIONS = 5, 2, 3, 2, 100
CASES = 40
BEAM = 5_000
EVENTS, BURST = 3_000, (1_000, 1_300)
"""The length of a stream, and when it holds only events that nothing explains."""
NETWORK = """
library network
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
exfiltrate(h) -> break_in(h) copy(h) upload(h) : ordered
encrypt_everything(h) -> break_in(h) encrypt(h) : ordered
administrate(h) -> login(h) update(h) : ordered
break_in(h) -> scan(h) login(h) : ordered [0.8] | login(h) [0.2]
"""


def measure(bench: Bench) -> None:
    for meaning in get_args(Meaning):
        for instances, most in ((1, 5.0), (2, 100.0)):
            story = Assumptions(meaning=meaning, instances=instances)
            runs = [last_steps(story) for _ in range(bench.runs)]
            name = f"{meaning}_ninth_observation_{'one' if instances == 1 else 'two'}_per_goal"
            bench.figure(f"{name}_median", [median(each) * 1e3 for each in runs], "CPU ms", most=most)
            bench.figure(f"{name}_worst", [max(each) * 1e3 for each in runs], "CPU ms")
        bounds = [watched(case, Assumptions(meaning=meaning, instances=2)).bound for case in cases()]
        bench.figure(f"{meaning}_dropped_by_the_beam_two_per_goal_worst", [max(bounds)], "share", most=1e-3)
    measure_streams(bench)
    few = cases()[:10]
    bench.ratio(
        "merged",
        lambda: float(sum(len(watched(case, Assumptions(instances=2)).observations) for case in few)),
        lambda: float(sum(len(listed(case)) for case in few)),
        least=1.0,
        unit="× explanations kept",
    )


def measure_streams(bench: Bench) -> None:
    """Time per event, whether it grows, and how many finished goals are told after the burst."""
    runs = [watched_stream(run) for run in range(bench.runs)]
    bench.figure("stream_event_median", [each.median for each in runs], "CPU ms", most=5.0)
    bench.figure("stream_last_third_against_first", [each.growth for each in runs], "× CPU time", most=1.5)
    bench.figure("stream_finished_goals_told_after_the_burst", [each.recall for each in runs], "share", least=0.9)
    bench.figure("stream_told_goals_that_were_finished", [each.precision for each in runs], "share", least=0.9)


class StreamFigures(NamedTuple):
    """What a stream came to."""

    median: float
    growth: float
    recall: float
    precision: float


def watched_stream(seed: int) -> StreamFigures:
    library, rng = parse_text(NETWORK), np.random.default_rng(seed)
    watching, drawn = StreamRecogniser(library), mixed_stream(library, rng)
    seconds, finished, told, right = list[float](), 0, 0, 0
    for number in range(EVENTS):
        bursting = BURST[0] <= number < BURST[1]
        event, truth = (Event(Observation("something_else")), None) if bursting else next(drawn)
        start = time.process_time()
        moment = watching.observe(event)
        seconds.append(time.process_time() - start)
        if number >= BURST[1]:
            names = {Instance(each.goal, each.values) for each in moment.finished if each.probability >= 0.5}
            finished, told, right = finished + (truth is not None), told + len(names), right + (truth in names)
    third = BURST[0]
    growth = median(seconds[-third:]) / median(seconds[third // 10 : third])
    return StreamFigures(median(seconds) * 1e3, growth, right / finished, right / told)


def mixed_stream(library: PlanLibrary, rng: np.random.Generator) -> Iterator[tuple[Event, Instance | None]]:
    """Events of three goals at a time, with the goal that each finishes; some serve none, and some goals are left."""
    goals, priors = list(library.goals), list(library.goals.values())
    active: list[tuple[list[Observation], Instance]] = []
    while True:
        if rng.random() < 0.05:
            yield Event(Observation("something_else")), None
            continue
        if len(active) < 3:
            host = f"host{rng.integers(50)}"
            goal = goals[int(rng.choice(len(goals), p=priors))]
            active.append((list(followed(library, goal, rng, (host,))), Instance(goal, (host,))))
        place = int(rng.integers(len(active)))
        left, finished = active[place]
        yield Event(left.pop(0)), None if left else finished
        if not left or rng.random() < 0.01:
            del active[place]


def listed(case: Case) -> Sequence[Observation]:
    """What was observed, once the ten likeliest explanations were told."""
    watching = watched(case, Assumptions(instances=2), trees=True)
    explanations(watching, 10)
    return watching.observations


def last_steps(story: Assumptions) -> list[float]:
    """Seconds of computing for the ninth observation and its posterior, case by case."""
    found = []
    for case in cases():
        watching = Recogniser(case.library, story, beam=BEAM)
        for each in case.observations[:-1]:
            watching.observe(each)
        start = time.process_time()
        watching.observe(case.observations[-1])
        watching.goals()
        found.append(time.process_time() - start)
    return found


def watched(case: Case, story: Assumptions, *, trees: bool = False) -> Recogniser:
    watching = Recogniser(case.library, story, beam=BEAM, trees=trees)
    for each in case.observations:
        watching.observe(each)
    return watching


@cache
def cases() -> tuple[Case, ...]:
    """Libraries with nine observations of one goal each, drawn with a fixed seed."""
    rng = np.random.default_rng(20160709)
    return tuple(drawn(rng) for _ in range(CASES))


def drawn(rng: np.random.Generator) -> Case:
    """A library, and the actions of one of its goals in an order that it allows."""
    case = Case(drawn_library(rng, WAYS))
    goal = list(case.library.goals)[int(rng.integers(GOALS))]
    return Case(case.library, tuple(followed(case.library, goal, rng)), (goal,))


def drawn_library(rng: np.random.Generator, ways: int) -> PlanLibrary:
    """A library of and-or trees, with so many alternatives."""
    goals = " ".join(conjunction(rng, DEPTH, ways) for _ in range(GOALS))
    (case,) = parse_lisp(f"(({goals}) (0))", "drawn")
    return case.library


def conjunction(rng: np.random.Generator, depth: int, ways: int) -> str:
    pairs = [(i, j) for j in range(PARTS) for i in range(j) if rng.random() < 0.3]
    order = f"({' '.join(f'({i} . {j})' for i, j in pairs)})" if pairs else "NIL"
    return f"({order} {' '.join(choice(rng, depth, ways) for _ in range(PARTS))})"


def choice(rng: np.random.Generator, depth: int, ways: int) -> str:
    def way() -> str:
        return f"A{rng.integers(1, ACTIONS + 1)}" if depth == 1 else conjunction(rng, depth - 1, ways)

    return f"(OR {' '.join(way() for _ in range(ways))})"


def followed(
    library: PlanLibrary, goal: str, rng: np.random.Generator, values: tuple[str, ...] = ()
) -> Iterator[Observation]:
    """The goal carried out as the story has it: always something that is pending, with these values."""
    watching = Recogniser(library, Assumptions())
    table = watching.table
    ((_, tree, _),) = table.roots[goal]
    while table.trees[tree].nodes:
        seen_next = [each._replace(values=values) for each in sorted(table.picks(tree), key=str)]
        steps = [(each, step) for each in seen_next for step in table.steps(tree, each)]
        weights = np.array([step.pick.probability for _, step in steps])
        seen, step = steps[int(rng.choice(len(steps), p=weights / weights.sum()))]
        tree = step.target
        yield seen
