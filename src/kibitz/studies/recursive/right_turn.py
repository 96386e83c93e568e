"""Right Turn: the cells from which the orc may catch the monkey, proved, and its moves (Keffer 2013, Figure 1)."""

from collections.abc import Iterator

import numpy as np

from kibitz.solve import Solution, solve
from kibitz.studies.blocks import Block, Conclusion, Figure, Paragraph, Table
from kibitz.studies.recursive.maps import map_figure, map_of
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

SETTINGS: Settings = {"radii": (8, 30, 60)}
"""The radii of the boards around the monkey; the first board is drawn."""
QUICK: Settings = {"radii": (6, 12)}
NEAR = 1e-5
"""An interval this narrow around 0, ½ or 1 decides."""
CLASSES = ("sure", "1, never attained", "½", "0", "not decided")


def parts(settings: Settings, seed: int) -> list[Part]:
    """The cells of every board, and one map."""
    boards = [f"right-turn(radius={radius})" for radius in settings["radii"]]
    cases = [{"game": board, "drawn": board == boards[0]} for board in boards]
    return [Work(name="region", work=region, cases=cases, weight=0.5)]


def region(case: Case) -> Row:
    """The number of cells of every class, the width of the widest interval, and a map if the case asks for one."""
    solution = solve(case["game"], objective="survival", width=NEAR)
    kinds = classes(solution)
    counts = {name: kinds.count(name) for name in CLASSES}
    drawn = map_of(case["game"], solution, player=0) if case["drawn"] else None
    return {"states": len(solution), "width": solution.width, "counts": counts, "map": drawn}


def classes(solution: Solution) -> list[str]:
    """The class of every cell, by its interval and by the proofs of the graph."""
    low, high = solution.low[: len(solution)], solution.high[: len(solution)]
    assert solution.sets is not None, "nothing pays less than infinite play"
    surely = solution.sets.surely_won[: len(solution)]
    near = [(np.abs(low - worth) <= NEAR) & (np.abs(high - worth) <= NEAR) for worth in (1.0, 0.5, 0.0)]
    found: list[str] = np.select([surely, *near], CLASSES[:4], CLASSES[4]).tolist()
    return found


def section(results: Results) -> Iterator[Block]:
    """The classes of cells on every board, and the map."""
    rows = results.rows("region")
    yield Paragraph(
        "An orc runs two squares straight on or to its right, a monkey one square anywhere; the orc wins within one "
        "square. Keffer's Figure 1 marks the cells from which it is guaranteed to capture. These are three classes: "
        "sure, worth 1 although no strategy attains it, and worth ½."
    )
    yield Table(
        ("board", "cells", *CLASSES, "widest interval"),
        [(row["game"], row["states"], *(row["counts"][name] for name in CLASSES), row["width"]) for row in rows],
        "Cells of Right Turn by their proved value for the orc.",
    )
    winnable = {tuple(row["counts"][name] for name in CLASSES[:3]) for row in rows}
    sure, limit, half = next(iter(winnable))
    same = "on all boards" if len(winnable) == 1 else "on the first board; they differ on others"
    yield Conclusion(
        f"The orc may win from {sure + limit + half} cells {same}: {sure} surely, {limit} with a probability as near "
        f"to 1 as it likes but not 1, {half} with ½."
    )
    yield Figure(
        "right-turn",
        "Right Turn: where the orc stands, seen by the monkey in the middle, the orc facing north; "
        f"{rows[0]['map']['caption']}. Arrows are the orc's moves; their lengths are the probabilities. Cells "
        "without one are worth 0.",
        map_figure(rows[0]["map"]),
    )


SECTIONS = (Section(title="Right Turn: the winnable region", parts=("region",), blocks=section),)
