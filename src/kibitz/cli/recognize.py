"""`kibitz recognize`: infers the goals behind observed actions, given a plan library."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from kibitz.cli.console import Screen, warn
from kibitz.cli.options import DelayOption, JsonOption
from kibitz.cli.recognize_results import (
    draw,
    explanations_and_question,
    show_end,
    show_files,
    summary,
    watch_observations,
)
from kibitz.core.errors import BadPlan, BadSpec

if TYPE_CHECKING:
    from kibitz.models.plans.assumptions import Assumptions
    from kibitz.models.plans.formats.lisp_form import Case
    from kibitz.models.plans.library import Event, PlanLibrary

BEAM = 10_000
STREAM_BEAM, STREAM_ROOTS = 100, 10
"""The most explanations and goals in a stream, unless given."""
MOST = 100
"""The largest number of goals, instances and levels."""
UNEXPLAINED = 1
"""The exit status when no explanation fits the observations."""


def recognize(
    library: Annotated[str, typer.Argument(metavar="LIBRARY", help="A file as text, XML or Lisp, or: cooking.")],
    observations: Annotated[
        Path | None,
        typer.Argument(
            metavar="OBSERVATIONS", help="A file: one action a line, or XML; - for a stream. Cases hold their own."
        ),
    ] = None,
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
    ] = 0.05,
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
    if observations == STDIN:
        unfit: dict[str, object] = {
            "meaning": meaning != "frontier",
            "instances": instances > 1,
            "priors": priors != "product",
        }
        unfit |= {"slip": slip, "abandon": abandon, "explanations": explanations, "ask": ask, "delay": delay}
        check_stream(unfit | {"picture": picture, "write": write})
        told = StreamAssumptions(
            noise=noise or None, miss=miss, silent=silent, fade=fade, roots=roots or STREAM_ROOTS, depth=depth
        )
        raise typer.Exit(recognize_stream(plans, told, beam or STREAM_BEAM, json=json))
    if write is not None:
        write_library(write, plans)
    events = (
        list(map(Event, held.observations)) if observations is None else read_events(observations, plans, strange=True)
    )
    if any(each.time is not None for each in events) and any(rule.duration or rule.timeout for rule in plans.rules):
        warn("durations and timeouts only count in streams: kibitz recognize LIBRARY - < OBSERVATIONS")
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
    kept = beam or BEAM
    watching = Recogniser(plans, story, beam=kept, trees=bool(explanations or ask or picture))
    moments = watch_observations(watching, events, None if json else console, delay or 0.0)
    found = explanations_and_question(watching, max(explanations, 1 if picture else 0), ask)
    draw(picture, plans, found[0])
    if json:
        print(msgspec.json.encode(summary(watching, moments, found, explanations)).decode())
    else:
        show_end(console, watching, moments, found[0][:explanations], found[1])
    if not watching.is_explained:
        raise typer.Exit(UNEXPLAINED)


def check_stream(unfit: Mapping[str, object]) -> None:
    """Require that a stream was asked for with options that it has."""
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
