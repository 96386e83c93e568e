"""The constants of look-ahead, fitted on negotiators drawn from the family that the belief is about."""

from collections.abc import Iterator
from statistics import fmean
from typing import Any

import msgspec

from kibitz.arena.statistics import mean_interval
from kibitz.games.trails.agents.kibitzer import Kibitzer
from kibitz.games.trails.lookahead.limits import FITTED, Limits
from kibitz.games.trails.models.parameters import prior_particles
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.newcomers.meetings import meet
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

BOARDS = ("dd", "di", "id")
TRIED: dict[str, tuple[Any, ...]] = {
    "risked": (10, 20, 35),
    "frees": (True, False),
    "gains": ((1, 40), (1, 20, 40, 100), (1, 10, 20, 40, 70, 100, 130)),
    "scouts": (2, 3, 5),
    "kept": (2, 4, 6),
    "caution": (0.3, 0.5, 0.7),
}
"""Values of each constant, the one to begin with in the second place."""
BEGINNING = {name: values[1] for name, values in TRIED.items()}
DRAWS, FIRST = 5000, 4000
"""Opponents are draws that the belief does not hold: those from the number *FIRST* on, of so many."""
SETTINGS: Settings = {"fitting_opponents": 7, "fitting_nodes": 1000}
QUICK: Settings = {"fitting_opponents": 1, "fitting_nodes": 100}


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every value of every constant, the others as they began, with the same opponents."""
    changes = [(name, place) for name, values in TRIED.items() for place in range(len(values)) if place != 1]
    cases = [
        {"constant": name, "place": place, "opponent": number, "nodes": settings["fitting_nodes"]}
        for name, place in (("", 1), *changes)
        for number in range(settings["fitting_opponents"])
    ]
    return [Work(name="fitting", work=earned_with, cases=cases)]


def earned_with(case: Case) -> Row:
    """What the agent earns with some constants from one drawn negotiator, in both seats."""
    number = case["opponent"]
    opponent, found = prior_particles(DRAWS).agent(FIRST + number), []
    for seat in (0, 1):
        agent = Kibitzer(nodes=case["nodes"])
        agent.limits = limits_with(case["constant"], case["place"])
        found.append(meet(BOARDS[number % len(BOARDS)], agent, seat, opponent, seed=number).own)
    return {"own": fmean(found)}


def limits_with(constant: str, place: int) -> Limits:
    """The constants to begin with, one of them changed to the value in this place."""
    return msgspec.convert({**BEGINNING, **({constant: TRIED[constant][place]} if constant else {})}, Limits)


def fitting_blocks(results: Results) -> Iterator[Block]:
    """What every value earns more than the one to begin with, opponent by opponent."""
    rows = results.rows("fitting")
    began = {row["opponent"]: row["own"] for row in rows if not row["constant"]}
    table: list[tuple[Cell, ...]] = []
    for name, values in TRIED.items():
        for place, value in enumerate(values):
            here = [row for row in rows if row["place"] == place and row["constant"] == (name if place != 1 else "")]
            gains = mean_interval([row["own"] - began[row["opponent"]] for row in here])
            table.append((name, str(value), gains, "yes" if getattr(FITTED, name) == value else ""))
    yield Table(("constant", "value", "earns more", "taken"), table, "Points per game (95 % interval over opponents).")
    yield Paragraph(
        f"The opponents are {len(began)} negotiators drawn from the parametric family, which are not among the draws "
        "that the belief holds, on the boards DD, DI and ID in turn, both seats. A value is taken in place of the "
        "first one if it earns more, and the interval excludes 0."
    )
    clear = [f"{row[0]}={row[1]}" for row in table if row[3] and row[2].low > 0.0]  # type: ignore[union-attr]
    yield Conclusion(f"Constants that were changed by fitting: {', '.join(clear) or 'none'}.")


SECTIONS = (Section(title="The constants of look-ahead", parts=("fitting",), blocks=fitting_blocks),)
