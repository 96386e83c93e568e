"""What `kibitz recognize` finds in observations that end: a table, the final beliefs, pictures and JSON."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.text import Text

from kibitz.cli.console import Part, Table, bar, dim
from kibitz.core.drawing import svg
from kibitz.core.files import write_file
from kibitz_lab.plans.answers.explanation_trees import tree_nodes
from kibitz_lab.plans.answers.explanations import Explanation, best_question, explanations, plan_probabilities
from kibitz_lab.plans.answers.pictures import draw_explanation, draw_library
from kibitz_lab.plans.library import NOISE, Event, Instance, PlanLibrary
from kibitz_lab.plans.recogniser import Recogniser

ASKED = 1_000
"""Number of likeliest explanations that a question should distinguish."""
PLANS = 200
"""Number of likeliest explanations from which the probabilities of plans are taken."""
COLUMNS = 6
"""Number of goals with a column: the likeliest."""
NEXT = 4
"""Number of predicted actions."""
LETTERS, REST = 14, 50
"""The longest heading of a goal, and the width of the other columns."""


class Moment(msgspec.Struct):
    """What was believed after an observation."""

    observation: str
    goals: dict[str, float]
    bound: float
    """The most by which the beam may have changed a probability."""
    method: str
    """`exact`, or `beam` if explanations were dropped."""
    kept: int
    log_probability: float | None
    seconds: float


def observe_all(watching: Recogniser, events: Sequence[Event]) -> list[Moment]:
    """Feed all observations to the recogniser; what it believed after each."""
    moments: list[Moment] = []
    for event in events:
        start, each = time.perf_counter(), event.observation
        watching.observe(each, confidence=event.confidence)
        goals = watching.goals()
        seconds = time.perf_counter() - start
        likely = watching.log_probability if watching.is_explained else None
        certainty = watching.bound, watching.method
        moments.append(Moment(str(each), goals, *certainty, watching.forest_count, likely, seconds))
    return moments


def moments_table(moments: Sequence[Moment], width: int) -> Table:
    """A row for every observation, and a column for every likely goal, as many as fit *width*."""
    last = moments[-1].goals
    most_ever = {goal: max(moment.goals[goal] for moment in moments) for goal in last}
    ranked = sorted(last, key=lambda goal: (-last[goal], -most_ever[goal]))
    ranked = ranked[: min(max(1, (width - REST) // (LETTERS + 3)), COLUMNS)]
    shown = [goal for goal in last if goal in ranked]
    rows = []
    for number, moment in enumerate(moments, 1):
        shares = ("–" if moment.log_probability is None else f"{moment.goals[goal]:.1%}" for goal in shown)
        bound = "0" if moment.method == "exact" else f"±{moment.bound:.1g}"
        milliseconds = f"{moment.seconds * 1e3:.1f}"
        rows.append((number, moment.observation, *shares, str(moment.kept), bound, milliseconds))
    names = (goal if len(goal) <= LETTERS else f"{goal[: LETTERS - 1]}…" for goal in shown)
    left_out = len(last) - len(shown)
    words = "1 goal less likely is" if left_out == 1 else f"{left_out} goals less likely are"
    rest = f"{words} not shown" if left_out else ""
    return Table(("", "seen", *names, "kept", "bound", "ms"), rows, rest=rest)


def explanations_and_question(watching: Recogniser, most: int, ask: bool) -> tuple[list[Explanation], str | None]:
    """The likeliest explanations and the most informative question, if asked for."""
    if not watching.trees:
        return [], None
    question = best_question(explanations(watching, ASKED)) if ask else None
    return explanations(watching, most), None if question is None else str(question)


def draw(path: Path | None, plans: PlanLibrary, found: Sequence[Explanation] | None = None) -> None:
    """Draw the likeliest explanation, or the library if there is none."""
    if path is not None:
        write_file(path, svg(draw_explanation(plans, found[0]) if found else draw_library(plans), scale=40.0))


def summary(
    watching: Recogniser, moments: Sequence[Moment], found: Sequence[Explanation], most: int, question: str | None
) -> dict[str, Any]:
    """All results, ready for JSON."""
    expected = watching.next_observations() if watching.is_explained else {}
    return {
        "library": watching.library.name,
        "meaning": watching.assumptions.meaning,
        "explained": watching.is_explained,
        "method": watching.method,
        "goals": moments[-1].goals,
        "intervals": watching.intervals(),
        "instances": instance_data(watching),
        "next": {str(each): share for each, share in expected.items()},
        "plans": plan_data(watching) if most else None,
        "moments": moments,
        "explanations": [
            {
                "probability": each.probability,
                "exact": each.exact,
                "goals": each.goals,
                "trees": [tree_nodes(watching.library, root) for root in each.roots],
                "words": each.words(watching.library, watching.observations),
            }
            for each in found[:most]
        ],
        "question": question,
    }


def plan_data(watching: Recogniser) -> dict[str, Any]:
    """The probability of each plan that was begun, over the likeliest explanations, and what share these have."""
    covered, shares = begun_plans(watching)
    return {"covered": covered, "probabilities": {str(instance): share for instance, share in shares.items()}}


def begun_plans(watching: Recogniser) -> tuple[float, dict[Instance, float]]:
    """The share of the likeliest explanations, and over these the probability of each plan that was begun."""
    every = explanations(watching, PLANS)
    return sum(each.probability for each in every), plan_probabilities(every)


def plans_text(watching: Recogniser) -> str:
    """The likeliest plans below the goals that were begun, in words."""
    covered, shares = begun_plans(watching)
    below = [(plan, share) for plan, share in shares.items() if plan.plan not in watching.library.goals]
    words = ", ".join(f"{plan} {share:.0%}" for plan, share in below[:COLUMNS]) or "none"
    return f"plans begun: {words}" + (f" (of explanations with {covered:.0%})" if covered < 0.995 else "")


def instance_data(watching: Recogniser) -> list[dict[str, Any]]:
    """The goals with the values of their parameters, the likeliest first."""
    found = []
    for instance, share in watching.instances().items():
        names = watching.library.plans[instance.plan].parameters
        known = {name: value for name, value in zip(names, instance.values, strict=True) if value is not None}
        found.append({"goal": instance.plan, "bindings": known, "probability": share})
    return found


def end_parts(
    watching: Recogniser, moments: Sequence[Moment], found: Sequence[Explanation], question: str | None
) -> Iterator[Part]:
    """The final beliefs in words."""
    yield ""
    if not watching.is_explained:
        yield Text(unexplained_text(watching, moments), style="yellow")
        return
    ranked = sorted(watching.goals().items(), key=lambda item: -item[1])[:COLUMNS]
    intervals = {} if watching.method == "exact" else watching.intervals()
    instances = [pair for pair in watching.instances().items() if any(value is not None for value in pair[0].values)]
    rows = []
    for goal, share in ranked:
        low, high = intervals.get(goal, (share, share))
        interval = f", {low:.1%} to {high:.1%}" if intervals else ""
        rows.append((watching.library.plans[goal].title or goal, bar(share), f"{share:.1%}{interval}"))
        own = [pair for pair in instances if pair[0].plan == goal][:NEXT]
        rows += [(f"  {instance}", bar(share), f"{share:.1%}") for instance, share in own]
    yield Table(("goal", "", ""), rows)
    if intervals:
        yield dim(f"approximate: the beam of {watching.beam} dropped explanations; the intervals hold the exact values")
    expected = list(watching.next_observations().items())[:NEXT]
    following = ", ".join(f"{each} {share:.0%}" for each, share in expected) or "nothing; everything is done"
    yield f"next, if anything: {following}"
    for each in found:
        words = each.words(watching.library, watching.observations)
        yield f"{'' if each.exact else '≥ '}{each.probability:.1%}  {words}"
    if found:
        yield plans_text(watching)
    if question is not None:
        yield f"ask: {question}"


def unexplained_text(watching: Recogniser, moments: Sequence[Moment]) -> str:
    """The observation that nothing explains, and the options that might help."""
    if watching.bound:
        return "the beam dropped every explanation; widen it with --beam"
    first = max((n for n, each in enumerate(moments, 1) if each.log_probability is not None), default=0)
    assumptions, roots = watching.assumptions, watching.most_roots
    possible = sum(map(assumptions.most, watching.library.goals))
    allowed = {
        "noise actions (--noise 0.05)": NOISE in watching.library.goals or assumptions.slip > 0.0,
        "unseen actions (--miss 0.05)": assumptions.miss > 0.0,
        f"goals more than once (--instances {assumptions.instances + 1})": assumptions.instances > 1
        or len(moments) == 1,
        f"more goals (--roots {roots + 1})": roots >= min(possible, len(moments)),
    }
    left = [what for what, already in allowed.items() if not already]
    advice = f"consider allowing {', '.join(left)}" if left else "the library may lack a goal or a rule"
    after = ", after those before it" if first else ""
    return f"no goals explain observation {first + 1}, {moments[first].observation}{after}; {advice}"
