"""How well predictors predict peer-designed agents (Tables 5.3 and 5.4), and what each feature is worth."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations, product
from math import inf, nan
from typing import Any

import msgspec
import zstandard

from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.arena.validation import FOLDS, LEARNERS, Validation, held_out, validate_learner
from kibitz.core.match.play import play
from kibitz.core.seeds import derived_seed
from kibitz.games.trails.agents.population import PDA19
from kibitz.games.trails.models.questions import COLUMNS, TARGETS, THESIS, FeatureSet, layout
from kibitz.games.trails.models.rows import rows_of
from kibitz.learn.example_tables import ExampleTable, LabelledRow
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table, words
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.results import Results
from kibitz.studies.sentences import percents
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work
from kibitz.studies.trails.fields import game_on
from kibitz.studies.trails.thesis import ACCURACY, CONFUSION, SOURCE

SETTINGS: Settings = {"dealers": PDA19, "dealing_boards": ("dd", "di", "id"), "learners": tuple(LEARNERS)}
QUICK: Settings = {"dealers": PDA19[::3], "dealing_boards": ("dd",), "learners": tuple(LEARNERS)[:4]}
TABLES = ("response", "transfer", "proposing", "proposal")
ABLATED = ("response", "transfer")
"""The tables for which each of the thesis's features is left out in turn."""
SHRUNK = "shrunk c4.5"
"""Judged only on strangers, for whom it is meant."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Games of the dealers with each other; then learners are judged, and each feature is left out."""
    cases = [
        {"board": board, "agents": pair, "seed": derived_seed(seed, "dealings", board, *pair)}
        for board in settings["dealing_boards"]
        for pair in permutations(settings["dealers"], 2)
    ]
    return [
        Work(name="dealings", work=game_rows, cases=cases),
        Work(name="quality", work=learner_quality, cases=quality_cases, planned=100, weight=10.0),
        Work(name="ablation", work=ablate_feature, cases=ablation_cases, planned=16, weight=20.0),
    ]


def game_rows(case: Case) -> Row:
    """The rows of one game, by table."""
    record = play(game_on(case["board"]), case["agents"], seed=case["seed"])
    found: dict[str, list[LabelledRow]] = {table: [] for table in TARGETS}
    for table, row in rows_of(record, "-".join(case["agents"])):
        found[table].append(row)
    return {"tables": found}


def quality_cases(results: Results) -> list[Case]:
    """Every table, learner, set of features and holdout method, on every board."""
    settings = results.settings
    factors = product(settings["dealing_boards"], TABLES, settings["learners"], COLUMNS, FOLDS)
    return [
        {
            "board": board,
            "table": table,
            "learner": learner,
            "features": features,
            "left_out": left_out,
            "rows": pack_rows(results, board, table),
        }
        for board, table, learner, features, left_out in factors
        if (table in ABLATED or learner == "c4.5") and (left_out == "agent" or learner != SHRUNK)
    ]


def ablation_cases(results: Results) -> list[Case]:
    """C4.5 on the first board without each of the thesis's features."""
    board = results.settings["dealing_boards"][0]
    return [
        {"table": table, "dropped": column.name, "rows": pack_rows(results, board, table)}
        for table in ABLATED
        for column in THESIS
    ]


def pack_rows(results: Results, board: str, table: str) -> bytes:
    """The rows of one table on one board, small enough to go with every case."""
    rows = [
        row for dealing in results.rows("dealings") if dealing["board"] == board for row in dealing["tables"][table]
    ]
    return zstandard.compress(msgspec.json.encode(rows))


@lru_cache(maxsize=16)
def unpack_rows(rows: bytes, table: str) -> ExampleTable:
    """The table from its compact form."""
    found = msgspec.json.decode(zstandard.decompress(rows))
    return ExampleTable(layout(table), [LabelledRow(tuple(values), *rest) for values, *rest in found])


def learner_quality(case: Case) -> Row:
    """How well a learner predicts one table."""
    features: FeatureSet = case["features"]
    table = unpack_rows(case["rows"], case["table"]).with_columns(column.name for column in COLUMNS[features])
    return {"validation": msgspec.to_builtins(validate_learner(table, case["learner"], case["left_out"]))}


def ablate_feature(case: Case) -> Row:
    """The extra log loss of C4.5 without one of the thesis's features, with whole games held out."""
    table, names = unpack_rows(case["rows"], case["table"]), [column.name for column in THESIS]
    kept = [name for name in names if name != case["dropped"]]
    whole, without = (held_out(table.with_columns(some), LEARNERS["c4.5"], "game").log_losses for some in (names, kept))
    games = [row.game for row in table.rows]
    losses = {"with": whole, "without": without, "more": without - whole}
    return {name: msgspec.to_builtins(mean_interval(each, games)) for name, each in losses.items()}


def validation_of(row: Row) -> Validation:
    """The content of a row of work."""
    return msgspec.convert(row["validation"], Validation)


