"""`kibitz score-plans`: scores plan recognition on traces whose goals are known."""

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Annotated

from rich.text import Text

from kibitz.cli.console import Part, Table, bold, dim
from kibitz.cli.options import Argument, Positive, TableCommand
from kibitz.core.errors import BadPlan
from kibitz_lab.arena.scoring.plan_scores import PlanScores, plan_scores
from kibitz_lab.arena.statistics.intervals import Estimate
from kibitz_lab.cli.options import PlanOptions
from kibitz_lab.cli.recognize import BEAM, Library, Meaning
from kibitz_lab.cli.runs import ProgressDisplay
from kibitz_lab.plans.formats.traces import LibraryTrace, read_library_traces
from kibitz_lab.plans.recogniser import Recogniser


class ScorePlansCommand(TableCommand, frozen=True):
    """Score plan recognition on traces with known goals: how often right, how early, and how sure.

    Examples:
      kibitz score-plans 1-5-2-3-2-random.txt
      kibitz score-plans folder-of-lisp-cases --instances 2
      kibitz score-plans shed.plans traces.txt --noise 0.05
      kibitz score-plans domain.xml traces.jsonl more-traces --roots 2 --json

    A trace is a line `trace` with its goals, then one action a line; or a line of JSON with goals and observations;
    or a file of observations beside a file of the same name that ends in .gold.xml.
    """

    library: Library
    cases: Argument[tuple[Annotated[Path, "CASES"], ...]] = ()
    """Files or folders of traces with goals. Cases in Lisp hold their own."""
    most_cases: Annotated[Positive | None, "--cases", "-n"] = None
    """Score only the first N."""
    meaning: Meaning = "frontier"
    plans: PlanOptions = PlanOptions()
    beam: Positive = BEAM
    """Maximum explanations to keep."""

    def execute(self) -> None:
        noise, assumptions = self.plans.noise, self.plans.assumptions
        traces = read_library_traces(self.library, self.cases, lenient=noise + self.plans.slip > 0.0)
        check_goals(traces, self.cases or [Path(self.library)])

        def recogniser(each: LibraryTrace) -> Recogniser:
            plans, seen = each.library, each.trace.observations
            if noise:
                plans = plans.with_noise(noise, (observation.action for observation in seen))
            return Recogniser(plans, assumptions(len(seen), meaning=self.meaning), beam=self.beam)

        chosen = traces[: self.most_cases]
        with ProgressDisplay(len(chosen), what="traces", quiet=self.json or self.csv) as watch:
            scores = plan_scores(chosen, recogniser, watch.advance)
        self.show(scores, score_parts(scores))


def check_goals(traces: Sequence[LibraryTrace], sources: Sequence[Path]) -> None:
    """Raise BadPlan if the goals of a trace are unknown."""
    for each in traces:
        if not each.trace.goals:
            raise BadPlan(each.source or sources[0], "its true goals are not given, so there is nothing to score")


def score_parts(scores: PlanScores) -> Iterator[Part]:
    """The figures by share observed, then those of whole traces."""
    yield bold(f"{scores.traces} traces, {scores.observations} observations")
    goals = [("top-1", "top_1"), ("log loss", "log_loss"), ("named", "named")]
    yield steps_table(scores, [*goals, ("precision", "precision"), ("recall", "recall")])
    if any(step.figures["parameter_recall"] is not None for step in scores.steps):
        yield ""
        yield steps_table(scores, [("precision of parameters", "parameter_precision"), ("recall", "parameter_recall")])
    yield ""
    rows = {
        "calibration error (ECE)": scores.calibration.error,
        "right at the end": scores.converged,
        "of these, share seen until the answer stayed": scores.convergence_point,
        "changes of the likeliest goal": scores.changes,
    }
    for words, each in rows.items():
        yield f"{words}: {figure_text(each)}"
    if scores.unexplained:
        words = f"{scores.unexplained} traces have no explanation; --noise 0.05 or --miss 0.05 may help"
        yield Text(words, style="yellow")
    kept = "all exact"
    if scores.approximate:
        kept = f"{scores.approximate} traces approximate, with probabilities known to ± {scores.error:.1g} at worst"
    median, most = scores.milliseconds_per_observation, scores.slowest_milliseconds
    yield dim(f"{kept}; {median:.2g} ms per observation (median), {most:.2g} at most")


def steps_table(scores: PlanScores, columns: list[tuple[str, str]]) -> Table:
    """Some figures, a row for each share of the observations."""
    rows = ((f"{step.share:.0%}", *(figure_text(step.figures[name]) for _, name in columns)) for step in scores.steps)
    return Table(("seen", *(heading for heading, _ in columns)), rows)


def figure_text(held: Estimate | None) -> str:
    """A figure with half the width of its interval."""
    if held is None:
        return "–"
    half = (held.high - held.low) / 2
    return f"{held.mean:.2f} ± {half:.2f}" if isfinite(half) else f"{held.mean:.2f}"
