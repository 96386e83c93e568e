"""Trains `trails.predictors`: recorded games become rows, one for every question they answer, and rows trees."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kibitz import core
from kibitz.core.errors import BadExamples, BadRecord
from kibitz.core.files import write_file
from kibitz.core.game import Transition
from kibitz.core.records import Record
from kibitz.core.records.replay import replaying
from kibitz_lab.learn.decision_tree import C45
from kibitz_lab.learn.example_tables import ExampleTable, LabelledRow
from kibitz_lab.learn.programs import Program
from kibitz_lab.learn.shrinkage import ShrunkTree
from kibitz_lab.models.training import Told, TrainedModel
from kibitz_trails.models.predictors import (
    FORMAT,
    TARGETS,
    VERSION,
    FeatureSet,
    PredictorFile,
    PredictorPrograms,
    Predictors,
    Question,
    layout,
    meta_proposal,
    question_about,
)
from kibitz_trails.rules import ACCEPT, State
from kibitz_trails.situation import History, observed_exchange, reliability, transfer_class


def tables_of(
    records: Iterable[Record],
    features: FeatureSet = "extended",
    read: Callable[[int], None] = lambda count: None,
) -> dict[str, ExampleTable]:
    """All rows of some records, by table; a record is a game. *read* is called with how many have been read."""
    found: dict[str, list[LabelledRow]] = {table: [] for table in TARGETS}
    for number, record in enumerate(records):
        for table, row in rows_of(record, str(number), features):
            found[table].append(row)
        read(number + 1)
    return {table: ExampleTable(layout(table, features), rows) for table, rows in found.items()}


def rows_of(record: Record, game: str, features: FeatureSet = "extended") -> Iterator[tuple[str, LabelledRow]]:
    """The rows of one game with their tables."""
    history, agents = History(), [agent.replace('"', "'") for agent in record.header.agents]
    for moment in replaying(record):
        if not isinstance(moment.state, State):
            raise BadRecord("records", f"{record.header.game} is not Colored Trails")
        if moment.event is None:
            continue
        transition = moment.event.transition(None)
        for table, question, label in labelled_questions(transition):
            known = history.without_unchosen(question.opponent)
            yield table, LabelledRow(question.features(known, features), label, game, agents[question.opponent])
        history.observe(transition)


def labelled_questions(transition: Transition) -> Iterator[tuple[str, Question, str]]:
    """The questions about one event with their tables and answers.

    What a player did not choose answers no question about them.
    """
    before, after = transition.before, transition.after
    assert isinstance(before, State)
    assert isinstance(after, State)
    pair = before.partner, before.proposer
    match before.phase:
        case "offer" if transition.chose(before.proposer):
            question = question_about(before, before.proposer)
            yield "proposing", question, "pass" if after.offer is None else "offer"
            if after.offer is not None:
                sides = question.side(question.opponent), question.side(question.player)
                yield "proposal", question, str(meta_proposal(*sides, *after.offer))
        case "answer" if transition.chose(before.partner):
            label = "accept" if transition.actions[0] == ACCEPT else "reject"
            yield "response", question_about(before, before.partner), label
        case "exchange" if before.offer is not None:
            exchange = observed_exchange(before, transition)
            for about in filter(transition.chose, pair):
                yield (
                    "transfer",
                    question_about(before, about),
                    transfer_class(reliability(before.board, exchange, about)),
                )


LEARNER, LEARNER_OF_MANY = ShrunkTree(), ShrunkTree(learner=C45(smoothing="m-estimate"))
"""For few labels, and for many, which are far from equally likely a priori. Both shrink as far as agents
differ, because the agents to predict are mostly ones never seen."""


def write_predictors(found: PredictorPrograms, path: Path | str) -> None:
    """Write what was learned, a line for every program."""
    programs = {
        name: msgspec.Raw(msgspec.json.format(program.to_json(), indent=-1)) for name, program in found.programs.items()
    }
    text = msgspec.json.encode(PredictorFile(FORMAT, VERSION, found.features, programs, found.made)).decode()
    for name in programs:
        text = text.replace(f'"{name}":{{"learner"', f'\n"{name}":{{"learner"', 1)
    write_file(path, text + "\n")


class LearnedPredictors:
    """What was learned, to be stored in a file of its own (`kibitz_lab.models.training.ParameterFile`)."""

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
