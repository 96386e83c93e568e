"""Plan recognition on and-or trees of the shape 1-5-2-3-2: 5 goals, depth 2, AND 3, OR 2, 9 observations.

The cases are drawn as the public ones are (random partial orders, 100 action names), so that nothing but kibitz is
needed. The published times are for one step of Python 2 programs on another computer: they stand beside ours and are no
ratio. The ratio is against our own recogniser when it also tells the ten likeliest explanations, in the same run.
"""

import time
from collections.abc import Iterator, Sequence
from functools import cache
from statistics import median
from typing import get_args

import numpy as np

from kibitz.models.plans.assumptions import Assumptions, Meaning
from kibitz.models.plans.explanations import explanations
from kibitz.models.plans.formats.lisp_form import Case, parse_lisp
from kibitz.models.plans.library import Observation
from kibitz.models.plans.recogniser import Recogniser
from kibitz.testing.benchmark import Bench

GOALS, DEPTH, PARTS, WAYS, ACTIONS = 5, 2, 3, 2, 100
CASES = 40
BEAM = 5_000


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
    few = cases()[:10]
    bench.ratio(
        "merged",
        lambda: float(sum(len(watched(case, Assumptions(instances=2)).observations) for case in few)),
        lambda: float(sum(len(listed(case)) for case in few)),
        least=1.0,
        unit="× explanations kept",
    )


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
    goals = " ".join(conjunction(rng, DEPTH) for _ in range(GOALS))
    (case,) = parse_lisp(f"(({goals}) (0))", "drawn")
    goal = list(case.library.goals)[int(rng.integers(GOALS))]
    return Case(case.library, tuple(followed(case, goal, rng)), (goal,))


def conjunction(rng: np.random.Generator, depth: int) -> str:
    pairs = [(i, j) for j in range(PARTS) for i in range(j) if rng.random() < 0.3]
    order = f"({' '.join(f'({i} . {j})' for i, j in pairs)})" if pairs else "NIL"
    return f"({order} {' '.join(choice(rng, depth) for _ in range(PARTS))})"


def choice(rng: np.random.Generator, depth: int) -> str:
    ways = [f"A{rng.integers(1, ACTIONS + 1)}" if depth == 1 else conjunction(rng, depth - 1) for _ in range(WAYS)]
    return f"(OR {' '.join(ways)})"


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
