"""Scores of plan recognition on traces whose goals are known: how often it is right, how early, and how sure.

Every figure is a mean over traces at a share of the observations; traces are the independent units of all intervals.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil, log
from statistics import median
from time import process_time
from typing import NamedTuple

import msgspec
import numpy as np

from kibitz_lab.arena.scoring.calibration import Calibration, calibration
from kibitz_lab.arena.scoring.resampling import Resampling
from kibitz_lab.arena.statistics.intervals import Estimate
from kibitz_lab.plans.formats.traces import LibraryTrace, Trace
from kibitz_lab.plans.library import Instance
from kibitz_lab.plans.recogniser import Recogniser, best_goals

SHARES = tuple(tenth / 10 for tenth in range(1, 11))
"""The shares of the observations at which figures are computed."""
LIKELY = 0.5
"""A goal, or a value of a parameter, is named if it is at least so probable."""
LEAST = 1e-6
"""The least probability in the log loss, so that one impossible truth does not make a mean infinite."""


class PlanMark(NamedTuple):
    """What one answer is worth; None where nothing is asked or nothing is named."""

    confidence: float
    top_1: float
    """The share of the likeliest goals, of which there may be several, that are true."""
    log_loss: float
    named: float
    """How many goals are named, because they are likely."""
    precision: float | None
    recall: float
    parameter_precision: float | None = None
    parameter_recall: float | None = None


FIGURES = PlanMark._fields[1:]
UNBOUNDED = ("log_loss", "named")
"""The figures that are no fractions."""


class Course(NamedTuple):
    """The answers about one trace: marks by share of the observations, and how the likeliest goals changed."""

    marks: list[PlanMark]
    converged: bool
    """Whether the last answer is right."""
    point: float | None
    """If so, the share of the observations from which on the answer never changed."""
    changes: int
    unexplained: bool
    error: float
    seconds: list[float]


class PlanStep(msgspec.Struct, frozen=True):
    """The means of all FIGURES after a share of the observations; None where nothing is asked or named."""

    share: float
    figures: dict[str, Estimate | None]


class PlanScores(msgspec.Struct, frozen=True):
    """The scores of plan recognition on some traces."""

    traces: int
    observations: int
    steps: list[PlanStep]
    calibration: Calibration
    """Of the likeliest goal, over all shares."""
    converged: Estimate | None
    convergence_point: Estimate | None
    changes: Estimate | None
    unexplained: int
    """Number of traces whose observations have no explanation at the end."""
    approximate: int
    """Number of traces in which explanations were dropped."""
    error: float
    """The most by which a probability at the end may be wrong because of that."""
    milliseconds_per_observation: float
    """Median of the computing time."""
    slowest_milliseconds: float


def plan_scores(
    traces: Sequence[LibraryTrace],
    recogniser: Callable[[LibraryTrace], Recogniser],
    progress: Callable[[int], None] | None = None,
) -> PlanScores:
    """Recognise the goals of every trace, and score all answers; *recogniser* makes a new one for a trace."""
    courses: list[Course] = []
    for each in traces:
        courses.append(course_of(recogniser(each), each.trace))
        if progress is not None:
            progress(1)
    return scores_of_courses(courses)


def course_of(watching: Recogniser, trace: Trace) -> Course:
    """The answers about one trace."""
    count = len(trace.observations)
    asked = {ceil(share * count - 1e-9): None for share in SHARES}
    marks: dict[int, PlanMark] = {}
    leaders: list[frozenset[str]] = []
    seconds: list[float] = []
    for number, each in enumerate(trace.observations, 1):
        start = process_time()
        watching.observe(each)
        goals = watching.goals()
        seconds.append(process_time() - start)
        leaders.append(frozenset(best_goals(goals)))
        if number in asked:
            marks[number] = mark_answer(goals, watching.belief(), trace.goals, watching.instances())
    true = {goal.plan for goal in trace.goals}
    converged = bool(leaders[-1]) and leaders[-1] <= true
    settled = count
    while settled > 1 and leaders[settled - 2] == leaders[-1]:
        settled -= 1
    return Course(
        [marks[ceil(share * count - 1e-9)] for share in SHARES],
        converged,
        settled / count if converged else None,
        sum(one != other for one, other in pairwise(leaders)),
        not watching.is_explained,
        watching.bound,
        seconds,
    )


def mark_answer(
    goals: Mapping[str, float],
    belief: Mapping[str, float],
    truth: Sequence[Instance],
    instances: Mapping[Instance, float] | None = None,
) -> PlanMark:
    """What an answer is worth: probabilities of goals, which need not add up to 1, and shares, which do.

    *instances* are the probabilities of goals with the values of their parameters.
    """
    true = {goal.plan for goal in truth}
    best = best_goals(goals)
    right = sum(goal in true for goal in best)
    named = {goal for goal, share in goals.items() if share >= LIKELY}
    loss = -sum(log(max(belief.get(goal, 0.0), LEAST)) for goal in true) / len(true) - log(len(true))
    wanted = goal_values((each, 1.0) for each in truth)
    said = {value for value, share in goal_values((instances or {}).items()).items() if share >= LIKELY}
    return PlanMark(
        confidence=goals[best[0]] if best else 0.0,
        top_1=right / len(best) if best else 0.0,
        log_loss=max(loss, 0.0),
        named=float(len(named)),
        precision=len(named & true) / len(named) if named else None,
        recall=len(named & true) / len(true),
        parameter_precision=len(said & wanted.keys()) / len(said) if said and wanted else None,
        parameter_recall=len(said & wanted.keys()) / len(wanted) if wanted else None,
    )


def goal_values(instances: Iterable[tuple[Instance, float]]) -> dict[tuple[str, int, str], float]:
    """The probability of each value of each parameter of each goal: by goal and place."""
    found: dict[tuple[str, int, str], float] = {}
    for instance, share in instances:
        for place, value in enumerate(instance.values):
            if value is not None:
                key = (instance.plan, place, value)
                found[key] = found.get(key, 0.0) + share
    return found


def scores_of_courses(courses: Sequence[Course]) -> PlanScores:
    """All figures with their intervals."""
    resampling = Resampling(len(courses))

    def estimate(values: Iterable[float | None], most: float | None = 1.0) -> Estimate | None:
        known = [(unit, value) for unit, value in enumerate(values) if value is not None]
        if not known:
            return None
        units, column = np.array([unit for unit, _ in known]), np.array([value for _, value in known], dtype=np.float64)
        return resampling.estimates([(column, None if most is None else (0.0, most))], units)[0][0]

    def step(place: int, share: float) -> PlanStep:
        marks = [course.marks[place] for course in courses]
        columns = {name: [getattr(mark, name) for mark in marks] for name in FIGURES}
        bounded = {name: None if name in UNBOUNDED else 1.0 for name in FIGURES}
        return PlanStep(share, {name: estimate(each, bounded[name]) for name, each in columns.items()})

    answers = [(unit, mark) for unit, course in enumerate(courses) for mark in course.marks]
    seconds = [each for course in courses for each in course.seconds]
    return PlanScores(
        traces=len(courses),
        observations=len(seconds),
        steps=[step(place, share) for place, share in enumerate(SHARES)],
        calibration=calibration(
            np.array([mark.top_1 for _, mark in answers]),
            np.array([mark.confidence for _, mark in answers]),
            np.array([unit for unit, _ in answers]),
            resampling,
        ),
        converged=estimate(float(course.converged) for course in courses),
        convergence_point=estimate(course.point for course in courses),
        changes=estimate((float(course.changes) for course in courses), None),
        unexplained=sum(course.unexplained for course in courses),
        approximate=sum(course.error > 0.0 for course in courses),
        error=max(course.error for course in courses),
        milliseconds_per_observation=1e3 * median(seconds),
        slowest_milliseconds=1e3 * max(seconds),
    )
