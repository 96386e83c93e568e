"""`kibitz recognize`: infers the goals behind observed actions, given a plan library."""

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from kibitz.cli.options import DelayOption, JsonOption
from kibitz.cli.screen import Screen, bar, plain_table, warn
from kibitz.core.errors import BadPlan, BadSpec

if TYPE_CHECKING:
    from kibitz.models.plans.assumptions import Assumptions
    from kibitz.models.plans.explanations import Explanation
    from kibitz.models.plans.formats.lisp_form import Case
    from kibitz.models.plans.library import Event, PlanLibrary
    from kibitz.models.plans.recogniser import Recogniser

BEAM = 10_000
STREAM_BEAM, STREAM_ROOTS = 100, 10
"""The most explanations and goals in a stream, unless given."""
MOST = 100
"""The largest number of goals, instances and levels."""
ASKED = 1_000
"""Number of likeliest explanations that a question should distinguish."""
PLANS = 200
"""Number of likeliest explanations from which the probabilities of plans are taken."""
UNEXPLAINED = 1
"""The exit status when no explanation fits the observations."""
COLUMNS = 6
"""Number of goals with a column: the likeliest."""
NEXT = 4
"""Number of predicted actions."""


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
        typer.Argument(
            metavar="OBSERVATIONS", help="A file: one action a line, or XML; - for a stream. Cases hold their own."
        ),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Read the file as a stream that goes on.")] = False,
    case: Annotated[int, typer.Option("--case", metavar="N", min=1, help="Number of the case in a Lisp file.")] = 1,
    meaning: Annotated[
        Literal["frontier", "leaves"], typer.Option("--meaning", help="What is pending: open nodes, or actions.")
    ] = "frontier",
    instances: Annotated[
        int, typer.Option("--instances", metavar="N", min=1, max=MOST, help="Maximum instances of one goal.")
    ] = 1,
    roots: Annotated[
        int | None,
        typer.Option("--roots", metavar="N", min=1, max=MOST, help="Maximum goals (default: one per observation)."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", min=1, max=MOST, help="A bound for recursive plans.")
    ] = None,
    priors: Annotated[
        Literal["product", "odds"], typer.Option("--priors", help="How priors of several goals combine.")
    ] = "product",
    noise: Annotated[
        float, typer.Option("--noise", metavar="P", help="Prior of a noise action; in a stream their share.")
    ] = 0.0,
    slip: Annotated[
        float, typer.Option("--slip", metavar="P", help="Probability that an action serves no goal.")
    ] = 0.0,
    miss: Annotated[float, typer.Option("--miss", metavar="P", help="Probability that an action goes unseen.")] = 0.0,
    silent: Annotated[
        int, typer.Option("--silent", metavar="N", min=0, max=10, help="Maximum unseen actions in a row.")
    ] = 1,
    abandon: Annotated[
        float, typer.Option("--abandon", metavar="P", help="Abandon a goal when its silence has probability below P.")
    ] = 0.0,
    fade: Annotated[
        float, typer.Option("--fade", metavar="P", help="In a stream: weight an idle goal loses per event.")
    ] = 0.02,
    beam: Annotated[
        int | None,
        typer.Option("--beam", metavar="N", min=1, help="Maximum explanations to keep (10,000; in a stream 100)."),
    ] = None,
    explanations: Annotated[
        int, typer.Option("--explanations", "-e", metavar="N", min=0, help="Print the N likeliest explanations.")
    ] = 0,
    ask: Annotated[bool, typer.Option("--ask", help="Print the most informative question.")] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE.svg", help="Draw the likeliest explanation, or the library."),
    ] = None,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="Write the library: .plans, .txt, .xml or .lisp.")
    ] = None,
    delay: DelayOption = None,
    json: JsonOption = False,
) -> None:
    """Recognise plans: which goals explain the observations, and what comes next.

    Examples:

      kibitz recognize cooking seen.txt

      kibitz recognize domain.xml observations.xml --depth 4 --beam 1000 --json

      kibitz recognize cases.txt --case 3 --explanations 2 --picture why.svg

      tail -f log.jsonl | kibitz recognize net.plans - --json

    The exit status is 1 if no goals explain the observations.
    """
    from kibitz.cli.recognize_stream import STDIN, recognize_stream
    from kibitz.models.plans.formats.files import read_events, write_library
    from kibitz.models.plans.library import Event
    from kibitz.models.plans.recogniser import Recogniser
    from kibitz.models.plans.stream import StreamAssumptions

    check_shares(noise=noise, slip=slip, miss=miss, abandon=abandon, fade=fade)
    check_files(picture, write)
    held = chosen_case(library, case)
    plans = held.library
    if follow or observations == STDIN:
        unfit: dict[str, object] = {
            "meaning": meaning != "frontier",
            "instances": instances > 1,
            "priors": priors != "product",
        }
        unfit |= {"slip": slip, "abandon": abandon, "explanations": explanations, "ask": ask, "delay": delay}
        check_stream(library, observations, unfit | {"picture": picture, "write": write})
        told = StreamAssumptions(
            noise=noise or None, miss=miss, silent=silent, fade=fade, roots=roots or STREAM_ROOTS, depth=depth
        )
        path = observations or STDIN
        raise typer.Exit(recognize_stream(plans, path, told, beam or STREAM_BEAM, follow=follow, json=json))
    if write is not None:
        write_library(write, plans)
    events = (
        list(map(Event, held.observations)) if observations is None else read_events(observations, plans, strange=True)
    )
    console = Screen(highlight=False)
    if not events:
        if write is None and picture is None:
            raise BadPlan(library, "it holds no observations; add a file of observations after it")
        draw(picture, plans)
        show_files(console, plans, [path for path in (write, picture) if path is not None], json=json)
        return
    if noise:
        plans = plans.with_noise(noise, (each.observation.action for each in events))
    story = chosen_story(
        len(events),
        meaning=meaning,
        instances=instances,
        roots=roots,
        depth=depth,
        priors=priors,
        miss=miss,
        silent=silent,
        slip=slip or slip_rate(plans, events),
        abandon=abandon,
    )
    watching = Recogniser(plans, story, beam=beam or BEAM, trees=bool(explanations or ask or picture))
    moments = watch_observations(watching, events, None if json else console, delay or 0.0)
    found = explanations_and_question(watching, max(explanations, 1 if picture else 0), ask)
    draw(picture, plans, found[0])
    if json:
        print(msgspec.json.encode(summary(watching, moments, found, explanations)).decode())
    else:
        show_end(console, watching, moments, found[0][:explanations], found[1])
    if not watching.is_explained:
        raise typer.Exit(UNEXPLAINED)


