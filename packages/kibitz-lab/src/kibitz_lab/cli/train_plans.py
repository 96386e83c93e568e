"""`kibitz train plans`: learns the probabilities of a plan library from traces."""

from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.text import Text

from kibitz.cli.console import Part, Table, bold, dim, warn
from kibitz.cli.options import Positive
from kibitz.core.errors import BadPlan, BadSpec
from kibitz.core.files import write_file
from kibitz.core.seeds import stream
from kibitz_lab.arena.statistics.intervals import Estimate, mean_interval
from kibitz_lab.arena.training import is_worse, kept_words
from kibitz_lab.cli.options import PlanOptions
from kibitz_lab.cli.runs import ProgressDisplay
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.formats.files import ENDING, check_ending, read_library, write_library
from kibitz_lab.plans.formats.text_form import text_of
from kibitz_lab.plans.formats.traces import Trace, files_of, read_traces
from kibitz_lab.plans.learning.learner import CLOSE, Losses, PlanLearner
from kibitz_lab.plans.library import PlanLibrary

if TYPE_CHECKING:
    from kibitz_lab.cli.train import TrainCommand

HELD_OUT = 5
"""One trace of so many is held out."""
SHOWN = 20
"""Most rules in the table: those that changed most; the file and `--json` have them all."""


class PlanTraining(msgspec.Struct, frozen=True):
    """What was learned: probabilities and rates, before and after, and the log loss per held-out observation."""

    library: str
    goals: dict[str, tuple[float, float]]
    rules: list[tuple[str, float, float]]
    rates: dict[str, tuple[float, float]]
    log_likelihoods: list[float]
    """Per observation, before each iteration."""
    traces: int
    held_out: int
    unexplained: int
    """Held-out traces without an explanation."""
    complete: bool
    """Whether traces counted as complete: they end when all is done."""
    before: Estimate
    after: Estimate
    gained: Estimate
    stopped: bool


class PlanTrainingOptions(PlanOptions, frozen=True):
    """The options of `kibitz train plans`: where learning starts; a probability of 0 stays 0."""

    traces: tuple[Annotated[Path, "PATH"], ...] = ()
    """A file or folder of traces; repeat for more."""
    beam: Positive = 1000
    """Maximum explanations to keep."""
    iterations: Positive = 50
    """Most iterations of EM."""
    cut: bool = False
    """Traces may end anywhere (default: at the end if all may)."""


