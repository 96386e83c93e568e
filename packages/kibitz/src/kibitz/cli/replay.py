"""`kibitz replay`: replays a recorded match, with any models watching."""

from functools import partial
from pathlib import Path
from typing import Annotated

from kibitz.cli.console import console, print_json, warn
from kibitz.cli.options import Argument, Delay, JsonCommand, Models, Names, Plot
from kibitz.cli.watch import check_plot, draw_beliefs, outcome, show_match
from kibitz.core.errors import BadSpec
from kibitz.core.records import read_record
from kibitz.core.records.replay import Replay


class ReplayCommand(JsonCommand, frozen=True):
    """Replay a record exactly, with the beliefs it holds or with other models watching.

    Examples:
      kibitz replay poker.krec
      kibitz replay poker.krec --model 'strategy_filter(unknown=0.5)' --json
      kibitz replay poker.krec --plot belief.svg
      kibitz replay poker.krec --model strategy_filter --memory players
    """

    file: Argument[Path]
    """A record, written with --record."""
    model: Models = ()
    delay: Delay = None
    plot: Plot = None
    memory: Annotated[Path | None, "FOLDER"] = None
    """Models begin with what they remember of each player; nothing is added."""
    name: Names = ()

    def execute(self) -> None:
        check_plot(self.plot)
        record = read_record(self.file)
        self.check_memory()
        watch = partial(Replay, record, models=self.model, source=self.file, memory=self.memory, names=self.name)
        replayed = watch()
        draw_beliefs(watch().watched_record() if self.plot else record, self.plot)
        if self.json:
            print_json(replayed.watched_record())
            return
        heading = f"{record.header.game}, seed {record.header.seed}: {', '.join(record.header.agents)}"
        if not self.model and record.header.recalled:
            warn(f"the models of this record remembered earlier matches: {', '.join(record.header.recalled)}")
        show_match(replayed.game, replayed.moments(), heading, self.delay)
        console.print(outcome(replayed.game, record))

    def check_memory(self) -> None:
        """Raise BadSpec if a memory is named that no model could use."""
        if self.name and self.memory is None:
            raise BadSpec("--name", "names are for a memory; name its folder, too: --memory FOLDER")
        if self.memory is not None and not self.model:
            raise BadSpec("--memory", "a replay shows the beliefs of the record; name a model that watches it: --model")
        if self.memory is not None and not self.memory.is_dir():
            raise BadSpec(f"--memory {self.memory}", "there is no such folder")
