"""Training rows from recorded games, a row for every question that a game has answered, and from files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from kibitz.core.errors import BadExamples, BadRecord
from kibitz.core.records import Record
from kibitz.core.records.replay import replaying
from kibitz.core.transition import Transition
from kibitz.games.trails.history import History, observed_exchange
from kibitz.games.trails.models.meta_proposals import meta_proposal
from kibitz.games.trails.models.questions import BAND, TARGETS, FeatureSet, Question, layout, question_about
from kibitz.games.trails.reliability import reliability, transfer_class
from kibitz.games.trails.state import ACCEPT, State
from kibitz.learn.example_tables import ExampleTable, LabelledRow, read_table

Perspectives = Literal["proposer", "both"]
"""Whose view response rows take: the proposer's, or also the responder's, as in Pozin (2010)."""
SUFFIXES = (".csv", ".arff")
"""Endings of files with training rows; a table is read from the first that exists."""


def tables_of(
    records: Iterable[Record],
    features: FeatureSet = "extended",
    response_rows: Perspectives = "proposer",
    read: Callable[[int], None] = lambda count: None,
) -> dict[str, ExampleTable]:
    """All rows of some records, by table; a record is a game. *read* is called with how many have been read."""
    found: dict[str, list[LabelledRow]] = {table: [] for table in TARGETS}
    for number, record in enumerate(records):
        for table, row in rows_of(record, str(number), features, response_rows):
            found[table].append(row)
        read(number + 1)
    return {table: ExampleTable(layout(table, features), rows) for table, rows in found.items()}


def rows_of(
    record: Record, game: str, features: FeatureSet = "extended", response_rows: Perspectives = "proposer"
) -> Iterator[tuple[str, LabelledRow]]:
    """The rows of one game with their tables; those about scores come last, and only where the game has ended."""
    history, agents = History(), [agent.replace('"', "'") for agent in record.header.agents]
    scored: list[tuple[int, LabelledRow]] = []
    for moment in replaying(record):
        if not isinstance(moment.state, State):
            raise BadRecord("records", f"{record.header.game} is not Colored Trails")
        if moment.event is None:
            continue
        transition = moment.event.transition(None)
        for table, question, label in labelled_questions(transition, response_rows):
            known = history.without_unchosen(question.opponent)
            row = LabelledRow(question.features(known, features), label, game, agents[question.opponent])
            if table == "value":
                scored.append((question.player, row))
            else:
                yield table, row
        history.observe(transition)
    if record.ending is not None:
        for player, row in scored:
            yield "value", row._replace(label=str(BAND * round(record.ending.returns[player] / BAND)))


def labelled_questions(transition: Transition, response_rows: Perspectives) -> Iterator[tuple[str, Question, str]]:
    """The questions about one event with their tables and answers; what a player earns is not known yet.

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
            for about in pair if response_rows == "both" else pair[:1]:
                yield "response", question_about(before, about), label
        case "exchange" if before.offer is not None:
            exchange = observed_exchange(before, transition)
            for about in filter(transition.chose, pair):
                yield (
                    "transfer",
                    question_about(before, about),
                    transfer_class(reliability(before.board, exchange, about)),
                )
        case "movement":
            for about in pair:
                yield "value", question_about(before, about), ""


def rows_in(folder: Path, features: FeatureSet) -> Mapping[str, Sequence[LabelledRow]]:
    """The rows in the files of a folder that have the name of a table: `response.csv`, `transfer.arff` …"""
    files = {table: [folder / f"{table}{suffix}" for suffix in SUFFIXES] for table in TARGETS}
    there = {table: [path for path in paths if path.is_file()] for table, paths in files.items()}
    found = {table: read_table(paths[0], layout(table, features)).rows for table, paths in there.items() if paths}
    if not found:
        raise BadExamples(folder, f"no training rows; they are in files such as {files['response'][0].name}")
    return found
