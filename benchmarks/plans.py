"""Plan recognition on and-or trees of the shape 1-5-2-3-2: 5 goals, depth 2, AND 3, OR 2, 9 observations.

The cases are drawn as the public ones are (random partial orders, 100 action names), so that nothing but kibitz is
needed. A stream mixes goals with parameters, noise, goals left unfinished and a burst that nothing explains. The
published times are for one step of Python 2 programs on another computer: they stand beside ours and are no ratio. The
ratio is against our own recogniser when it also tells the ten likeliest explanations, in the same run. Traces
drawn from Monroe and from random libraries show how early goals are known, how well rules are learned, and whether
intervals hold.
"""

import os
import time
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple, get_args

import numpy as np

from kibitz.arena.scoring.plan_scores import plan_scores
from kibitz.models.plans.answers.explanations import explanations
from kibitz.models.plans.assumptions import Assumptions, Meaning
from kibitz.models.plans.formats.files import read_library
from kibitz.models.plans.formats.lisp_form import Case, parse_lisp
from kibitz.models.plans.formats.text_form import parse_text
from kibitz.models.plans.formats.traces import LibraryTrace, Trace
from kibitz.models.plans.learning.learner import CLOSE, PlanLearner
from kibitz.models.plans.learning.stream_sampler import DrawnEvent, StreamSampler
from kibitz.models.plans.learning.trace_sampler import TraceSampler
from kibitz.models.plans.library import Event, Instance, Observation, PlanLibrary
from kibitz.models.plans.recogniser import Recogniser
from kibitz.models.plans.stream import StreamRecogniser
from kibitz.testing.benchmark import Bench
from kibitz.testing.plan_intervals import IntervalCheck, coverage_of, interval_checks
from kibitz.testing.plan_libraries import random_library, with_even_shares

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

    measure_traces(bench)
    measure_learning(bench)
    measure_intervals(bench)


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
    watching, drawn = StreamRecogniser(library), StreamSampler(library).events(rng)
    seconds, finished, told, right = list[float](), 0, 0, 0
    for number in range(EVENTS):
        bursting = BURST[0] <= number < BURST[1]
        event, _, truth = DrawnEvent(Event(Observation("something_else")), False) if bursting else next(drawn)
        start = time.process_time()
        moment = watching.observe(event)
        seconds.append(time.process_time() - start)
        if number >= BURST[1]:
            names = {Instance(each.goal, each.values) for each in moment.finished if each.probability >= 0.5}
            finished, told, right = finished + len(truth), told + len(names), right + len(names.intersection(truth))
    third = BURST[0]
    growth = median(seconds[-third:]) / median(seconds[third // 10 : third])
    return StreamFigures(median(seconds) * 1e3, growth, right / finished, right / told)


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
    return Case(case.library, tuple(followed(case, goal, rng)), (goal,))


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


def followed(case: Case, goal: str, rng: np.random.Generator) -> Iterator[Observation]:
    """The goal carried out as the story has it: always something that is pending."""
    watching = Recogniser(case.library, Assumptions())
    forestry = watching.forestry
    ((_, tree, _),) = forestry.roots[goal]
    while forestry.trees[tree].nodes:
        steps = [(each, step) for each in sorted(forestry.picks(tree)) for step in forestry.steps(tree, each)]
        weights = np.array([step.pick.probability for _, step in steps])
        seen, step = steps[int(rng.choice(len(steps), p=weights / weights.sum()))]
        tree = step.target
        yield seen


def monroe() -> PlanLibrary | None:
    """The emergency domain of Monroe county, from the folder of corpora if there is one."""
    folder = os.environ.get("KIBITZ_CORPUS")
    path = Path(folder or ".") / "plans" / "Monroe.xml"
    if not folder or not path.is_file():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_library(path)


def measure_traces(bench: Bench) -> None:
    """How early the goal of a drawn trace of Monroe, and its parameters, are known."""
    library = monroe()
    if library is None:
        bench.note_missing("monroe_top_1", "", "KIBITZ_CORPUS names no folder with plans/Monroe.xml")
        return
    drawn = TraceSampler(library).traces(25 if bench.quick else 100, np.random.default_rng(2003))
    story = Assumptions(roots=3)
    scores = plan_scores(
        [LibraryTrace(library, trace) for trace in drawn],
        lambda each: Recogniser(each.library, story, beam=1000, sample=1000),
    )
    for step in scores.steps:
        percent = round(100 * step.share)
        if percent not in (10, 30, 50, 70, 100):
            continue
        for name, held in (("top_1", step.top_1), ("parameter_recall", step.parameter_recall)):
            if held is not None:
                spread = held.low, held.high
                bench.estimate(f"monroe_{name}_at_{percent}_percent", held.mean, spread, held.matches, unit="share")


def measure_learning(bench: Bench) -> None:
    """How well EM recovers the probabilities of rules from traces drawn by them."""
    errors = []
    for seed in range(2 if bench.quick else 5):
        rng = np.random.default_rng(7000 + seed)
        library, story = random_library(rng, goal_parts=6), Assumptions(roots=1)
        traces = TraceSampler(library, story).traces(300 if bench.quick else 1000, rng)
        learner = PlanLearner(with_even_shares(library), story, [Trace(each.observations) for each in traces])
        before, now = -np.inf, learner.iterate()
        while now - before > CLOSE:
            before, now = now, learner.iterate()
        pairs = zip(library.rules, learner.estimate.library.rules, strict=True)
        errors.append(max(abs(one.probability - other.probability) for one, other in pairs))
    most = None if bench.quick else 0.03
    spread = min(errors), max(errors)
    bench.estimate("learned_rules_largest_error", median(errors), spread, len(errors), unit="probability", most=most)


def measure_intervals(bench: Bench) -> None:
    """Whether sampled intervals hold exact probabilities, and how wide they are where the beam's bound is useless."""
    checks = []
    story = Assumptions(instances=2, roots=4)
    for seed in range(5 if bench.quick else 25):
        rng = np.random.default_rng(8000 + seed)
        library = random_library(rng, goals=4)
        trace = TraceSampler(library, story).trace(rng, goals=3, length=14)
        checks += interval_checks(library, trace.observations, story, beam=100, seed=seed, most_forests=6000)
    report_coverage(bench, "random_libraries", checks)
    rng, story = np.random.default_rng(20160710), Assumptions(instances=2)
    widths = []
    for _ in range(1 if bench.quick else 4):
        library = drawn_library(rng, ways=3)
        observations = TraceSampler(library, story).trace(rng, goals=2).observations
        widths += [wide for time, wide in sampled_widths(library, observations, story) if time >= 18]
    bench.figure("interval_width_of_1_5_2_3_3_from_observation_18", [median(widths)], "probability", most=0.1)
    library = monroe()
    if library is None:
        bench.note_missing("monroe_intervals", "", "KIBITZ_CORPUS names no folder with plans/Monroe.xml")
        return
    checks, widths, story = [], [], Assumptions(roots=4)
    for seed in range(3 if bench.quick else 10):
        rng = np.random.default_rng(9000 + seed)
        observations = TraceSampler(library).trace(rng, goals=4, length=12).observations
        checks += interval_checks(library, observations, story, beam=300, seed=seed, most_forests=12_000)
        widths += [wide for time, wide in sampled_widths(library, observations, story) if time >= 9]
    report_coverage(bench, "monroe", checks)
    bench.figure("interval_width_of_monroe_with_4_goals_from_observation_9", [median(widths)], "probability", most=0.1)


def report_coverage(bench: Bench, name: str, checks: Sequence[IntervalCheck]) -> None:
    """The coverage and the median width where the beam's bound is above .9 and the probability is not clear."""
    hard = [each for each in checks if each.bound > 0.9 and each.is_open]
    if not hard:
        bench.note_missing(f"intervals_of_{name}_held", ">= 0.95", "the beam dropped too little")
        return
    found = coverage_of(hard)
    bench.figure(f"intervals_of_{name}_held", [found.held], f"share of {found.checks}", least=0.95)
    bench.figure(f"intervals_of_{name}_median_width", [found.width], "probability", most=0.1)
    bench.figure(f"error_of_{name}_sampled", [found.error], "probability")
    bench.figure(f"error_of_{name}_by_the_beam_alone", [found.beam_error], "probability")


def sampled_widths(
    library: PlanLibrary, observations: Sequence[Observation], story: Assumptions
) -> Iterator[tuple[int, float]]:
    """The number of the observation and the width of an interval, for each goal where the bound is near 1."""
    watching = Recogniser(library, story, beam=BEAM, sample=BEAM)
    for time_seen, each in enumerate(observations, 1):
        watching.observe(each)
        if watching.bound > 0.9:
            yield from ((time_seen, high - low) for low, high in watching.intervals().values())
