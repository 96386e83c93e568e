"""How well predictors predict peer-designed agents (Tables 5.3 and 5.4)."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations, product
from math import inf, nan

import msgspec

from kibitz.core.match.play import play
from kibitz.core.seeds import derived_seed
from kibitz_lab.arena.statistics import Estimate
from kibitz_lab.arena.validation import FOLDS, LEARNERS, validate_learner
from kibitz_lab.learn.example_tables import ExampleTable, LabelledRow
from kibitz_lab.studies.claims import Claim, share
from kibitz_lab.studies.measures import Column, Measure, exact_columns
from kibitz_lab.studies.study import Case, Results, Row, Settings, Work, pack, unpack
from kibitz_trails.agents.population import PDA19
from kibitz_trails.models.predictors import COLUMNS, FeatureSet, layout
from kibitz_trails.models.training import rows_of
from kibitz_trails.study.scores import game_on
from kibitz_trails.study.thesis import ACCURACY, CONFUSION, SOURCE

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
        Work(name="dealings", work=play_dealing, cases=cases),
        Work(name="quality", work=learner_quality, cases=quality_cases, version=2, planned=100, weight=10.0),
    ]


def play_dealing(case: Case) -> list[Row]:
    """The labelled rows of one game, each with its table."""
    record = play(game_on(case["board"]), case["agents"], seed=case["seed"])
    return [{"table": table, "row": row} for table, row in rows_of(record, "-".join(case["agents"]))]


def quality_cases(results: Results) -> list[Case]:
    """Every table, learner, set of features and holdout method, on every board."""
    settings = results.settings
    rows: dict[tuple[str, str], list[Row]] = {}
    for row in results.rows("dealings"):
        rows.setdefault((row["board"], row["table"]), []).append(row["row"])
    packed = {place: pack(each) for place, each in rows.items()}
    factors = product(settings["dealing_boards"], TABLES, settings["learners"], COLUMNS, FOLDS)
    return [
        {"board": board, "table": table, "learner": learner, "features": features, "left_out": left_out}
        | {"rows": packed[board, table]}
        for board, table, learner, features, left_out in factors
        if (table in REPORTED or learner == "c4.5") and (left_out == "agent" or learner != SHRUNK)
    ]


def learner_quality(case: Case) -> Row:
    """How well a learner predicts one table."""
    features: FeatureSet = case["features"]
    rows = [LabelledRow(tuple(values), *rest) for values, *rest in unpack(case["rows"])]
    table = ExampleTable(layout(case["table"]), rows).with_columns(column.name for column in COLUMNS[features])
    found = validate_learner(table, case["learner"], case["left_out"])
    return {**msgspec.to_builtins(found), "commonest": max(found.shares)}


def estimate_column(name: str, of: str) -> Column:
    """A column of estimates, of which rows hold unknown ends as null."""

    def stored_estimate(rows: Sequence[Row]) -> Estimate:
        known = {part: number for part, number in rows[0][of].items() if number is not None}
        return msgspec.convert({"mean": nan, "low": -inf, "high": inf} | known, Estimate)

    return Column(name=name, of=stored_estimate)


def confusion_rows(results: Results) -> Iterator[Row]:
    """The fractions of all rows by truth and prediction, by ten folds of rows as in the thesis."""
    for row in results.rows("quality"):
        if (row["features"], row["left_out"]) == ("thesis", "row") and row["table"] in CONFUSION:
            for truth, counts in zip(row["labels"], row["confusion"], strict=True):
                for label, count in zip(row["labels"], counts, strict=True):
                    yield {**row, "truth": truth, "predicted": label, "fraction": count / row["rows"]}


QUALITY, MATRICES = "How well agents are predicted", "Tables 5.3 and 5.4: truth and prediction"
LABELS = {"response": ("accept", "reject"), "transfer": ("none", "some", "all")}
MEASURES = (
    Measure(
        name=QUALITY,
        part="quality",
        by=("board", "table", "learner", "features", "left_out"),
        columns=(
            estimate_column("accuracy", "accuracy"),
            *exact_columns("commonest"),
            estimate_column("log loss", "log_loss"),
            estimate_column("calibration error", "calibration_error"),
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
        columns=exact_columns("fraction"),
        about="Fractions of all rows, by ten folds of rows. The thesis's captions say C4.5, its sums the Bayes net.",
        across=True,
    ),
)
accuracy = partial(Claim, source=f"{SOURCE}, ch. 5", measure=QUALITY, apart="other agents")
matrix = partial(Claim, measure=MATRICES, apart="other agents")
CLAIMS = (
    *(
        accuracy(
            what=f"{table}, {learner}: accuracy",
            there=there,
            cell={"table": table, "learner": learner, "features": "thesis", "left_out": "row"},
        )
        for (table, learner), there in ACCURACY.items()
    ),
    *(
        matrix(
            what=f"{table}: {truth} predicted as {label}",
            source=f"{SOURCE}, {source}",
            there=share(count, sum(map(sum, there))),
            cell={"table": table, "learner": "naive bayes", "truth": truth, "predicted": label},
        )
        for table, (source, there) in CONFUSION.items()
        for truth, counts in zip(LABELS[table], there, strict=True)
        for label, count in zip(LABELS[table], counts, strict=True)
    ),
)
