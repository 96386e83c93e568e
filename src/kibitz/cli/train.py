"""`kibitz train`: fits a model's parameters to matches and reports the gain."""

import shlex
from collections.abc import Iterable, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.text import Text

from kibitz.cli.console import console, plain_table
from kibitz.cli.options import (
    DatabaseOption,
    ExecutorOption,
    JsonOption,
    KeptOption,
    OpeningOption,
    RayAddressOption,
    RunOption,
    WorkersOption,
    chosen_executor,
    chosen_seed,
)
from kibitz.cli.plan_options import (
    AbandonOption,
    BeamOption,
    CutOption,
    DepthOption,
    InstancesOption,
    IterationsOption,
    MissOption,
    NoiseOption,
    PlanOptions,
    RootsOption,
    SlipOption,
    TracesOption,
)
from kibitz.cli.runs import finish
from kibitz.core.errors import BadSpec

if TYPE_CHECKING:
    from kibitz.arena.tournament import Tournament
    from kibitz.arena.training import Training
    from kibitz.arena.validation import Validation
    from kibitz.core.game import Game

FEW_LABELS = 5
"""Most labels of a confusion matrix that is shown; `--json` has them all."""


def train(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model to start from; see kibitz models.")],
    library: Annotated[
        str | None, typer.Argument(metavar="LIBRARY", help="Of the model plans: the plan library to start from.")
    ] = None,
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", metavar="GAME", help="The game (default: that of the records, or the model's)."),
    ] = None,
    records: KeptOption = None,
    run: RunOption = None,
    play: Annotated[
        list[str] | None, typer.Option("--play", metavar="AGENT", help="Let agents play first; repeat for more.")
    ] = None,
    matches: Annotated[
        int, typer.Option("--matches", metavar="N", min=1, help="Minimum number of matches to play.")
    ] = 200,
    mirror: Annotated[bool, typer.Option("--mirror", help="Agents meet themselves too.")] = False,
    opening: OpeningOption = None,
    seed: Annotated[
        str | None, typer.Option("--seed", "-s", metavar="N", help="Seed of the matches and of the held-out split.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE.json", help="Write the result to a file.")
    ] = None,
    rows: Annotated[
        Path | None, typer.Option("--rows", metavar="DIR", help="Write the training rows as CSV and ARFF.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write what was learned even if it is worse on held-out matches.")
    ] = False,
    executor: ExecutorOption = "pool",
    workers: WorkersOption = None,
    ray_address: RayAddressOption = None,
    db: DatabaseOption = None,
    traces: TracesOption = None,
    noise: NoiseOption = 0.0,
    slip: SlipOption = 0.0,
    miss: MissOption = 0.0,
    abandon: AbandonOption = 0.0,
    instances: InstancesOption = 1,
    roots: RootsOption = None,
    depth: DepthOption = None,
    beam: BeamOption = 1000,
    iterations: IterationsOption = 50,
    cut: CutOption = False,
    json: JsonOption = False,
) -> None:
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
    from kibitz.arena.runs import open_run
    from kibitz.arena.sources import Files, RunRecords, SourceRecord
    from kibitz.arena.training import check_ready, training
    from kibitz.cli.tables import ProgressDisplay
    from kibitz.core.files import check_writable, write_file
    from kibitz.core.registry import make_game, make_model, spec_of, trainer
    from kibitz.store import Store

    if traces:
        from kibitz.cli.train_plans import train_plans

        given = {"--game": game, "--records": records, "--run": run, "--play": play, "--rows": rows}
        for option, value in given.items():
            if value is not None:
                raise BadSpec(option, "it does not go with --traces, from which plans are learned")
        if model != "plans":
            raise BadSpec(
                f"train {model}", "only plans are learned from traces: kibitz train plans LIBRARY --traces FILE"
            )
        options = PlanOptions(noise, slip, miss, abandon, instances, roots, depth, beam, iterations, cut)
        train_plans(library, traces, options, 0 if seed is None else chosen_seed(seed), out, force=force, json=json)
        return
    if library is not None:
        raise BadSpec(f"train {model} {library}", "a plan library is learned from traces; add --traces FILE")
    if sum(map(bool, (records, run is not None, play))) != 1:
        raise BadSpec("train", "name the matches in one way: --records PATH, --run N, or --play AGENT")
    made = make_game(_game_of(model) if game is None else game) if game is not None or not records else None
    begun_with = make_model(model, spec_of(made).name if made is not None else None)
    trainer(spec_of(begun_with).name)
    if made is not None:
        check_ready(begun_with, made, out, rows)
    elif out is not None:
        check_writable(out)
    number = 0 if seed is None else chosen_seed(seed)
    tournament = _tournament(made, play, matches, number, mirror, opening or 0) if play and made is not None else None
    if records:
        kept: Iterable[SourceRecord] = Files(records)
    else:
        with Store(db) as store:
            if tournament is not None:
                played = open_run(tournament, store)
                finish(played, chosen_executor(executor, workers, ray_address))
                run = played.run.run
            assert run is not None
            kept = list(RunRecords(store, run, repr(made)))
    words = ["kibitz", "train", str(spec_of(begun_with)), *(["--game", repr(made)] if made is not None else [])]
    if play:
        words += [*(word for agent in play for word in ("--play", agent)), "--matches", str(matches)]
        words += ["--mirror"] * mirror + (["--opening", str(opening)] if opening else [])
    words += [word for path in records or () for word in ("--records", str(path))]
    words += ["--run", str(run)] if run is not None and not play else []
    command = shlex.join([*words, "--seed", str(number)])
    with ProgressDisplay(1, what="training") as watch:
        found = training(
            begun_with, made, kept, seed=number, command=command, out=out, rows=rows, told=watch.reach, force=force
        )
    text = msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n"
    if out is not None and not begun_with.learns_a_file:
        write_file(out, text)
    if json:
        print(text, end="")
    else:
        _show(found, out if found.saved or not begun_with.learns_a_file else None)
    if begun_with.learns_a_file and not found.saved:
        raise typer.Exit(1)