def quality(results: Results) -> Iterator[Block]:
    """The results of all predictors, the thesis's beside ours, and the confusion matrices."""
    rows = results.rows("quality")
    for board in results.settings["dealing_boards"]:
        lines = [quality_line(row) for row in rows if row["board"] == board]
        columns = (
            "predicts",
            "learner",
            "features",
            "held out",
            "rows",
            "accuracy",
            "commonest",
            "log loss",
            "calibration",
        )
        yield Table(
            columns, lines, f"Board {board.upper()}: predictors on what they have not learned from (95 % intervals)."
        )
    yield Paragraph(
        "Rows of one game are dependent, so ten folds of rows are optimistic; ten folds of whole games are not, and "
        "the agents of the held-out games are known from others. Leaving out one agent at a time shows what to expect "
        "of a stranger."
    )
    first = [row for row in rows if row["board"] == results.settings["dealing_boards"][0]]
    yield comparison_table(list(beside_thesis(first)), "The thesis's accuracies, by ten folds of rows, beside ours.")
    for row in first:
        if (row["features"], row["left_out"]) == ("thesis", "row") and row["table"] in CONFUSION:
            yield matrix(row)
    yield from strangers(first)


def quality_line(row: Row) -> tuple[Cell, ...]:
    """A row of the table."""
    found = validation_of(row)
    names = found.table, found.learner, row["features"], found.left_out, found.rows
    return *names, found.accuracy, max(found.shares), found.log_loss, found.calibration_error


def find_validation(rows: Sequence[Row], **levels: Any) -> Validation:
    """The validation with these levels."""
    return next(validation_of(row) for row in rows if all(row[name] == level for name, level in levels.items()))


def beside_thesis(rows: Sequence[Row]) -> Iterator[Comparison]:
    """Every accuracy that the thesis reports, of the learners that were tried."""
    tried = {row["learner"] for row in rows}
    for (table, learner), there in ((what, there) for what, there in ACCURACY.items() if what[1] in tried):
        here = find_validation(rows, table=table, learner=learner, features="thesis", left_out="row")
        yield Comparison(
            what=f"{table}, {learner}", source=SOURCE, there=there, here=here.accuracy, apart="other agents"
        )


def matrix(row: Row) -> Table:
    """A confusion matrix beside the thesis's, both in shares of all rows."""
    found = validation_of(row)
    source, there = CONFUSION[found.table]
    total, theirs = found.rows, sum(map(sum, there))
    lines: list[tuple[Cell, ...]] = [
        (label, *(count / total for count in ours), *(count / theirs for count in reported))
        for label, ours, reported in zip(found.labels, found.confusion, there, strict=True)
    ]
    labels = found.labels
    columns = ("truth", *(f"predicted {label}" for label in labels), *(f"{label} there" for label in labels))
    caption = f"{found.table}, {found.learner}: shares of all rows, beside {source} (its Bayes net)."
    return Table(columns, lines, caption)


def strangers(rows: Sequence[Row]) -> Iterator[Conclusion]:
    """What is lost if the agent was never seen."""
    for table in ABLATED:
        known, strange = (
            find_validation(rows, table=table, learner="c4.5", features="extended", left_out=left_out)
            for left_out in ("game", "agent")
        )
        yield Conclusion(
            f"C4.5 on all features predicts the {table} of known agents right in {percents(known.accuracy)}, of an "
            f"agent it has never seen in {percents(strange.accuracy)}; the commonest label is {max(known.shares):.1%}."
        )
        if any(row["learner"] == SHRUNK for row in rows):
            shrunk = find_validation(rows, table=table, learner=SHRUNK, features="extended", left_out="agent")
            before, after = strange.calibration_error, shrunk.calibration_error
            yield Conclusion(
                f"Shrunk as far as agents differ, it is off by {words(after)} in how sure it is of a stranger's "
                f"{table}, where it was by {words(before)}; its log loss is {words(shrunk.log_loss)} instead of "
                f"{words(strange.log_loss)}."
            )


def estimate(kept: dict[str, Any]) -> Estimate:
    """An estimate as rows store it: unknown parts, as when all games are equal, are null."""
    known = {name: number for name, number in kept.items() if number is not None}
    return msgspec.convert({"mean": nan, "low": -inf, "high": inf} | known, Estimate)


def ablation(results: Results) -> Iterator[Block]:
    """The worth of each feature: the log loss without it, less that with it."""
    board = results.settings["dealing_boards"][0]
    lines = [
        (row["table"], row["dropped"], *(estimate(row[name]) for name in ("without", "more")))
        for row in results.rows("ablation")
    ]
    columns = ("predicts", "without", "log loss", "more than with it")
    yield Table(
        columns, lines, f"The thesis's eight features on {board.upper()}, each left out in turn (95 % intervals)."
    )


SECTIONS = (
    Section(title="How well agents are predicted", parts=("quality",), blocks=quality),
    Section(title="What each feature is worth", parts=("ablation",), blocks=ablation),
)