def train_plans(asked: "TrainCommand", seed: int) -> None:
    """Learn a library from traces, print it beside what it was, and write it to a file; if it is worse, by force."""
    library, options, out = asked.library, asked.plans, asked.out
    if library is None:
        raise BadSpec("train plans", "name a plan library and traces: kibitz train plans LIBRARY --traces FILE")
    if out is not None:
        check_ending(out)
    first = read_library(library)
    lenient = options.noise + options.slip > 0.0
    files = (file for path in options.traces for file in files_of(path))
    read = [trace for file in files for trace in read_traces(file, first, lenient=lenient)]
    if len(read) < 2:
        raise BadPlan(options.traces[0], "it holds one trace; at least two are needed, one of them held out")
    order = stream(seed, "held-out traces").permutation(len(read)).tolist()
    held = max(1, len(read) // HELD_OUT)
    library_with_noise, assumptions = starting_point(first, read, options)
    learned_from = [read[n] for n in order[held:]]
    complete = False if options.cut else None
    learner = PlanLearner(library_with_noise, assumptions, learned_from, beam=options.beam, complete=complete)
    steps, stopped = iterate(learner, options.iterations, quiet=asked.json or asked.csv)
    losses = Losses.of(learner, [read[n] for n in order[:held]])
    found = result(library, first, learner, losses, steps, stopped=stopped)
    saved = None if is_worse(found.gained) and not asked.force else out
    if saved is not None:
        write_learned(saved, learner.estimate.plain_library(first), command(saved, learner, options), len(read) - held)
    asked.show(found, plan_parts(first, found, command(saved or Path(library), learner, options), saved))
    if out is not None and saved is None:
        warn(kept_words(out))
        raise typer.Exit(1)


def starting_point(
    first: PlanLibrary, read: Sequence[Trace], options: PlanTrainingOptions
) -> tuple[PlanLibrary, Assumptions]:
    """The library with noise if there may be some, and the assumptions."""
    more = {}
    if options.roots is None and not options.noise and all(trace.goals for trace in read):
        more["roots"] = max(len(trace.goals) for trace in read)
    assumptions = options.assumptions(max(len(trace.observations) for trace in read), **more)
    if options.noise:
        first = first.with_noise(options.noise, {each.action for trace in read for each in trace.observations})
    return first, assumptions


def iterate(learner: PlanLearner, most: int, *, quiet: bool) -> tuple[list[float], bool]:
    """Iterate until nothing is gained; Ctrl-C ends it with the best so far."""
    steps: list[float] = []
    total = learner.traces.total()
    try:
        for number in range(most):
            with ProgressDisplay(total, what=f"iteration {number + 1}", quiet=quiet) as watch:
                steps.append(learner.iterate(watch.advance))
            if len(steps) > 1 and abs(steps[-1] - steps[-2]) < CLOSE:
                break
    except KeyboardInterrupt:
        return steps, True
    return steps, False


def result(
    name: str, first: PlanLibrary, learner: PlanLearner, losses: Losses, steps: list[float], *, stopped: bool
) -> PlanTraining:
    """What was learned, before and after."""
    before, after = learner.begun_with, learner.estimate
    learned = after.plain_library(first)
    rates = {"noise": (before.noise, after.noise)}
    rates |= {
        key: (getattr(before.assumptions, key), getattr(after.assumptions, key)) for key in ("slip", "miss", "abandon")
    }
    return PlanTraining(
        library=name,
        goals={goal: (prior, learned.goals[goal]) for goal, prior in first.goals.items()},
        rules=[
            (f"{old.head} -> {' '.join(part.symbol for part in old.parts)}", old.probability, new.probability)
            for old, new in zip(first.rules, learned.rules, strict=True)
        ],
        rates={key: pair for key, pair in rates.items() if pair[0]},
        log_likelihoods=steps,
        traces=learner.traces.total(),
        held_out=len(losses.before) + losses.unexplained,
        unexplained=losses.unexplained,
        complete=learner.complete,
        before=mean_interval(losses.before).within((0.0, inf)),
        after=mean_interval(losses.after).within((0.0, inf)),
        gained=mean_interval(losses.before - losses.after),
        stopped=stopped,
    )


def command(path: Path, learner: PlanLearner, options: PlanTrainingOptions) -> str:
    """How to recognise plans with what was learned."""
    assumptions = learner.estimate.assumptions
    words = [f"kibitz recognize {path} OBSERVATIONS"]
    given = {
        "noise": learner.estimate.noise,
        "slip": assumptions.slip,
        "miss": assumptions.miss,
        "abandon": assumptions.abandon,
    }
    words += [f"--{name} {value:.3g}" for name, value in given.items() if value]
    words += [f"--instances {options.instances}"] if options.instances > 1 else []
    words += [f"--depth {options.depth}"] if options.depth else []
    return " ".join(words)


def write_learned(out: Path, learned: PlanLibrary, words: str, traces: int) -> None:
    """Write the library, as text with a comment that says how to use it."""
    if check_ending(out) == ENDING:
        write_file(out, f"# learned from {traces} traces; {words}\n{text_of(learned)}")
    else:
        write_library(out, learned)


def plan_parts(first: PlanLibrary, found: PlanTraining, words: str, out: Path | None) -> Iterator[Part]:
    """The held-out log loss, then what was learned."""
    if found.stopped:
        yield Text("stopped early; this is the best so far", style="yellow")
    yield bold(f"held-out log loss per observation: {loss_text(found)}")
    if found.unexplained:
        advice = "have no explanation and do not count; --noise 0.05 may help"
        yield Text(f"{found.unexplained} of {found.held_out} held-out traces {advice}", style="yellow")
    rows = [(goal, *pair) for goal, pair in (found.goals | found.rates).items()]
    several = {head for head, own in first.rules_by_plan().items() if len(own) > 1}
    chosen = [row for row, rule in zip(found.rules, first.rules, strict=True) if rule.head in several]
    shown = sorted(chosen, key=lambda row: -abs(row[2] - row[1]))[:SHOWN]
    rows += [row for row in chosen if row in shown]
    figures = ((name, f"{before:.3f}", f"{after:.3f}") for name, before, after in rows)
    yield Table(("goal, rate or rule", "before", "after"), figures)
    if len(chosen) > len(shown):
        yield dim(f"{len(chosen) - len(shown)} rules that changed less are not shown")
    saved = f"; saved in {out}" if out is not None else ""
    ends = "all may be complete" if found.complete else "some may be cut"
    yield dim(f"{found.traces} traces ({ends}), {len(found.log_likelihoods)} iterations{saved}")
    yield dim(words)


def loss_text(found: PlanTraining) -> str:
    """The log loss before and after, and the gain with its interval."""
    gained = found.gained
    interval = f" (95 % interval {gained.low:.4f} to {gained.high:.4f})" if gained.is_finite() else ""
    return f"{found.before.mean:.4f} before, {found.after.mean:.4f} after, {gained.mean:.4f} gained{interval}"
