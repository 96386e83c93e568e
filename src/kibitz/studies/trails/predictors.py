"""How well predictors predict peer-designed agents (Tables 5.3 and 5.4)."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations, product
from math import inf, nan
from typing import Any

import msgspec
import zstandard

from kibitz.arena.statistics import Estimate
from kibitz.arena.validation import FOLDS, LEARNERS, validate_learner
from kibitz.core.match.play import play
from kibitz.core.seeds import derived_seed
from kibitz.games.trails.agents.population import PDA19
from kibitz.games.trails.models.questions import COLUMNS, TARGETS, FeatureSet, layout
from kibitz.games.trails.models.training import rows_of
from kibitz.learn.example_tables import ExampleTable, LabelledRow
from kibitz.studies.claims import Claim, share
from kibitz.studies.measures import Column, Measure
from kibitz.studies.study import Case, Results, Row, Settings, Work
from kibitz.studies.trails.scores import game_on
from kibitz.studies.trails.thesis import ACCURACY, CONFUSION, SOURCE

SETTINGS: Settings = {"dealers": PDA19, "dealing_boards": ("dd", "di", "id"), "learners": tuple(LEARNERS)}
QUICK: Settings = {"dealers": PDA19[::3], "dealing_boards": ("dd",), "learners": tuple(LEARNERS)[:4]}
TABLES = ("response", "transfer", "proposing", "proposal")
REPORTED = ("response", "transfer")
"""The tables that the thesis reports; for the others C4.5 alone is judged."""
SHRUNK = "shrunk c4.5"
"""Judged only on strangers, for whom it is meant."""


def parts(settings: Settings, seed: int) -> list[Work]:
    """Games of the dealers with each other; then learners are judged."""
    cases = [
        {"board": board, "agents": pair, "seed": derived_seed(seed, "dealings", board, *pair)}
        for board in settings["dealing_boards"]
        for pair in permutations(settings["dealers"], 2)
    ]
    return [
        Work(name="dealings", work=game_rows, cases=cases),
        Work(name="quality", work=learner_quality, cases=quality_cases, planned=100, weight=10.0),
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
        if (table in REPORTED or learner == "c4.5") and (left_out == "agent" or learner != SHRUNK)
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


def quality_rows(results: Results) -> Iterator[Row]:
    """The figures of every validation."""
    for row in results.rows("quality"):
        found = row["validation"]
        figures = {name: stored_estimate(found[name]) for name in ("accuracy", "log_loss", "calibration_error")}
        yield {**row, **figures, "commonest": max(found["shares"])}


def stored_estimate(stored: dict[str, Any]) -> Estimate:
    """An estimate as rows hold it: unknown ends are null."""
    known = {name: number for name, number in stored.items() if number is not None}
    return msgspec.convert({"mean": nan, "low": -inf, "high": inf} | known, Estimate)


def confusion_rows(results: Results) -> Iterator[Row]:
    """The fractions of all rows by truth and prediction, by ten folds of rows as in the thesis."""
    for row in results.rows("quality"):
        found = row["validation"]
        if (row["features"], row["left_out"]) == ("thesis", "row") and row["table"] in CONFUSION:
            for truth, counts in zip(found["labels"], found["confusion"], strict=True):
                for label, count in zip(found["labels"], counts, strict=True):
                    yield {**row, "truth": truth, "predicted": label, "fraction": count / found["rows"]}


QUALITY, MATRICES = "How well agents are predicted", "Tables 5.3 and 5.4: truth and prediction"
LABELS = {"response": ("accept", "reject"), "transfer": ("none", "some", "all")}
MEASURES = (
    Measure(
        name=QUALITY,
        part="quality",
        by=("board", "table", "learner", "features", "left_out"),
        rows=quality_rows,
        columns=tuple(
            Column(name=name, of=of, exact=True)
            for name, of in (
                ("accuracy", "accuracy"),
                ("commonest", "commonest"),
                ("log loss", "log_loss"),
                ("calibration error", "calibration_error"),
            )
        ),
        about=(
            "On decisions that were not learned from. Rows of one game are dependent, so ten folds of rows are "
            "optimistic; ten folds of whole games are not, but the agents of the held-out games are known from others. "
            "Leaving out one agent at a time shows what to expect of an unseen one. `commonest` is the fraction of the "
            "commonest label."
        ),
    ),
    Measure(
        name=MATRICES,
        part="quality",
        by=("board", "table", "learner", "truth", "predicted"),
        rows=confusion_rows,
        columns=(Column(name="fraction", exact=True),),
        about="Fractions of all rows, by ten folds of rows. The thesis's captions say C4.5, its sums the Bayes net.",
        across=True,
    ),
)
CLAIMS = (
    *(
        Claim(
            what=f"{table}, {learner}: accuracy",
            source=f"{SOURCE}, ch. 5",
            there=there,
            measure=QUALITY,
            cell={"table": table, "learner": learner, "features": "thesis", "left_out": "row"},
            apart="other agents",
        )
        for (table, learner), there in ACCURACY.items()
    ),
    *(
        Claim(
            what=f"{table}: {truth} predicted as {label}",
            source=f"{SOURCE}, {source}",
            there=share(count, sum(map(sum, there))),
            measure=MATRICES,
            cell={"table": table, "learner": "naive bayes", "truth": truth, "predicted": label},
            apart="other agents",
        )
        for table, (source, there) in CONFUSION.items()
        for truth, counts in zip(LABELS[table], there, strict=True)
        for label, count in zip(LABELS[table], counts, strict=True)
    ),
)
