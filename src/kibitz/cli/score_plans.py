"""`kibitz score-plans`: scores plan recognition on traces whose goals are known."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer
from rich.table import Table

from kibitz.cli.console import Screen, plain_table
from kibitz.cli.options import JsonOption
from kibitz.cli.recognize import BEAM, MOST, check_shares, chosen_story
from kibitz.core.errors import BadPlan

if TYPE_CHECKING:
    from kibitz.arena.scoring.plan_scores import PlanScores
    from kibitz.arena.statistics.estimates import Estimate
    from kibitz.models.plans.formats.traces import LibraryTrace
    from kibitz.models.plans.recogniser import Recogniser


def score_plans(
    library: Annotated[str, typer.Argument(metavar="LIBRARY", help="A file as text, XML or Lisp, or: cooking.")],
    cases: Annotated[
        list[Path] | None,
        typer.Argument(metavar="CASES", help="Files or folders of traces with goals. Cases in Lisp hold their own."),
    ] = None,
    most_cases: Annotated[
        int | None, typer.Option("--cases", "-n", metavar="N", min=1, help="Score only the first N.")
    ] = None,
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
    noise: Annotated[float, typer.Option("--noise", metavar="P", help="Prior of a noise action.")] = 0.0,
    slip: Annotated[
        float, typer.Option("--slip", metavar="P", help="Probability that an action serves no goal.")
    ] = 0.0,
    miss: Annotated[float, typer.Option("--miss", metavar="P", help="Probability that an action goes unseen.")] = 0.0,
    abandon: Annotated[
        float, typer.Option("--abandon", metavar="P", help="Abandon a goal when its silence has probability below P.")
    ] = 0.0,
    beam: Annotated[int, typer.Option("--beam", metavar="N", min=1, help="Maximum explanations to keep.")] = BEAM,
    json: JsonOption = False,
) -> None:
    """Score plan recognition on traces whose goals are known: how often right, how early, and how sure.

    Examples:

      kibitz score-plans 1-5-2-3-2-random.txt

      kibitz score-plans folder-of-lisp-cases --instances 2

      kibitz score-plans shed.plans traces.txt --noise 0.05

      kibitz score-plans domain.xml traces.jsonl more-traces --roots 2 --json

    A trace is a line `trace` with its goals, then one action a line; or a line of JSON with goals and observations;
    or a file of observations beside a file of the same name that ends in .gold.xml.
    """
    from kibitz.arena.scoring.plan_scores import plan_scores
    from kibitz.cli.tables import ProgressDisplay
    from kibitz.models.plans.formats.traces import read_library_traces
    from kibitz.models.plans.recogniser import Recogniser

    check_shares(noise=noise, slip=slip, miss=miss, abandon=abandon)
    traces = with_goals(read_library_traces(library, cases or (), strange=noise + slip > 0.0), cases or [Path(library)])
    options: dict[str, Any] = {"meaning": meaning, "instances": instances, "depth": depth}
    options |= {"slip": slip, "miss": miss, "abandon": abandon}

    def recogniser(each: "LibraryTrace") -> "Recogniser":
        plans = each.library
        if noise:
            plans = plans.with_noise(noise, (observation.action for observation in each.trace.observations))
        return Recogniser(plans, chosen_story(len(each.trace.observations), roots, **options), beam=beam)

    with ProgressDisplay(len(traces[:most_cases]), what="traces", quiet=json) as watch:
        scores = plan_scores(traces[:most_cases], recogniser, watch.advance)
    if json:
        print(msgspec.json.encode(scores).decode())
        return
    show(Screen(highlight=False), scores)


def with_goals(traces: "list[LibraryTrace]", sources: list[Path]) -> "list[LibraryTrace]":
    """The traces; BadPlan if the goals of one are unknown."""
    for each in traces:
        if not each.trace.goals:
            raise BadPlan(each.source or sources[0], "its true goals are not given, so there is nothing to score")
    return traces


def show(console: Screen, scores: "PlanScores") -> None:
    """Print the figures by share observed, then those of whole traces."""
    console.print(f"{scores.traces} traces, {scores.observations} observations", style="bold")
    goals = [("top-1", "top_1"), ("log loss", "log_loss"), ("named", "named")]
    console.print(steps_table(scores, [*goals, ("precision", "precision"), ("recall", "recall")]))
    if any(step.parameter_recall is not None for step in scores.steps):
        console.print()
        parameters = [("precision of parameters", "parameter_precision"), ("recall", "parameter_recall")]
        console.print(steps_table(scores, parameters))
    console.print()
    rows = {
        "calibration error (ECE)": scores.calibration.error,
        "right at the end": scores.converged,
        "of these, share seen until the answer stayed": scores.convergence_point,
        "changes of the likeliest goal": scores.changes,
    }
    for words, each in rows.items():
        console.print(f"{words}: {figure_text(each)}", markup=False, soft_wrap=True)
    if scores.unexplained:
        words = f"{scores.unexplained} traces have no explanation; --noise 0.05 or --miss 0.05 may help"
        console.print(words, style="yellow", soft_wrap=True)
    kept = "all exact"
    if scores.approximate:
        kept = f"{scores.approximate} traces approximate, with probabilities known to ± {scores.error:.1g} at worst"
    median, most = scores.milliseconds_per_observation, scores.slowest_milliseconds
    pace = f"{median:.2g} ms per observation (median), {most:.2g} at most"
    console.print(f"{kept}; {pace}", style="dim", soft_wrap=True)


def steps_table(scores: "PlanScores", columns: list[tuple[str, str]]) -> Table:
    """Some figures, a row for each share of the observations."""
    table = plain_table()
    for heading in ("seen", *(heading for heading, _ in columns)):
        table.add_column(heading, justify="right", no_wrap=True)
    for step in scores.steps:
        table.add_row(f"{step.share:.0%}", *(figure_text(getattr(step, name)) for _, name in columns))
    return table


def figure_text(held: "Estimate | None") -> str:
    """A figure with half the width of its interval."""
    if held is None:
        return "–"
    half = (held.high - held.low) / 2
    return f"{held.mean:.2f} ± {half:.2f}" if isfinite(half) else f"{held.mean:.2f}"