def _game_of(model: str) -> str:
    """The game that a model belongs to."""
    from kibitz.core.registry import entries, find
    from kibitz.core.registry.specs import shared_spec

    name = find(shared_spec(model).name, "model").name.partition(".")[0]
    if name not in entries("game"):
        raise BadSpec("train", f"{name} watches many games; name the one that was played: --game GAME")
    return name


def _tournament(
    game: "Game", agents: Sequence[str], matches: int, seed: int, mirror: bool, opening: int
) -> "Tournament":
    """A tournament of the agents, who also meet themselves if *mirror* is set or they are too few."""
    from kibitz.arena.definitions import named_agents
    from kibitz.arena.plan import Plan
    from kibitz.arena.runs import block_size
    from kibitz.arena.tournament import MOST, Tournament, check_tournament
    from kibitz.arena.training import check_enough

    named = named_agents(agents)
    meets_itself = mirror or len(named) < game.players
    once = check_tournament(
        Tournament(games=(repr(game),), agents=named, mirror=meets_itself, seed=seed, opening=opening), "--play"
    )
    repeats = min(ceil(matches / block_size(once)), MOST)
    plan = Plan(check_tournament(msgspec.structs.replace(once, repeats=repeats), "--play"))
    check_enough(plan.planned, len({series.block for series in plan.series()}))
    return plan.tournament


def _show(found: "Training", out: Path | None) -> None:
    """Print the parameters, then the gain."""
    console.print(Text(found.spec, style="bold"), soft_wrap=True)
    if found.stopped:
        console.print("stopped early; this is the best so far", style="yellow")
    console.print(Text(found.verdict), soft_wrap=True)
    for note in found.notes:
        console.print(Text(note, style="yellow"), soft_wrap=True)
    table = plain_table()
    table.add_column("parameter")
    for heading in ("before", "after", "95 % interval"):
        table.add_column(heading, justify="right")
    for name, (low, high) in found.intervals.items():
        table.add_row(name, f"{found.before[name]:g}", f"{found.parameters[name]:g}", f"{low:g} to {high:g}")
    if found.intervals:
        console.print()
        console.print(table)
    table = plain_table()
    table.add_column("log loss of")
    for heading in ("before", "after", "gained", "95 % interval"):
        table.add_column(heading, justify="right")
    for question, gain in found.gains.items():
        means = [f"{each.mean:.4f}" for each in (gain.before, gain.after, gain.gained)]
        ends = f"{gain.gained.low:.4f} to {gain.gained.high:.4f}" if gain.gained.is_finite() else "–"
        table.add_row(question, *means, ends)
    console.print()
    console.print(table)
    _show_validations(found.validations)
    console.print()
    where = f"; saved in {out}" if out is not None else ""
    of = f"{found.records} matches on {found.blocks} seeds"
    console.print(Text(f"{of}, {found.held_out} of them held out{where}", style="dim"), soft_wrap=True)


def _show_validations(found: "Sequence[Validation]") -> None:
    """Print the accuracy on held-out rows, then the confusion matrices with few labels."""
    from kibitz.studies.blocks import words

    table = plain_table()
    for heading in ("predicts", "held out by", "rows", "accuracy", "commonest", "log loss", "calibration error"):
        table.add_column(heading, justify="left" if heading in ("predicts", "held out by") else "right")
    for each in found:
        figures = [words(estimate) for estimate in (each.accuracy, each.log_loss, each.calibration_error)]
        table.add_row(each.table, each.left_out, str(each.rows), figures[0], f"{max(each.shares):.3f}", *figures[1:])
    if found:
        console.print()
        console.print(table)
    for each in found:
        if each.left_out == "game" and len(each.labels) <= FEW_LABELS:
            console.print()
            matrix = plain_table()
            for heading in (each.table, *(f"predicted {label}" for label in each.labels)):
                matrix.add_column(heading, justify="right")
            for label, row in zip(each.labels, each.confusion, strict=True):
                matrix.add_row(label, *(f"{count:g}" for count in row))
            console.print(matrix)
