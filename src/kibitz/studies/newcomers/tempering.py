"""How far forecasts of a stranger's answers are tempered: two numbers, fitted to negotiators who are not judged."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from kibitz.games.trails.agents.negotiator import Negotiator
from kibitz.games.trails.models.parameters import prior_particles, sigmoid
from kibitz.games.trails.models.types import TEMPER
from kibitz.studies.blocks import Block, Cell, Paragraph, Table
from kibitz.studies.newcomers.family import newcomer
from kibitz.studies.newcomers.fitting import DRAWS, FIRST
from kibitz.studies.newcomers.forecasts import PARTNERS, calibration_error, log_loss
from kibitz.studies.newcomers.meetings import forecasts
from kibitz.studies.newcomers.strength import BOARDS
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

Floats = NDArray[np.float64]
SEEDS = (11, 12)
"""The seeds of the newcomers that the numbers are fitted to: others than that of the field."""
PARAMETRIC = "parametric"
SETTINGS: Settings = {"tempering_opponents": 36}
QUICK: Settings = {"tempering_opponents": 1}


def parts(settings: Settings, seed: int) -> list[Part]:
    """Newcomers of two seeds, and negotiators of the family that the belief is about, on the boards in turn."""
    cases = [
        {"field": field, "opponent": number, "board": BOARDS[number % len(BOARDS)]}
        for field in (*SEEDS, PARAMETRIC)
        for number in range(settings["tempering_opponents"])
    ]
    return [Work(name="tempering", work=plain_forecasts, cases=cases)]


def plain_forecasts(case: Case) -> Row:
    """The forecasts of one opponent's answers before they are tempered, and the answers."""
    opponent = drawn_opponent(case["field"], case["opponent"])
    found = [
        each
        for number, partner in enumerate(PARTNERS)
        for each in forecasts(case["board"], partner, number % 2, opponent, seed=number)
    ]
    return {name: [getattr(each, name) for each in found] for name in ("plain", "strange", "accepted")}


def drawn_opponent(field: int | str, number: int) -> Negotiator:
    """A newcomer of a seed, or a draw of the parametric family that the belief does not hold."""
    return newcomer(number, field) if isinstance(field, int) else prior_particles(DRAWS).agent(FIRST + number)


def temper_forecasts(plain: Floats, strange: Floats, temper: Floats) -> Floats:
    """Many forecasts at once; see `tempered_answer`."""
    told = np.clip(plain, 1e-4, 1.0 - 1e-4)
    odds = temper[0] * np.log(told / (1.0 - told)) + temper[1]
    return np.asarray(plain + strange**2 * (sigmoid(odds) - plain))


def fitted_temper(plain: Floats, strange: Floats, accepted: Floats) -> Floats:
    """The two numbers with which the answers are likeliest."""
    found = minimize(
        lambda temper: log_loss(temper_forecasts(plain, strange, temper), accepted).mean(),
        [1.0, 0.0],
        method="Nelder-Mead",
    )
    return np.asarray(found.x, np.float64)


def tempering_blocks(results: Results) -> Iterator[Block]:
    """The fitted numbers, and what they change on the answers that they were fitted to."""
    rows = results.rows("tempering")
    plain, strange, accepted = (
        np.array([float(each) for row in rows for each in row[name]]) for name in ("plain", "strange", "accepted")
    )
    best = fitted_temper(plain, strange, accepted)
    lines: list[tuple[Cell, ...]] = []
    for name, temper in (("as they are", (1.0, 0.0)), ("fitted here", tuple(best)), ("in use", TEMPER)):
        told = temper_forecasts(plain, strange, np.array(temper))
        numbers = (round(float(each), 2) for each in temper)
        lines.append((name, *numbers, float(log_loss(told, accepted).mean()), calibration_error(told, accepted)))
    columns = ("forecasts", "factor of log odds", "added", "log loss", "calibration error")
    yield Table(columns, lines, f"Forecasts of {len(plain)} answers of negotiators who are not judged below.")
    yield Paragraph(
        f"The opponents are newcomers of the seeds {SEEDS[0]} and {SEEDS[1]}, and draws of the parametric family that "
        "the belief does not hold. Only what is expected of strangers is tempered."
    )


SECTIONS = (Section(title="How far forecasts are tempered", parts=("tempering",), blocks=tempering_blocks),)
