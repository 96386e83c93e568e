"""Learning runs of Lie (2009) with its simulation counts, against the times it prints; and the same choice by odds.

Times are processor seconds of one core, because the thesis had a machine to itself and this one may be busy.
"""

from time import process_time

from kibitz.studies.axis.thesis import KINDS, ROUNDS, SECONDS
from kibitz.studies.axis.trials import run
from kibitz.testing.benchmark import Bench

BARS = {"s1": 10.0, "s2": 10.0, "s3": 20.0}
TEAMS = ("Tsetlin", "L_RI", "BLA")
SURE = 0.999


def measure(bench: Bench) -> None:
    for scenario, least in BARS.items():
        for team in TEAMS:
            warm({"scenario": scenario, "team": team})
            speeds = [SECONDS[scenario][team] / seconds(scenario, team, seed) for seed in range(bench.runs)]
            name = f"{scenario}_{KINDS[team][0]}"
            bench.figure(name, speeds, "× the thesis's time", least=least)
    for scenario in BARS:
        quick = {"scenario": scenario, "team": "BLA", "outcomes": "odds", "sure": SURE}
        took = []
        for seed in range(20 * bench.runs):
            started = process_time()
            row = run({**quick, "seed": seed})
            took.append((process_time() - started, row["first_right"] and row.get("second_right", True)))
        bench.figure(f"{scenario}_by_odds", [each for each, _ in took], "s a run, learning and judging", most=1.0)
        bench.figure(f"{scenario}_by_odds_right", [sum(right for _, right in took) / len(took)], "of runs", least=0.98)


def warm(case: dict) -> None:
    """Compile, make the table and solve the scenario."""
    run({**case, "rounds": [2] * len(ROUNDS[case["scenario"]][case["team"]]), "seed": 0})


def seconds(scenario: str, team: str, seed: int) -> float:
    """Processor seconds of one learning run."""
    return run({"scenario": scenario, "team": team, "seed": seed})["seconds"]
