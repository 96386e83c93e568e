"""What a trainer is: a function that fits a model's parameters to records.

A manifest names it beside the model, `TRAIN = {"my_model": "my_package.training:train"}`, and it is called as
`train(model, records, rng, told)`: *model* has the parameters to begin with, and *told* is told of progress. It fits to
the records it is given: what was gained is measured for it, on records that were held out. Ctrl-C makes it return the
best it has found so far. Parameters that are too many for a spec go to a file of their own (`ParameterFile`).
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from kibitz.core.game import Rng
from kibitz.core.model import Model
from kibitz.core.records import Record

Told = Callable[[int, int, str], None]
"""How many of how many steps are done, and how it stands."""


class ParameterFile(Protocol):
    """Parameters that are too many for a spec."""

    def reader(self, path: Path) -> Model:
        """The model that reads them from a file."""

    def write(self, path: Path, made: dict[str, Any]) -> None:
        """Write them to a file, with how they were made."""


class TrainedModel(msgspec.Struct, frozen=True):
    """A model with the parameters that were found, and what is known of them."""

    model: Model
    intervals: dict[str, tuple[float, float]] = {}
    """By parameter, what it may be with 95 % probability."""
    figures: dict[str, Any] = {}
    """Whatever else is worth keeping, as plain values."""
    stopped: bool = False
    """Whether it was interrupted before it was done."""
    learned: ParameterFile | None = None
    """What the model found is more than its spec says."""
    tables: tuple[Any, ...] = ()
    """The rows it learned from, where there are any (`learn.example_tables.ExampleTable`): they are validated, and can
    be kept."""


class Trainer(Protocol):
    """What `TRAIN` names."""

    def __call__(self, model: Any, records: Sequence[Record], rng: Rng, told: Told) -> TrainedModel: ...
