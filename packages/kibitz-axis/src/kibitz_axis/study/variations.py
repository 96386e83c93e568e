"""What the thesis leaves open (range, limiter, rates, prior), and its questions: does depth pay, what does it cost?"""

from collections.abc import Iterator, Sequence
from typing import Any

from kibitz_axis.study.thesis import AUTHOR, ROUNDS, SPANS, THIRD_TURN
from kibitz_axis.study.trials import FEWEST, run, thesis_rounds
from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Column, Measure, fractions
from kibitz_lab.studies.study import Case, Results, Row, Settings, Work, cross_factors

SETTINGS: Settings = {"sweep_runs": {"s1": 20, "s2": 30, "s3": 100}, "depth_runs": 200, "third_runs": 3}
QUICK: Settings = {"sweep_runs": {"s1": 2, "s2": 2, "s3": 3}, "depth_runs": 4, "third_runs": 1}
LIMITERS = (0.5, 0.6, 0.7, 0.8, 1.0)
PRIORS = ((1.0, 0.1, 0.5, 1.0), (1.0, 0.25, 0.5, 1.0), (1.0, 1.0, 0.5, 1.0))
"""Alpha, beta, mu and tau of BLA's prior."""
RATES = ((0.02, 0.02), (0.02, 0.05), (0.05, 0.1), (0.1, 0.2))
TEAMS = ("Tsetlin", "L_RI", "BLA")
THIRD = {"Tsetlin": (500, 300, 150), "L_RI": (700, 400, 200), "BLA": (800, 400, 200)}
"""Simulations of the third scenario with a third turn; the thesis does not give its numbers."""
SWEEP, DEPTH, LONGER = "Range, limiter, rates and prior", "Does depth pay?", "What a third turn costs"


def parts(settings: Settings, seed: int) -> list[Work]:
    """Tsetlin by limiter and range in every scenario, L_RI by rates and BLA by prior in the third; teams by depth."""
    sweep: list[Case] = []
    for scenario, spans in SPANS.items():
        runs = settings["sweep_runs"][scenario]
        fixed: dict[str, Sequence[Any]] = {"scenario": [scenario], "span": spans}
        sweep += cross_factors({**fixed, "team": ["Tsetlin"], "limiter": LIMITERS}, repeats=runs, seed=seed)
        if scenario == "s3":
            sweep += cross_factors({**fixed, "team": ["L_RI"], "rates": RATES}, repeats=runs, seed=seed)
            sweep += cross_factors({**fixed, "team": ["BLA"], "prior": PRIORS}, repeats=runs, seed=seed)
    scaled = [{**case, **thesis_rounds(case["scenario"], case["team"], settings["scale"])} for case in sweep]
    factors = {"scenario": tuple(ROUNDS), "team": TEAMS, "depth": (1, 2, 3)}
    every = cross_factors(factors, repeats=settings["depth_runs"], seed=seed, paired=["depth"])
    depth = [case for case in every if case["depth"] <= len(ROUNDS[case["scenario"]][case["team"]])]
    third = cross_factors({"team": TEAMS, "turns": (2, 3)}, repeats=settings["third_runs"], seed=seed, paired=["turns"])
    longer = [{**case, "scale": settings["scale"]} for case in third]
    return [
        Work(name="sweep", work=sweep_run, cases=scaled, version=2, weight=2),
        Work(name="depth", work=run_by_odds, cases=depth, version=4),
        Work(name="third", work=longer_run, cases=longer, version=3, weight=5),
    ]


def sweep_run(case: Case) -> Row:
    """A run, with the varied setting as text, because rows keep only plain levels."""
    low, high = case["span"]
    varied = next(f"{name} {case[name]}" for name in ("limiter", "rates", "prior") if name in case)
    return {**run(case), "range": f"{low} to {high}", "varied": varied}


def run_by_odds(case: Case) -> Row:
    """A run with the case's number of turns of look-ahead, by exact odds."""
    return run({**case, "outcomes": "odds"})


def longer_run(case: Case) -> Row:
    """A run of the third scenario with the case's number of turns."""
    rounds = [max(FEWEST, round(each * case["scale"])) for each in THIRD[case["team"]][: case["turns"]]]
    return run({**case, "scenario": "s3", "rounds": rounds})


def third_rows(results: Results) -> Iterator[Row]:
    """The runs with a third turn, each with how many times as long it took as the run with two on the same seed."""
    short = {(row["team"], row["seed"]): row for row in results.rows("third") if row["turns"] == 2}
    for row in results.rows("third"):
        if row["turns"] == 3 and (row["team"], row["seed"]) in short:
            two = short[row["team"], row["seed"]]
            yield {**row, "times as long": row["seconds"] / two["seconds"], "two turns, CPU s": two["seconds"]}


RIGHT = (*fractions("first turn right", "all right"), Column(name="IPC lost", of="first_lost"))
MEASURES = (
    Measure(
        name=SWEEP,
        part="sweep",
        by=("scenario", "team", "range", "varied"),
        columns=RIGHT,
        about=(
            "A Tsetlin automaton settles where rewards outweigh the penalties that count: where the status is above "
            "L / (1 + L). Which turns lie above decides where it settles, so the range matters most of all."
        ),
    ),
    Measure(
        name=DEPTH,
        part="depth",
        by=("scenario", "team", "depth"),
        columns=RIGHT,
        about="By exact odds, by how many turns a team looks ahead. In scenario 2 nothing is gained before turn 3.",
    ),
    Measure(
        name=LONGER,
        part="third",
        by=("team",),
        rows=third_rows,
        columns=(
            Column(name="times as long", least=3),
            Column(name="two turns, CPU s", least=3),
            Column(name="three turns, CPU s", of="seconds", least=3),
        ),
        about="Scenario 3 with a third turn, which does not change the best play.",
    ),
)
CLAIMS = tuple(
    Claim(
        what=f"{team}: a third turn takes so many times as long",
        source=f"{AUTHOR}, ch. 5.3",
        there=times,
        relation=">",
        measure=LONGER,
        cell={"team": team},
    )
    for team, times in THIRD_TURN.items()
)
