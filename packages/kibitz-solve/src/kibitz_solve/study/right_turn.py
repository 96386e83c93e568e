"""Right Turn: the cells from which the orc may catch the monkey, proved, and its moves (Keffer 2013, Figure 1)."""

import numpy as np

from kibitz_lab.studies.measures import Measure, exact_columns
from kibitz_lab.studies.study import Case, Row, Settings, Work
from kibitz_solve import Solution, solve

SETTINGS: Settings = {"radii": (8, 30, 60)}
"""The radii of the boards around the monkey."""
QUICK: Settings = {"radii": (6, 12)}
NEAR = 1e-5
"""An interval this narrow around 0, ½ or 1 decides."""
CLASSES = ("sure", "1, never attained", "½", "0", "not decided")


def parts(settings: Settings, seed: int) -> list[Work]:
    """The cells of every board."""
    boards = [f"right-turn(radius={radius})" for radius in settings["radii"]]
    return [Work(name="region", work=region, cases=[{"game": board} for board in boards], version=2, weight=0.5)]


def region(case: Case) -> Row:
    """The number of cells of every class, the width of the widest interval, and a map if the case asks for one."""
    solution = solve(case["game"], objective="survival", width=NEAR)
    kinds = classes(solution)
    counts = {name: kinds.count(name) for name in CLASSES}
    return {"states": len(solution), "width": solution.width, **counts}


def classes(solution: Solution) -> list[str]:
    """The class of every cell, by its interval and by the proofs of the graph."""
    low, high = solution.low[: len(solution)], solution.high[: len(solution)]
    assert solution.sets is not None, "nothing pays less than infinite play"
    surely = solution.sets.surely_won[: len(solution)]
    near = [(np.abs(low - worth) <= NEAR) & (np.abs(high - worth) <= NEAR) for worth in (1.0, 0.5, 0.0)]
    found: list[str] = np.select([surely, *near], CLASSES[:4], CLASSES[4]).tolist()
    return found


MEASURES = (
    Measure(
        name="Right Turn: the winnable region",
        part="region",
        by=("game",),
        columns=exact_columns("states", *CLASSES, "width"),
        about=(
            "An orc runs two squares straight on or to its right, a monkey one square anywhere; the orc wins within "
            "one square. Cells by their proved value for the orc, and the widest interval. Figure 1 marks those from "
            "which it is guaranteed to capture: these are three classes, sure, 1 though never attained, and ½."
        ),
        shown=True,
    ),
)