def check_stream(library: str, observations: Path | None, unfit: Mapping[str, object]) -> None:
    """Require that a stream was asked for with options that it has."""
    if observations is None:
        raise BadPlan(library, "name the file to follow after it")
    for name, given in unfit.items():
        if given:
            raise BadSpec(f"--{name}", "it is for observations that end; leave it out for a stream")


def slip_rate(plans: "PlanLibrary", events: "Sequence[Event]") -> float:
    """The share of observations that serve no goal because the library does not have them, with a warning."""
    unknown = [each.observation.action for each in events if each.observation.action not in plans.actions]
    if not unknown:
        return 0.0
    rate = (len(unknown) + 0.5) / (len(events) + 1.0)
    what = "1 observation serves" if len(unknown) == 1 else f"{len(unknown)} observations serve"
    warn(f"{plans.unknown_action_text(unknown[0])}; {what} no goal, so others may too (--slip {rate:.2g})")
    return rate


def check_shares(**shares: float) -> None:
    """Require probabilities."""
    for name, share in shares.items():
        if not 0.0 <= share < 1.0:
            raise BadSpec(f"--{name} {share:g}", "it is a probability: a number from 0 up to 1, but not 1")


def check_files(picture: Path | None, write: Path | None) -> None:
    """Check before the work that the output files can be written."""
    from kibitz.core.files import check_writable
    from kibitz.models.plans.formats.files import check_ending

    if picture is not None and picture.suffix.lower() != ".svg":
        raise BadSpec(f"--picture {picture}", "pictures are drawn as SVG; name a file that ends in .svg")
    if write is not None:
        check_ending(write)
    for path in (picture, write):
        if path is not None:
            check_writable(path)


