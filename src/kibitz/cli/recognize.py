"""`kibitz recognize`: what somebody is up to, from a plan library and what was seen of him."""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from kibitz.cli.options import DelayOption, JsonOption
from kibitz.cli.screen import Screen, bar, plain_table
from kibitz.core.errors import BadSpec
from kibitz.core.schemas import converted

if TYPE_CHECKING:
    from kibitz.models.plans.explanations import Explanation
    from kibitz.models.plans.library import Observation
    from kibitz.models.plans.lisp_form import Case
    from kibitz.models.plans.recogniser import Recogniser
    from kibitz.models.plans.story import Story

BEAM = 10_000
COLUMNS = 6
"""Goals that have a column; of more the likeliest are shown."""
NEXT = 4
"""Actions that are foretold."""


class Moment(msgspec.Struct):
    """What was believed after an observation."""

    observation: str
    goals: dict[str, float]
    bound: float
    kept: int
    log_probability: float | None
    seconds: float


def recognize(
    library: Annotated[str, typer.Argument(metavar="LIBRARY", help="A file as text, XML or Lisp, or: cooking.")],
    observations: Annotated[
        Path | None,
        typer.Argument(metavar="OBSERVATIONS", help="A file, one action a line or XML; a case has its own."),
    ] = None,
    case: Annotated[int, typer.Option("--case", metavar="N", min=1, help="Which case of a file in Lisp.")] = 1,
    meaning: Annotated[
        str, typer.Option("--meaning", metavar="WHAT", help="Pending are: frontier or leaves.")
    ] = "frontier",
    instances: Annotated[int, typer.Option("--instances", metavar="N", help="How often a goal may occur.")] = 1,
    roots: Annotated[int | None, typer.Option("--roots", metavar="N", help="Goals at a time, at most.")] = None,
    depth: Annotated[int | None, typer.Option("--depth", metavar="N", help="A bound for recursive plans.")] = None,
    noise: Annotated[float, typer.Option("--noise", metavar="P", help="Prior of actions to no end.")] = 0.0,
    miss: Annotated[float, typer.Option("--miss", metavar="P", help="How likely an action is not seen.")] = 0.0,
    abandon: Annotated[
        float, typer.Option("--abandon", metavar="P", help="Goals idle so unlikely are given up.")
    ] = 0.0,
    beam: Annotated[int, typer.Option("--beam", metavar="N", min=1, help="Explanations kept at most.")] = BEAM,
    explanations: Annotated[
        int, typer.Option("--explanations", "-e", metavar="N", min=0, help="Tell the N likeliest explanations.")
    ] = 0,
    ask: Annotated[bool, typer.Option("--ask", help="Say which question would tell most.")] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE.svg", help="Draw the likeliest explanation, or the library."),
    ] = None,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="Write the library: .plans, .xml or .lisp.")
    ] = None,
    delay: DelayOption = None,
    json: JsonOption = False,
) -> None:
    """Recognise plans: which goals explain what was seen, and what comes next.

    Examples:

      kibitz recognize cooking seen.txt

      kibitz recognize domain.xml observations.xml --depth 4 --beam 1000 --json

      kibitz recognize cases.txt --case 3 --explanations 2 --picture why.svg
    """
    from kibitz.core.files import check_writable
    from kibitz.models.plans.files import read_observations, write_library
    from kibitz.models.plans.recogniser import Recogniser

    story = chosen_story(
        meaning=meaning, instances=instances, roots=roots, depth=depth, miss=miss, abandon=abandon, noise=noise
    )
    for path in (picture, write):
        if path is not None:
            check_writable(path)
    held = chosen_case(library, case)
    plans = held.library
    if write is not None:
        write_library(write, plans)
    seen = held.observations if observations is None else read_observations(observations, plans)
    console = Screen(highlight=False)
    if not seen:
        if write is None and picture is None:
            raise BadSpec("recognize", f"{library} has no observations of its own; name a file of them")
        draw(picture, plans)
        return
    if noise:
        plans = plans.with_noise(noise)
    watching = Recogniser(plans, story, beam=beam, trees=bool(explanations or ask or picture))
    moments = watched(watching, seen, None if json else console, delay or 0.0)
    found = told(watching, max(explanations, 1 if picture else 0), ask)
    draw(picture, plans, found[0])
    if json:
        print(msgspec.json.encode(summary(watching, moments, found, explanations)).decode())
        return
    show_end(console, watching, found[0][:explanations], found[1])


def chosen_story(noise: float, **options: Any) -> "Story":
    """What is assumed, as it was asked for."""
    from kibitz.models.plans.story import Story

    if not 0.0 <= noise < 1.0:
        raise BadSpec(f"--noise {noise:g}", "it is a probability from 0 up to 1, but not 1")
    return converted(options, Story, lambda found: BadSpec(f"--{found.where} {found.value}", found.why + found.remedy))


def chosen_case(library: str, number: int) -> "Case":
    """The case that was asked for."""
    from kibitz.models.plans.files import read_cases

    cases = read_cases(library)
    if number > len(cases):
        raise BadSpec(f"--case {number}", f"{library} holds {len(cases)}")
    return cases[number - 1]


