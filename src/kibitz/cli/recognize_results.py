"""What `kibitz recognize` finds in observations that end: a table that grows, the final beliefs, pictures and JSON."""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from kibitz.cli.console import Screen, bar, plain_table

if TYPE_CHECKING:
    from kibitz.models.plans.answers.explanations import Explanation
    from kibitz.models.plans.library import Event, Instance, PlanLibrary
    from kibitz.models.plans.recogniser import Recogniser

ASKED = 1_000
"""Number of likeliest explanations that a question should distinguish."""
PLANS = 200
"""Number of likeliest explanations from which the probabilities of plans are taken."""
COLUMNS = 6
"""Number of goals with a column: the likeliest."""
NEXT = 4
"""Number of predicted actions."""


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


def watch_observations(
    watching: "Recogniser", events: "Sequence[Event]", console: Screen | None, delay: float
) -> list[Moment]:
    """Feed all observations to the recogniser; on a terminal, show a table that grows."""
    moments: list[Moment] = []
    live = Live(console=console, auto_refresh=False) if console is not None and console.is_terminal else None
    with live or nullcontext():
        for event in events:
            start, each = time.perf_counter(), event.observation
            watching.observe(each, confidence=event.confidence)
            goals = watching.goals()
            seconds = time.perf_counter() - start
            likely = watching.log_probability if watching.is_explained else None
            certainty = watching.bound, watching.method
            moments.append(Moment(str(each), goals, *certainty, watching.forest_count, likely, seconds))
            if live is not None:
                live.update(table(moments, live.console.width, live.console.height - 6), refresh=True)
                time.sleep(delay)
    if console is not None and live is None:
        console.print(table(moments, console.width))
    return moments


def table(moments: Sequence[Moment], width: int, most: int | None = None) -> RenderableType:
    """A row for every observation, a column for every goal; only the last rows if there are many.

    Names are shortened, and fewer goals shown, so that headings fit *width*.
    """
    last = moments[-1].goals
    most_ever = {goal: max(moment.goals[goal] for moment in moments) for goal in last}
    ranked = sorted(last, key=lambda goal: (-last[goal], -most_ever[goal]))[:COLUMNS]
    seen = min(max(len(moment.observation) for moment in moments), 30)
    room = width - seen - len(str(len(moments))) - 32  # of the other columns, with the gaps between them
    chosen, letters = fitting_columns([len(goal) for goal in ranked], room)
    shown = [goal for goal in last if goal in ranked[:chosen]]
    found = plain_table()
    found.add_column("", justify="right", style="dim")
    found.add_column("seen", overflow="fold", min_width=seen)
    for goal in shown:
        name = goal if len(goal) <= letters else f"{goal[: letters - 1]}…"
        found.add_column(Text(name), justify="right", min_width=6, no_wrap=True)
    for heading in ("kept", "bound", "ms"):
        found.add_column(heading, justify="right", style="dim")
    for number, moment in list(enumerate(moments, 1))[-max(most, 3) if most else 0 :]:
        cells = [Text("–" if moment.log_probability is None else f"{moment.goals[goal]:.1%}") for goal in shown]
        bound = "0" if moment.method == "exact" else f"± {moment.bound:.1g}"
        found.add_row(
            str(number), Text(moment.observation), *cells, str(moment.kept), bound, f"{moment.seconds * 1e3:.1f}"
        )
    left_out = len(last) - len(shown)
    words = "1 goal less likely is" if left_out == 1 else f"{left_out} goals less likely are"
    note = [Text(f"{words} not shown", style="dim")] if left_out else []
    return Group(found, *note)


def fitting_columns(lengths: Sequence[int], room: int, gap: int = 3, least: int = 8) -> tuple[int, int]:
    """How many of the first names fit side by side, and how many letters each may have: *least*, or more."""
    for count in range(len(lengths), 1, -1):
        letters = room // count - gap
        if letters >= min(max(lengths[:count]), least):
            free = room - sum(max(min(length, letters), 6) + gap for length in lengths[:count])
            return count, letters + max(0, free // max(1, sum(length > letters for length in lengths[:count])))
    return 1, max(room - gap, 6)


def explanations_and_question(watching: "Recogniser", most: int, ask: bool) -> "tuple[list[Explanation], str | None]":
    """The likeliest explanations and the most informative question, if asked for."""
    from kibitz.models.plans.answers.explanations import explanations
    from kibitz.models.plans.answers.queries import best_question

    if not watching.trees:
        return [], None
    question = best_question(explanations(watching, ASKED)) if ask else None
    return explanations(watching, most), None if question is None else str(question)


def draw(path: Path | None, plans: "PlanLibrary", found: "Sequence[Explanation] | None" = None) -> None:
    """Draw the likeliest explanation, or the library if there is none."""
    from kibitz.core.drawing import svg
    from kibitz.core.files import write_file
    from kibitz.models.plans.answers.pictures import draw_explanation, draw_library

    if path is not None:
        write_file(path, svg(draw_explanation(plans, found[0]) if found else draw_library(plans), scale=40.0))


def summary(
    watching: "Recogniser", moments: Sequence[Moment], found: "tuple[list[Explanation], str | None]", most: int
) -> dict[str, Any]:
    """All results, ready for JSON."""
    from kibitz.models.plans.answers.explanation_trees import tree_nodes

    return {
        "library": watching.library.name,
        "meaning": watching.story.meaning,
        "explained": watching.is_explained,
        "method": watching.method,
        "goals": moments[-1].goals,
        "intervals": watching.intervals(),
        "instances": instance_data(watching),
        "next": {str(each): share for each, share in watching.next_observations().items()}
        if watching.is_explained
        else {},
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
            for each in found[0][:most]
        ],
        "question": found[1],
    }


