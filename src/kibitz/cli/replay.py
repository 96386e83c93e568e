"""`kibitz replay`: replays a recorded match, with any models watching."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from kibitz.cli import screen
from kibitz.cli.console import console, warn
from kibitz.cli.options import DelayOption, JsonOption, ModelOption, PlotOption
from kibitz.cli.watch import check_plot, draw_beliefs, show
from kibitz.core.errors import BadSpec
from kibitz.core.records import read_record
from kibitz.core.records.replay import Replay


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record, written with --record.")],
    model: ModelOption = None,
    delay: DelayOption = None,
    salvage: Annotated[bool, typer.Option("--salvage", help="Read a damaged file up to the damage.")] = False,
    plot: PlotOption = None,
    memory: Annotated[
        Path | None,
        typer.Option(
            "--memory",
            metavar="FOLDER",
            help="Models begin with what they remember of each player; nothing is added.",
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name", metavar="NAME", help="A player's name in the memory, seat by seat (default: the agent)."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Replay a record exactly, with the beliefs it holds or with other models watching.

    Examples:

      kibitz replay poker.krec

      kibitz replay poker.krec --model 'strategy_filter(unknown=0.5)' --json

      kibitz replay poker.krec --plot belief.svg

      kibitz replay poker.krec --model strategy_filter --memory players
    """
    check_plot(plot)
    record = read_record(file, salvage=salvage)
    check_memory(memory, name, model)
    replayed = Replay(record, models=model or (), source=file, memory=memory, names=name or ())
    draw_beliefs(replayed.watched_record() if plot else record, plot)
    if json:
        print(msgspec.json.encode(replayed.watched_record()).decode())
        return
    heading = f"{record.header.game}, seed {record.header.seed}: {', '.join(record.header.agents)}"
    if not model and record.header.recalled:
        warn(f"the models of this record remembered earlier matches: {', '.join(record.header.recalled)}")
    show(replayed.game, replayed.moments(), heading, delay)
    console.print(screen.outcome(replayed.game, record))


def check_memory(memory: Path | None, names: list[str] | None, models: list[str] | None) -> None:
    """Raise BadSpec if a memory is named that no model could use."""
    if names and memory is None:
        raise BadSpec("--name", "names are for a memory; name its folder, too: --memory FOLDER")
    if memory is not None and not models:
        raise BadSpec("--memory", "a replay shows the beliefs of the record; name a model that watches it: --model")
    if memory is not None and not memory.is_dir():
        raise BadSpec(f"--memory {memory}", "there is no such folder")