def watched(
    watching: "Recogniser", seen: "Sequence[Observation]", console: Screen | None, delay: float
) -> list[Moment]:
    """Let the recogniser see everything, with a table that grows meanwhile on a terminal."""
    moments: list[Moment] = []
    live = Live(console=console, auto_refresh=False) if console is not None and console.is_terminal else None
    with live or nullcontext():
        for each in seen:
            start = time.perf_counter()
            watching.observe(each)
            goals = watching.goals()
            seconds = time.perf_counter() - start
            likely = watching.log_probability if watching.explained else None
            moments.append(Moment(str(each), goals, watching.bound, watching.kept, likely, seconds))
            if live is not None:
                live.update(table(moments, console.height - 6 if console is not None else None), refresh=True)
                time.sleep(delay)
    if console is not None and live is None:
        console.print(table(moments))
    return moments


def table(moments: Sequence[Moment], most: int | None = None) -> RenderableType:
    """A row for every observation, a column for every goal; of many rows the last."""
    last = moments[-1].goals
    most_ever = {goal: max(moment.goals[goal] for moment in moments) for goal in last}
    chosen = sorted(last, key=lambda goal: (-last[goal], -most_ever[goal]))[:COLUMNS]
    shown = [goal for goal in last if goal in chosen]
    found = plain_table()
    found.add_column("", justify="right", style="dim")
    found.add_column("seen", overflow="fold", min_width=min(max(len(moment.observation) for moment in moments), 30))
    for goal in shown:
        found.add_column(Text(goal, overflow="fold"), justify="right", min_width=5)
    for heading in ("kept", "dropped", "ms"):
        found.add_column(heading, justify="right", style="dim")
    for number, moment in list(enumerate(moments, 1))[-max(most, 3) if most else 0 :]:
        cells = [Text("–" if moment.log_probability is None else f"{moment.goals[goal]:.1%}") for goal in shown]
        bound = f"≤ {moment.bound:.1g}" if moment.bound else "0"
        found.add_row(
            str(number), Text(moment.observation), *cells, str(moment.kept), bound, f"{moment.seconds * 1e3:.1f}"
        )
    left_out = len(last) - len(shown)
    note = [Text(f"{left_out} goals less likely are not shown", style="dim")] if left_out else []
    return Group(found, *note)


def told(watching: "Recogniser", most: int, ask: bool) -> "tuple[list[Explanation], str | None]":
    """The likeliest explanations, and the question that would tell most, as far as they are wanted."""
    from kibitz.models.plans.explanations import explanations
    from kibitz.models.plans.queries import best_question

    if not watching.trees:
        return [], None
    question = best_question(explanations(watching)) if ask else None
    return explanations(watching, most), None if question is None else str(question)


def draw(path: Path | None, plans: Any, found: "Sequence[Explanation] | None" = None) -> None:
    """Draw the likeliest explanation, or the library where there is none."""
    from kibitz.core.drawing import svg
    from kibitz.core.files import write_file
    from kibitz.models.plans.pictures import draw_explanation, draw_library

    if path is not None:
        write_file(path, svg(draw_explanation(plans, found[0]) if found else draw_library(plans), scale=40.0))


def summary(
    watching: "Recogniser", moments: Sequence[Moment], found: "tuple[list[Explanation], str | None]", most: int
) -> dict[str, Any]:
    """Everything that was found, as JSON has it."""
    return {
        "library": watching.library.name,
        "meaning": watching.story.meaning,
        "explained": watching.explained,
        "goals": moments[-1].goals,
        "intervals": watching.intervals(),
        "next": watching.next_actions() if watching.explained else {},
        "moments": moments,
        "explanations": [
            {"probability": each.probability, "goals": each.goals, "trees": [root.shape() for root in each.roots]}
            for each in found[0][:most]
        ],
        "question": found[1],
    }


def show_end(console: Screen, watching: "Recogniser", found: "Sequence[Explanation]", question: str | None) -> None:
    """What is believed in the end, in words."""
    console.print()
    if not watching.explained:
        words = "no goals explain all of this; allow for it with --noise 0.05, --miss 0.05 or more --instances"
        console.print(words, style="yellow", markup=False, soft_wrap=True)
        return
    ranked = sorted(watching.goals().items(), key=lambda item: -item[1])[:COLUMNS]
    grid = plain_table()
    for heading in ("goal", "", ""):
        grid.add_column(heading)
    for goal, share in ranked:
        grid.add_row(Text(watching.library.plans[goal].title or goal), bar(share), f"{share:.1%}")
    console.print(grid)
    expected = list(watching.next_actions().items())[:NEXT]
    words = ", ".join(f"{action} {share:.0%}" for action, share in expected) or "nothing; everything is done"
    console.print(f"next: {words}", markup=False, soft_wrap=True)
    for each in found:
        console.print(f"{each.probability:.1%}  {each.words(watching.observations)}", markup=False, soft_wrap=True)
    if question is not None:
        console.print(f"ask: {question}", markup=False, soft_wrap=True)
