"""Sweeps over what the thesis leaves open: the range of gains, Tsetlin's limiter, L_RI's rates and BLA's prior."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from kibitz.studies.axis.scenarios import all_right, first_right, share
from kibitz.studies.axis.trials import run, thesis_rounds
from kibitz.studies.blocks import Block, Conclusion, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.sentences import percents
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {"sweep_runs": {"s1": 20, "s2": 30, "s3": 100}}
QUICK: Settings = {"sweep_runs": {"s1": 2, "s2": 2, "s3": 3}}
SPANS = {"s1": [(-8, 6)], "s2": [(-36, 12), (-39, 11), (-41, 12)], "s3": [(-19, 23), (-19, 42)]}
"""The gains that count as 0 and 1; those of the scenario files come first."""
LIMITERS = (0.5, 0.6, 0.7, 0.8, 1.0)
PRIORS = ((1.0, 0.1, 0.5, 1.0), (1.0, 0.25, 0.5, 1.0), (1.0, 1.0, 0.5, 1.0))
"""Alpha, beta, mu and tau of BLA's prior."""
RATES = ((0.02, 0.02), (0.02, 0.05), (0.05, 0.1), (0.1, 0.2))


def parts(settings: Settings, seed: int) -> list[Part]:
    """Tsetlin by limiter and range in every scenario, L_RI by rates and BLA by prior in the third."""
    cases: list[Case] = []
    for scenario, spans in SPANS.items():
        runs = settings["sweep_runs"][scenario]
        fixed: dict[str, Sequence[Any]] = {"scenario": [scenario], "span": spans}
        cases += cross_factors({**fixed, "team": ["Tsetlin"], "limiter": LIMITERS}, repeats=runs, seed=seed)
        if scenario == "s3":
            cases += cross_factors({**fixed, "team": ["L_RI"], "rates": RATES}, repeats=runs, seed=seed)
            cases += cross_factors({**fixed, "team": ["BLA"], "prior": PRIORS}, repeats=runs, seed=seed)
    scale = settings["scale"]
    scaled = [{**case, **thesis_rounds(case["scenario"], case["team"], scale)} for case in cases]
    return [Work(name="sweep", work=sweep_run, cases=scaled, weight=2)]


def sweep_run(case: Case) -> Row:
    """A run, with the varied setting as text, because rows keep only plain levels."""
    low, high = case["span"]
    varied = next(f"{name} {case[name]}" for name in ("limiter", "rates", "prior") if name in case)
    return {**run(case), "range": f"{low} to {high}", "varied": varied}


def blocks(results: Results) -> Iterator[Block]:
    """Success by every varied setting."""
    rows = [
        (*key, len(some), share(some, first_right), share(some, all_right), fmean(row["first_lost"] for row in some))
        for key, some in results.groups("sweep", "scenario", "team", "range", "varied").items()
    ]
    columns = ("scenario", "team", "range", "varied", "runs", "first turn right", "all right", "IPC lost")
    yield Table(columns, rows, "The sweep over range, limiter, rates and prior, with the thesis's simulation counts.")
    by_range = results.groups("sweep", "scenario", "team", "range")
    shares = [
        f"{percents(share(some, all_right))} of {len(some)} runs with the range {span}"
        for (scenario, team, span), some in by_range.items()
        if (scenario, team) == ("s2", "Tsetlin")
    ]
    if shares:
        told = ", in ".join(shares)
        yield Conclusion(f"Scenario 2, Tsetlin with all limiters: all right in {told}; the thesis has 87 %.")
    yield Paragraph(
        "A Tsetlin automaton settles where rewards outweigh the penalties that count: where the status is above "
        "L / (1 + L). Which turns lie above decides where it settles, so the range matters most of all."
    )


SECTIONS = (Section(title="Range, limiter, rates and prior", parts=("sweep",), blocks=blocks),)
