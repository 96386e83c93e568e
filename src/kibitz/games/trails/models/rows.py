"""Training rows from recorded games, a row for every question that a game has answered."""

from collections.abc import Callable, Iterable, Iterator

from kibitz.core.errors import BadRecord
from kibitz.core.records import Record
from kibitz.core.records.replay import replaying
from kibitz.core.transition import Transition
from kibitz.games.trails.history import History, observed_exchange
from kibitz.games.trails.models.meta_proposals import meta_proposal
from kibitz.games.trails.models.questions import TARGETS, FeatureSet, Question, layout, question_about
from kibitz.games.trails.reliability import reliability, transfer_class
from kibitz.games.trails.state import ACCEPT, State
from kibitz.learn.example_tables import ExampleTable, LabelledRow


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
