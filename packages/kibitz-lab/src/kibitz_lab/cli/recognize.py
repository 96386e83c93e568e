"""`kibitz recognize`: infers the goals behind observed actions, given a plan library."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer

from kibitz.cli.console import Screen, busy, warn
from kibitz.cli.options import Argument, Positive, Probability, TableCommand, Written
from kibitz.core.errors import BadPlan, BadSpec
from kibitz_lab.cli.options import PlanOptions
from kibitz_lab.cli.recognize_results import (
    draw,
    end_parts,
    explanations_and_question,
    moments_table,
    observe_all,
    summary,
)
from kibitz_lab.cli.recognize_stream import STDIN, recognize_stream
from kibitz_lab.plans.formats.files import check_ending, read_cases, read_events, write_library
from kibitz_lab.plans.formats.lisp_form import Case
from kibitz_lab.plans.library import Event, PlanLibrary
from kibitz_lab.plans.recogniser import Recogniser
from kibitz_lab.plans.stream import StreamAssumptions

BEAM = 10_000
STREAM_BEAM, STREAM_ROOTS = 100, 10
"""The most explanations and goals in a stream, unless given."""
UNEXPLAINED = 1
"""The exit status when no explanation fits the observations."""
Library = Argument[Annotated[str, "LIBRARY", msgspec.Meta(description="A file as text, XML or Lisp, or: cooking.")]]
Meaning = Annotated[Literal["frontier", "leaves"], msgspec.Meta(description="What is pending: open nodes, or actions.")]


class RecognizeCommand(TableCommand, frozen=True):
    """Recognise plans: which goals explain the observations, and what comes next.

    Examples:
      kibitz recognize cooking seen.txt
      kibitz recognize domain.xml observations.xml --depth 4 --beam 1000 --json
      kibitz recognize cases.txt --case 3 --explanations 2 --picture why.svg
      tail -f log.jsonl | kibitz recognize net.plans - --json

    The exit status is 1 if no goals explain the observations.
    """

    library: Library
    observations: Argument[Annotated[Path | None, "OBSERVATIONS"]] = None
    """A file: one action a line, or XML; - for a stream. Cases hold their own."""
    case: Positive = 1
    """Number of the case in a Lisp file."""
    meaning: Meaning = "frontier"
    plans: PlanOptions = PlanOptions()
    priors: Literal["product", "odds"] = "product"
    """How priors of several goals combine."""
    silent: Annotated[int, msgspec.Meta(ge=0, le=10)] = 1
    """Maximum unseen actions in a row."""
    fade: Probability = 0.05
    """In a stream: weight an idle goal loses per event."""
    beam: Positive | None = None
    """Maximum explanations to keep (10,000; in a stream 100)."""
    explanations: Annotated[int, "-e", msgspec.Meta(ge=0)] = 0
    """Print the N likeliest explanations."""
    ask: bool = False
    """Print the most informative question."""
    picture: Annotated[Written | None, "FILE.svg"] = None
    """Draw the likeliest explanation, or the library."""
    write: Written | None = None
    """Write the library: .plans, .txt, .xml or .lisp."""

    def execute(self) -> None:
        if self.picture is not None and self.picture.suffix.lower() != ".svg":
            raise BadSpec(f"--picture {self.picture}", "pictures are drawn as SVG; name a file that ends in .svg")
        if self.write is not None:
            check_ending(self.write)
        case = chosen_case(self.library, self.case)
        plans = case.library
        if self.observations == STDIN:
            unfit = "meaning instances priors slip abandon explanations ask picture write"
            self.refuse(unfit, "it is for observations that end; leave it out for a stream")
            raise typer.Exit(
                recognize_stream(plans, stream_assumptions(self), self.beam or STREAM_BEAM, json=self.json)
            )
        if self.write is not None:
            write_library(self.write, plans)
        events = list(map(Event, case.observations))
        if self.observations is not None:
            events = read_events(self.observations, plans, lenient=True)
        if any(each.time is not None for each in events) and any(rule.duration or rule.timeout for rule in plans.rules):
            warn("durations and timeouts only count in streams: kibitz recognize LIBRARY - < OBSERVATIONS")
        if events:
            recognize_events(plans, events, self)
            return
        if self.write is None and self.picture is None:
            raise BadPlan(self.library, "it holds no observations; add a file of observations after it")
        draw(self.picture, plans)
        written = [str(path) for path in (self.write, self.picture) if path is not None]
        sizes = {"plans": len(plans.plans), "actions": len(plans.actions), "rules": len(plans.rules)}
        report = {"library": plans.name, "goals": plans.goals, **sizes, "written": written}
        self.show(report, [f"written: {', '.join(written)}"])


def stream_assumptions(options: RecognizeCommand) -> StreamAssumptions:
    """The assumptions about a stream."""
    plans = options.plans
    return StreamAssumptions(
        noise=plans.noise or None,
        miss=plans.miss,
        silent=options.silent,
        fade=options.fade,
        roots=plans.roots or STREAM_ROOTS,
        depth=plans.depth,
    )


def recognize_events(plans: PlanLibrary, events: Sequence[Event], options: RecognizeCommand) -> None:
    """Explain observations that end, as they come."""
    if options.plans.noise:
        plans = plans.with_noise(options.plans.noise, (each.observation.action for each in events))
    assumptions = options.plans.assumptions(
        len(events),
        meaning=options.meaning,
        priors=options.priors,
        silent=options.silent,
        slip=options.plans.slip or slip_rate(plans, events),
    )
    trees = bool(options.explanations or options.ask or options.picture)
    watching = Recogniser(plans, assumptions, beam=options.beam or BEAM, trees=trees)
    with busy("recognising", quiet=options.json or options.csv):
        moments = observe_all(watching, events)
    most = options.explanations
    found, question = explanations_and_question(watching, max(most, 1 if options.picture else 0), options.ask)
    draw(options.picture, plans, found)
    parts = [moments_table(moments, Screen().width), *end_parts(watching, moments, found[:most], question)]
    options.show(summary(watching, moments, found, most, question) if options.json else None, parts)
    if not watching.is_explained:
        raise typer.Exit(UNEXPLAINED)


def slip_rate(plans: PlanLibrary, events: Sequence[Event]) -> float:
    """The share of observations that serve no goal because the library does not have them, with a warning."""
    unknown = [each.observation.action for each in events if each.observation.action not in plans.actions]
    if not unknown:
        return 0.0
    rate = (len(unknown) + 0.5) / (len(events) + 1.0)
    what = "1 observation serves" if len(unknown) == 1 else f"{len(unknown)} observations serve"
    warn(f"{plans.unknown_action_text(unknown[0])}; {what} no goal, so others may too (--slip {rate:.2g})")
    return rate


def chosen_case(library: str, number: int) -> Case:
    """The case with the given number."""
    cases = read_cases(library)
    if number > len(cases):
        raise BadSpec(f"--case {number}", f"the last case of {library} is {len(cases)}")
    return cases[number - 1]