def chosen_story(observations: int, roots: int | None, **options: Any) -> "Assumptions":
    """The assumptions: each observation, and the next action, may begin a goal, or two if some are missed."""
    from kibitz.models.plans.assumptions import Assumptions

    most = min((observations + 1) * (2 if options["miss"] else 1), MOST)
    return Assumptions(roots=most if roots is None else roots, noises=min(observations + 1, MOST), **options)


def chosen_case(library: str, number: int) -> "Case":
    """The case with the given number."""
    from kibitz.models.plans.formats.files import read_cases

    cases = read_cases(library)
    if number > len(cases):
        raise BadSpec(f"--case {number}", f"the last case of {library} is {len(cases)}")
    return cases[number - 1]


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
            moments.append(Moment(str(each), goals, watching.bound, watching.forest_count, likely, seconds))
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
    for heading in ("kept", "dropped", "ms"):
        found.add_column(heading, justify="right", style="dim")
    for number, moment in list(enumerate(moments, 1))[-max(most, 3) if most else 0 :]:
        cells = [Text("–" if moment.log_probability is None else f"{moment.goals[goal]:.1%}") for goal in shown]
        bound = f"≤ {moment.bound:.1g}" if moment.bound else "0"
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
    from kibitz.models.plans.explanations import explanations
    from kibitz.models.plans.queries import best_question

    if not watching.trees:
        return [], None
    question = best_question(explanations(watching, ASKED)) if ask else None
    return explanations(watching, most), None if question is None else str(question)


def draw(path: Path | None, plans: "PlanLibrary", found: "Sequence[Explanation] | None" = None) -> None:
    """Draw the likeliest explanation, or the library if there is none."""
    from kibitz.core.drawing import svg
    from kibitz.core.files import write_file
    from kibitz.models.plans.pictures import draw_explanation, draw_library

    if path is not None:
        write_file(path, svg(draw_explanation(plans, found[0]) if found else draw_library(plans), scale=40.0))


def summary(
    watching: "Recogniser", moments: Sequence[Moment], found: "tuple[list[Explanation], str | None]", most: int
) -> dict[str, Any]:
    """All results, ready for JSON."""
    from kibitz.models.plans.explanation_trees import tree_nodes

    return {
        "library": watching.library.name,
        "meaning": watching.story.meaning,
        "explained": watching.is_explained,
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
    from kibitz.models.plans.explanations import explanations, plan_probabilities

    every = explanations(watching, PLANS)
    shares = {str(instance): share for instance, share in plan_probabilities(every).items()}
    return {"covered": sum(each.probability for each in every), "probabilities": shares}


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
    grid = plain_table()
    for heading in ("goal", "", ""):
        grid.add_column(heading)
    for goal, share in ranked:
        grid.add_row(Text(watching.library.plans[goal].title or goal), bar(share), f"{share:.1%}")
        bound = [(each, own) for each, own in watching.instances().items() if each.plan == goal and any(each.values)]
        for instance, own in bound[:NEXT]:
            grid.add_row(Text(f"  {instance}"), bar(own), f"{own:.1%}")
    console.print(grid)
    expected = list(watching.next_observations().items())[:NEXT]
    words = ", ".join(f"{each} {share:.0%}" for each, share in expected) or "nothing; everything is done"
    console.print(f"next, if anything: {words}", markup=False, soft_wrap=True)
    for each in found:
        words = each.words(watching.library, watching.observations)
        console.print(f"{'' if each.exact else '≥ '}{each.probability:.1%}  {words}", markup=False, soft_wrap=True)
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
