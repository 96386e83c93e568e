"""`kibitz train`: fits a model's parameters to matches and reports the gain."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.text import Text

from kibitz.cli.console import Part, Table, bold, dim
from kibitz.cli.options import Agent, Argument, Out, Positive, Records, TableCommand, chosen_seed
from kibitz.core.agent import Model
from kibitz.core.errors import BadSpec
from kibitz.core.files import write_file
from kibitz.core.game import Game
from kibitz.core.match.options import Opening
from kibitz.core.registry import find, make_game, make_model, spec_of
from kibitz.core.specs import shared_spec
from kibitz_lab.arena.plan import Plan
from kibitz_lab.arena.runs import open_run
from kibitz_lab.arena.sources import Files, RunRecords, SourceRecord
from kibitz_lab.arena.tournament import Tournament, named_agents
from kibitz_lab.arena.training import Training, check_enough, check_ready, training
from kibitz_lab.arena.validation import Validation
from kibitz_lab.cli.options import Compute, Database, Run, open_store
from kibitz_lab.cli.runs import ProgressDisplay, finish
from kibitz_lab.cli.train_plans import PlanTrainingOptions, train_plans
from kibitz_lab.models.training import trainer_of
from kibitz_lab.studies.blocks import words

PLANS = "Plans: kibitz train plans LIBRARY --traces FILE; learning starts from these probabilities"
FEW_LABELS = 5
"""Most labels of a confusion matrix that is shown; `--json` has them all."""


class TrainCommand(TableCommand, frozen=True):
    """Fit a model's parameters to matches, and report the gain on held-out matches.

    Examples:
      kibitz train strategy_filter --game dilemma --play pavlov --play grim --play random --matches 300
      kibitz train strategy_filter --game kuhn --run 3 --out filter.json
      kibitz train 'strategy_filter(drift=0.01)' --game dilemma --records folder --seed 7
      kibitz train 'dbn(learning=supervised)' --game pawns --play s1 --play s3 --mirror --out mine.json
      kibitz train risk-choice --records imported --out mine.json
      kibitz train trails-predictors --play greedy --play boulware --play gift_giver --out mine.json --rows rows
      kibitz train plans shed.plans --traces traces.txt --noise 0.05 --out learned.plans
    """

    model: Argument[Annotated[str, "MODEL"]]
    """The model to start from; see kibitz models."""
    library: Argument[Annotated[str | None, "LIBRARY"]] = None
    """Of the model plans: the plan library to start from."""
    game: Annotated[str | None, "-g", "GAME"] = None
    """The game (default: that of the records, or the model's)."""
    records: Records = ()
    run: Run = None
    play: tuple[Agent, ...] = ()
    """Let agents play first; repeat for more."""
    matches: Positive = 200
    """Minimum number of matches to play."""
    mirror: bool = False
    """Agents meet themselves too."""
    opening: Opening = 0
    seed: Annotated[str, "-s", "N"] = "0"
    """Seed of the matches and of the held-out split."""
    out: Annotated[Out, "FILE.json"] = None
    """Write the result to a file."""
    rows: Annotated[Path | None, "DIR"] = None
    """Write the training rows as CSV and ARFF."""
    force: bool = False
    """Write what was learned even if it is worse on held-out matches."""
    compute: Compute = Compute()
    plans: Annotated[PlanTrainingOptions, PLANS] = PlanTrainingOptions()
    db: Database = None

    def execute(self) -> None:
        if self.plans.traces:
            self.refuse("game records run play rows", "it does not go with --traces, from which plans are learned")
            if self.model != "plans":
                why = "only plans are learned from traces: kibitz train plans LIBRARY --traces FILE"
                raise BadSpec(f"train {self.model}", why)
            seed = chosen_seed(self.seed)
            train_plans(self, seed)
            return
        if self.library is not None:
            raise BadSpec(
                f"train {self.model} {self.library}", "a plan library is learned from traces; add --traces FILE"
            )
        if sum(map(bool, (self.records, self.run is not None, self.play))) != 1:
            raise BadSpec("train", "name the matches in one way: --records PATH, --run N, or --play AGENT")
        game = None
        if self.game is not None or not self.records:
            game = make_game(self.game or game_of(self.model))
        model = make_model(self.model, spec_of(game).name if game is not None else None)
        train_model(model, game, self)


def train_model(model: Model, game: Game | None, options: TrainCommand) -> None:
    """Train a model on matches of a game, or of the games that the records name."""
    trainer_of(model)
    if game is not None:
        check_ready(model, game, options.out, options.rows)
    seed = chosen_seed(options.seed)
    kept = records_of(game, seed, options)
    with ProgressDisplay(1, what="training") as watch:
        found = training(
            model,
            game,
            kept,
            seed=seed,
            command=command(model, game, seed, options),
            out=options.out,
            rows=options.rows,
            told=watch.reach,
            force=options.force,
        )
    if options.out is not None and not model.learns_a_file:
        text = msgspec.json.format(msgspec.json.encode(found), indent=2).decode()
        write_file(options.out, f"{text}\n")
    saved = options.out if found.saved or not model.learns_a_file else None
    options.show(found, training_parts(found, saved))
    if model.learns_a_file and not found.saved:
        raise typer.Exit(1)


def game_of(model: str) -> str:
    """The game that a model belongs to."""
    entry = find(shared_spec(model).name, "model")
    if not entry.game:
        raise BadSpec("train", f"{entry.name} watches many games; name the one that was played: --game GAME")
    return entry.game


def records_of(game: Game | None, seed: int, options: TrainCommand) -> Iterable[SourceRecord]:
    """The records to learn from; agents play their matches first."""
    if options.records:
        return Files(options.records)
    assert game is not None
    plan = training_plan(game, seed, options) if options.play else None
    with open_store(options.db) as store:
        run = options.run
        if plan is not None:
            played = open_run(plan, store)
            finish(played, options.compute.make())
            run = played.run.run
        assert run is not None
        return list(RunRecords(store, run, repr(game)))


def training_plan(game: Game, seed: int, options: TrainCommand) -> Plan:
    """The plan of a tournament of the agents, who also meet themselves if `--mirror` is set or they are too few."""
    agents = named_agents(options.play)
    mirror = options.mirror or len(agents) < game.players
    tournament = Tournament(
        games=(repr(game),), agents=agents, mirror=mirror, seed=seed, opening=options.opening, repeats=1
    )
    once = Plan.of(tournament, "--play")
    plan = once.with_blocks(ceil(options.matches / once.match_count))
    check_enough(plan.match_count, len({series.block for series in plan.series()}))
    return plan


def command(model: Model, game: Game | None, seed: int, options: TrainCommand) -> str:
    """The command that trains the same model in the same way."""
    said = ["kibitz", "train", str(spec_of(model)), *(["--game", repr(game)] if game is not None else [])]
    if options.play:
        said += [*(word for agent in options.play for word in ("--play", agent)), "--matches", str(options.matches)]
        said += ["--mirror"] * options.mirror + (["--opening", str(options.opening)] if options.opening else [])
    said += [word for path in options.records for word in ("--records", str(path))]
    said += ["--run", str(options.run)] if options.run is not None else []
    return shlex.join([*said, "--seed", str(seed)])


def training_parts(found: Training, out: Path | None) -> Iterator[Part]:
    """The parameters, then the gain."""
    yield bold(found.spec)
    if found.stopped:
        yield Text("stopped early; this is the best so far", style="yellow")
    yield found.verdict
    yield from (Text(each, style="yellow") for each in found.notes)
    rows: list[tuple[str, ...]] = [
        (name, f"{found.before[name]:g}", f"{found.parameters[name]:g}", f"{low:g} to {high:g}")
        for name, (low, high) in found.intervals.items()
    ]
    if rows:
        yield ""
        yield Table(("parameter", "before", "after", "95 % interval"), rows)
    rows = []
    for question, gain in found.gains.items():
        means = (f"{each.mean:.4f}" for each in (gain.before, gain.after, gain.gained))
        ends = f"{gain.gained.low:.4f} to {gain.gained.high:.4f}" if gain.gained.is_finite() else "–"
        rows.append((question, *means, ends))
    yield ""
    yield Table(("log loss of", "before", "after", "gained", "95 % interval"), rows)
    yield from validation_parts(found.validations)
    yield ""
    where = f"; saved in {out}" if out is not None else ""
    yield dim(f"{found.records} matches on {found.blocks} seeds, {found.held_out} of them held out{where}")


def validation_parts(found: Sequence[Validation]) -> Iterator[Part]:
    """The accuracy on held-out rows, then the confusion matrices with few labels."""
    rows = []
    for each in found:
        accuracy, *losses = map(words, (each.accuracy, each.log_loss, each.calibration_error))
        rows.append((each.table, each.left_out, str(each.rows), accuracy, f"{max(each.shares):.3f}", *losses))
    if rows:
        yield ""
        columns = ("predicts", "held out by", "rows", "accuracy", "commonest", "log loss", "calibration error")
        yield Table(columns, rows)
    for each in found:
        if each.left_out == "game" and len(each.labels) <= FEW_LABELS:
            counts = zip(each.labels, each.confusion, strict=True)
            headings = (each.table, *(f"predicted {label}" for label in each.labels))
            yield ""
            yield Table(headings, ((label, *(f"{n:g}" for n in row)) for label, row in counts))
