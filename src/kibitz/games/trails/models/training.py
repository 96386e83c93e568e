"""Trains `trails.predictors`: recorded games become rows, and rows a decision tree for each question."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from kibitz import core
from kibitz.core.abilities.trainer import Told, TrainedModel
from kibitz.core.errors import BadExamples
from kibitz.core.records import Record
from kibitz.games.trails.models.predictor_file import PredictorPrograms, write_predictors
from kibitz.games.trails.models.predictors import Predictors
from kibitz.games.trails.models.questions import TARGETS
from kibitz.games.trails.models.rows import tables_of
from kibitz.learn.decision_tree import C45
from kibitz.learn.example_tables import ExampleTable
from kibitz.learn.programs import Program
from kibitz.learn.shrinkage import ShrunkTree

LEARNER, LEARNER_OF_MANY = ShrunkTree(), ShrunkTree(learner=C45(smoothing="m-estimate"))
"""For few labels, and for many, which are far from equally likely a priori. Both shrink as far as agents
differ, because the agents to predict are mostly ones never seen."""


class LearnedPredictors:
    """What was learned, to be stored in a file of its own (`core.abilities.trainer.ParameterFile`)."""

    def __init__(self, programs: PredictorPrograms) -> None:
        self.programs = programs

    def reader(self, path: Path) -> Predictors:
        """The model that reads the file."""
        return Predictors(trained=str(path), features=self.programs.features)

    def write(self, path: Path, made: dict[str, Any]) -> None:
        """Write the file, with how it was made."""
        write_predictors(msgspec.structs.replace(self.programs, made=made), path)


def train(model: Predictors, records: Sequence[Record], rng: core.Rng, told: Told) -> TrainedModel:
    """The predictors that *records* teach."""
    steps = len(records) + len(TARGETS)
    tables = tables_of(records, model.features, lambda count: told(count, steps, "reading"))
    programs, skipped = {}, [name for name, table in tables.items() if not table.rows]
    for number, (name, table) in enumerate(tables.items(), 1):
        if name in skipped:
            told(len(records) + number, steps, f"{name}: skipped")
            continue
        programs[name] = learn_program(table)
        told(len(records) + number, steps, f"{name}: {programs[name].size.answers} answers")
    if not programs:
        raise BadExamples("training rows", "no game answers any question; let more or other agents play")
    learned_all = PredictorPrograms(model.features, programs)
    trained = Predictors(features=model.features)
    trained.preset = learned_all
    taught = tuple(table for name, table in tables.items() if name not in skipped)
    notes = tuple(f"{name}: skipped, since no game answers what it asks; it expects base rates" for name in skipped)
    return TrainedModel(trained, learned=LearnedPredictors(learned_all), tables=taught, notes=notes)


def learn_program(table: ExampleTable) -> Program:
    """The decision tree for a table."""
    return (LEARNER if table.layout.target.values else LEARNER_OF_MANY).learn(table.examples("agent"))
