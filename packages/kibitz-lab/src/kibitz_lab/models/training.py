"""Trainers: functions that fit a model's parameters to records. Write one to make a model trainable.

The model names it, `trainer = "my_package.training:train"`, and it is called as `train(model, records, rng, told)`:
*model* has the initial parameters, and *told* gets the progress. It fits to the records it is given; kibitz measures
the gain on held-out records. On Ctrl-C it returns the best parameters found so far. Parameters that are too many for a
spec go to a file (`ParameterFile`).
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from kibitz.core.agent import Model
from kibitz.core.errors import UnknownName
from kibitz.core.game import Rng
from kibitz.core.records import Record
from kibitz.core.registry import entries, spec_of
from kibitz.plugins import load_target

Told = Callable[[int, int, str], None]
"""Takes the steps done, all steps, and the current state in words."""


class ParameterFile(Protocol):
    """Parameters that are too many for a spec."""

    def reader(self, path: Path) -> Model:
        """The model that reads them from a file."""

    def write(self, path: Path, made: dict[str, Any]) -> None:
        """Write them to a file, with a note of their origin."""


class TrainedModel(msgspec.Struct, frozen=True):
    """A model with its fitted parameters, and their intervals."""

    model: Model
    intervals: dict[str, tuple[float, float]] = {}
    """The 95 % interval of each parameter."""
    figures: dict[str, Any] = {}
    """Other results worth keeping, as plain values."""
    stopped: bool = False
    """Whether training was interrupted."""
    learned: ParameterFile | None = None
    """Parameters that do not fit into a spec."""
    tables: tuple[Any, ...] = ()
    """The training rows, if there are any (`learn.example_tables.ExampleTable`): kibitz validates them and can write
    them to files."""
    notes: tuple[str, ...] = ()
    """What the reader should know of it, each a line: what was skipped, and why."""


Trainer = Callable[[Any, Sequence[Record], Rng, Told], Any]
"""Returns a `TrainedModel`, which is checked."""


def trainer_of(model: Model) -> Trainer:
    """The function that fits the parameters of *model*; raises UnknownName if it cannot be trained."""
    name = spec_of(model).name
    if not model.trainer:
        others = [each for each, entry in entries("model").items() if entry.load().trainer]
        raise UnknownName("trainer", name, others, f"(these models can be trained; {name} cannot)")
    trainer: Trainer = load_target(f"trainer of {name}", model.trainer)
    return trainer
