"""Reads and writes the file of learned predictors: a decision tree for each question."""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadProgram
from kibitz.core.files import changed_at, read_versioned, write_file
from kibitz.games.trails.models.questions import COLUMNS, TARGETS, TRANSFERS, FeatureSet, layout
from kibitz.games.trails.reliability import BASE_RATES
from kibitz.learn.examples import Label, Value
from kibitz.learn.programs import Program
from kibitz.learn.programs.flat import FlatProgram

FORMAT, VERSION = "kibitz trails predictors", 1
USUAL: dict[str, dict[Label, float]] = {
    "response": {"accept": BASE_RATES["accept"], "reject": 1.0 - BASE_RATES["accept"]},
    "transfer": {name: BASE_RATES[name] for name in TRANSFERS},
    "proposing": {"offer": 0.5, "pass": 0.5},
    "proposal": {},
}
"""What is expected where no game taught anything: the rates of peer-designed agents (Pozin 2010)."""


class PredictorPrograms(msgspec.Struct, frozen=True, dict=True):
    """What was learned: the features, a program for each table, and how it was made."""

    features: FeatureSet
    programs: Mapping[str, Program]
    made: dict[str, Any] = {}

    @cached_property
    def flat(self) -> dict[str, FlatProgram]:
        """The programs as kernels take them."""
        return {table: program.flat() for table, program in self.programs.items()}

    def shares(self, values: Sequence[Value], tables: Sequence[str]) -> list[dict[Label, float]]:
        """The share of every label of some tables, by the compiled programs. Twin of `Program.distribution`."""
        columns = COLUMNS[self.features]
        row = np.array([[column.encode_value(value, "row") for column, value in zip(columns, values, strict=True)]])
        found = []
        for table in tables:
            if table not in self.programs:
                found.append(dict(USUAL[table]))
                continue
            shares = self.flat[table].distributions(row)[0].tolist()
            found.append(dict(zip(self.programs[table].labels, shares, strict=True)))
        return found


class _PredictorFile(msgspec.Struct, frozen=True):
    """The same as JSON holds it."""

    format: str
    version: int
    features: FeatureSet
    programs: dict[str, msgspec.Raw]
    made: dict[str, Any] = {}


def write_predictors(found: PredictorPrograms, path: Path | str) -> None:
    """Write what was learned, a line for every program."""
    programs = {name: msgspec.Raw(compact(program)) for name, program in found.programs.items()}
    text = msgspec.json.encode(_PredictorFile(FORMAT, VERSION, found.features, programs, found.made)).decode()
    for name in programs:
        text = text.replace(f'"{name}":{{"learner"', f'\n"{name}":{{"learner"', 1)
    write_file(path, text + "\n")


def compact(program: Program) -> bytes:
    """A program as JSON without blanks."""
    return msgspec.json.format(program.to_json(), indent=-1)


def read_predictors(path: Path | str) -> PredictorPrograms:
    """What a file holds, checked; a file that did not change is read once."""
    return _read(str(path), changed_at(path, BadProgram, "train some first"))


@lru_cache(maxsize=8)
def _read(path: str, changed: int) -> PredictorPrograms:
    kept = read_versioned(path, _PredictorFile, (FORMAT, VERSION), BadProgram, "predictors of Colored Trails")
    for name in kept.programs:
        if name not in TARGETS:
            raise BadProgram(path, f"the game asks nothing that {name} answers")
    there = [table for table in TARGETS if table in kept.programs]
    if not there:
        raise BadProgram(path, "there is no predictor in it")
    programs = {table: Program.from_json(bytes(kept.programs[table]), f"{path}: {table}") for table in there}
    for table, program in programs.items():
        wanted = layout(table, kept.features)
        if program.columns != wanted.columns or not set(wanted.target.values) <= set(program.labels):
            raise BadProgram(path, f"{table}: its columns or labels are not those of {kept.features} features")
    return PredictorPrograms(kept.features, programs, kept.made)