def plan_data(watching: "Recogniser") -> dict[str, Any]:
    """The probability of each plan that was begun, over the likeliest explanations, and what share these have."""
    covered, shares = begun_plans(watching)
    return {"covered": covered, "probabilities": {str(instance): share for instance, share in shares.items()}}


def begun_plans(watching: "Recogniser") -> "tuple[float, dict[Instance, float]]":
    """The share of the likeliest explanations, and over these the probability of each plan that was begun."""
    from kibitz.models.plans.answers.explanations import explanations, plan_probabilities

    every = explanations(watching, PLANS)
    return sum(each.probability for each in every), plan_probabilities(every)


def plans_text(watching: "Recogniser") -> str:
    """The likeliest plans below the goals that were begun, in words."""
    covered, shares = begun_plans(watching)
    below = [(plan, share) for plan, share in shares.items() if plan.plan not in watching.library.goals]
    words = ", ".join(f"{plan} {share:.0%}" for plan, share in below[:COLUMNS]) or "none"
    return f"plans begun: {words}" + (f" (of explanations with {covered:.0%})" if covered < 0.995 else "")


def instance_data(watching: "Recogniser") -> list[dict[str, Any]]:
    """The goals with the values of their parameters, the likeliest first."""
    found = []
    for instance, share in watching.instances().items():
        names = watching.library.plans[instance.plan].parameters
        known = {name: value for name, value in zip(names, instance.values, strict=True) if value is not None}
        found.append({"goal": instance.plan, "bindings": known, "probability": share})
    return found


def show_files(console: Screen, plans: "PlanLibrary", paths: Sequence[Path], *, json: bool) -> None:
    """Print which files were written for a library without observations."""
    if json:
        sizes = {"plans": len(plans.plans), "actions": len(plans.actions), "rules": len(plans.rules)}
        print(
            msgspec.json.encode(
                {"library": plans.name, "goals": plans.goals, **sizes, "written": list(map(str, paths))}
            ).decode()
        )
    else:
        console.print(f"written: {', '.join(map(str, paths))}", markup=False, soft_wrap=True)


def show_end(
    console: Screen,
    watching: "Recogniser",
    moments: Sequence[Moment],
    found: "Sequence[Explanation]",
    question: str | None,
) -> None:
    """Print the final beliefs in words."""
    console.print()
    if not watching.is_explained:
        console.print(unexplained_text(watching, moments), style="yellow", markup=False, soft_wrap=True)
        return
    ranked = sorted(watching.goals().items(), key=lambda item: -item[1])[:COLUMNS]
    intervals = {} if watching.method == "exact" else watching.intervals()
    grid = plain_table()
    for heading in ("goal", "", ""):
        grid.add_column(heading)
    instances = [pair for pair in watching.instances().items() if any(value is not None for value in pair[0].values)]
    for goal, share in ranked:
        low, high = intervals.get(goal, (share, share))
        words = f"{share:.1%}, {low:.1%} to {high:.1%}" if intervals else f"{share:.1%}"
        grid.add_row(Text(watching.library.plans[goal].title or goal), bar(share), words)
        for instance, own in [pair for pair in instances if pair[0].plan == goal][:NEXT]:
            grid.add_row(Text(f"  {instance}"), bar(own), f"{own:.1%}")
    console.print(grid)
    if intervals:
        note = f"approximate: the beam of {watching.beam} dropped explanations; the intervals hold the exact values"
        console.print(note, style="dim", soft_wrap=True)
    expected = list(watching.next_observations().items())[:NEXT]
    words = ", ".join(f"{each} {share:.0%}" for each, share in expected) or "nothing; everything is done"
    console.print(f"next, if anything: {words}", markup=False, soft_wrap=True)
    for each in found:
        words = each.words(watching.library, watching.observations)
        console.print(f"{'' if each.exact else '≥ '}{each.probability:.1%}  {words}", markup=False, soft_wrap=True)
    if found:
        console.print(plans_text(watching), markup=False, soft_wrap=True)
    if question is not None:
        console.print(f"ask: {question}", markup=False, soft_wrap=True)


def unexplained_text(watching: "Recogniser", moments: Sequence[Moment]) -> str:
    """The observation that nothing explains, and the options that might help."""
    from kibitz.models.plans.library import NOISE

    if watching.bound:
        return "the beam dropped every explanation; widen it with --beam"
    first = max((n for n, each in enumerate(moments, 1) if each.log_probability is not None), default=0)
    story, roots = watching.story, watching.most_roots
    possible = sum(map(story.most, watching.library.goals))
    allowed = {
        "noise actions (--noise 0.05)": NOISE in watching.library.goals or story.slip > 0.0,
        "unseen actions (--miss 0.05)": story.miss > 0.0,
        f"goals more than once (--instances {story.instances + 1})": story.instances > 1 or len(moments) == 1,
        f"more goals (--roots {roots + 1})": roots >= min(possible, len(moments)),
    }
    left = [what for what, already in allowed.items() if not already]
    advice = f"consider allowing {', '.join(left)}" if left else "the library may lack a goal or a rule"
    after = ", after those before it" if first else ""
    return f"no goals explain observation {first + 1}, {moments[first].observation}{after}; {advice}"
