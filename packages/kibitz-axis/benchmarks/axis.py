"""Learning runs of Lie (2009) with its simulation counts, against the times it prints; and the same choice by odds.

Times are processor seconds of one core, because the thesis had a machine to itself and this one may be busy.
"""

from time import process_time

from kibitz_axis.study.thesis import KINDS, ROUNDS, SECONDS
from kibitz_axis.study.trials import run
from kibitz_lab.automata.turn_table import shared_table
from kibitz_lab.testing.benchmark import Bench

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
        took = [whole_seconds({**quick, "seed": seed}) for seed in range(bench.runs)]
        bench.figure(f"{scenario}_by_odds", took, "s a run, with the table made anew, and judged", most=1.0)
        right = [run({**quick, "seed": seed})["all right"] for seed in range(20 * bench.runs)]
        bench.figure(f"{scenario}_by_odds_right", [sum(right) / len(right)], "of runs", least=0.98)


def warm(case: dict) -> None:
    """Compile, make the table and solve the scenario."""
    run({**case, "rounds": [2] * len(ROUNDS[case["scenario"]][case["team"]]), "seed": 0})


def seconds(scenario: str, team: str, seed: int) -> float:
    """Processor seconds of one learning run."""
    return run({"scenario": scenario, "team": team, "seed": seed})["seconds"]


def whole_seconds(case: dict) -> float:
    """Processor seconds of a run that makes the tables of its turns, learns both of them, and is judged."""
    shared_table.cache_clear()
    started = process_time()
    run(case)
    return process_time() - started
