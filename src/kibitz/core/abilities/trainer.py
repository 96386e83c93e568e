"""Trainers: functions that fit a model's parameters to records. Write one to make a model trainable.

A manifest names it beside the model, `TRAIN = {"my_model": "my_package.training:train"}`, and it is called as
`train(model, records, rng, told)`: *model* has the initial parameters, and *told* gets the progress. It fits to the
records it is given; kibitz measures the gain on held-out records. On Ctrl-C it returns the best parameters found so
far. Parameters that are too many for a spec go to a file (`ParameterFile`).
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from kibitz.core.game import Rng
from kibitz.core.model import Model
from kibitz.core.records import Record

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


class Trainer(Protocol):
    """The type of the functions that `TRAIN` names."""

    def __call__(self, model: Any, records: Sequence[Record], rng: Rng, told: Told) -> TrainedModel: ...
