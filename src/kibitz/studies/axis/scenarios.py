"""The thesis's three scenarios with its teams and simulation counts: how often is each turn right?"""

from kibitz.studies.axis.thesis import KINDS, ROUNDS
from kibitz.studies.axis.trials import run
from kibitz.studies.study import Case, Part, Settings, Work, crossed

SETTINGS: Settings = {"runs": 200}
QUICK: Settings = {"runs": 2}


def parts(settings: Settings, seed: int) -> list[Part]:
    """Complete runs of every team on every scenario."""
    return [Work(name="runs", work=run, cases=cases(settings["runs"], seed), weight=10)]


def cases(runs: int, seed: int) -> list[Case]:
    """Every team of the thesis on every scenario it was tried on."""
    every = crossed({"scenario": tuple(ROUNDS), "team": tuple(KINDS)}, repeats=runs, seed=seed)
    return [case for case in every if case["team"] in ROUNDS[case["scenario"]]]
