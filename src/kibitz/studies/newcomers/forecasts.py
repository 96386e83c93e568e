"""How well `trails.types` predicts whether offers are accepted: by negotiators it knows, and by newcomers."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kibitz.arena.scoring.calibration import BINS, bin_of
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.registry import make_agent
from kibitz.games.trails.agents.negotiator import Negotiator
from kibitz.games.trails.agents.population import PDA19
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.newcomers.family import newcomer, random_board
from kibitz.studies.newcomers.meetings import forecasts
from kibitz.studies.newcomers.strength import BOARDS, FIELD
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

Floats = NDArray[np.float64]
PARTNERS = ("trails.deception", "trails.honest", "trails.one_by_one", "trails.generous")
"""Those who make the offers, one after the other."""
SETTINGS: Settings = {"forecast_known": PDA19, "forecast_newcomers": 30}
QUICK: Settings = {"forecast_known": PDA19[:1], "forecast_newcomers": 1}
LEAST = 1e-4


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every known negotiator and every newcomer with all partners, on all boards, newcomers on a random one, too."""
    cases = [{"opponent": each, "board": board} for each in settings["forecast_known"] for board in BOARDS]
    for number in range(settings["forecast_newcomers"]):
        cases += [{"opponent": number, "board": board} for board in (*BOARDS, random_board(number, FIELD))]
    return [Work(name="forecasts", work=forecast_row, cases=cases)]


def forecast_row(case: Case) -> Row:
    """The forecasts of one opponent's answers to all partners, and the answers."""
    name = case["opponent"]
    opponent = make_agent(name) if isinstance(name, str) else newcomer(name, FIELD)
    assert isinstance(opponent, Negotiator)
    found = [
        each
        for number, partner in enumerate(PARTNERS)
        for each in forecasts(case["board"], partner, number % 2, opponent, seed=number)
    ]
    return {"shares": [each.share for each in found], "accepted": [each.accepted for each in found]}


def forecast_blocks(results: Results) -> Iterator[Block]:
    """Log loss and calibration error, beside those of the base rate."""
    rows = results.rows("forecasts")
    table: list[tuple[Cell, ...]] = []
    for group, here in (
        ("known", [row for row in rows if isinstance(row["opponent"], str)]),
        ("newcomers", [row for row in rows if not isinstance(row["opponent"], str)]),
    ):
        shares, accepted, units = columns(here)
        rate = float(accepted.mean())
        base = log_loss(np.full(len(accepted), rate), accepted).mean()
        loss: Estimate = mean_interval(log_loss(shares, accepted), units)
        table.append((group, len(shares), rate, loss, float(base), calibration_error(shares, accepted)))
    headings = ("opponents", "answers", "accepted", "log loss", "of the base rate", "calibration error")
    yield Table(headings, table, "Forecasts of answers by `trails.types` (95 % interval over opponents).", shown=True)
    yield Paragraph(
        f"Offers are made by {', '.join(f'`{name}`' for name in PARTNERS)}; the newcomers are those of the strength "
        "section. The calibration error is the mean gap between forecasts and outcomes over ten equally wide bins."
    )
    yield Conclusion(
        f"Acceptance by newcomers is predicted with log loss {table[1][3].mean:.3f} (base rate {table[1][4]:.3f}) and "  # type: ignore[union-attr]
        f"calibration error {table[1][5]:.3f}; by known negotiators {table[0][5]:.3f}."
    )


def columns(rows: Sequence[Row]) -> tuple[Floats, Floats, list[str]]:
    """All forecasts, all answers, and whose they are."""
    shares = np.array([share for row in rows for share in row["shares"]])
    accepted = np.array([float(each) for row in rows for each in row["accepted"]])
    return shares, accepted, [str(row["opponent"]) for row in rows for _ in row["shares"]]


def log_loss(shares: Floats, accepted: Floats) -> Floats:
    """The log loss of each forecast."""
    told = np.clip(shares, LEAST, 1.0 - LEAST)
    return np.asarray(-np.log(np.where(accepted > 0.5, told, 1.0 - told)))


def calibration_error(shares: Floats, accepted: Floats) -> float:
    """The mean gap between forecasts and outcomes, bin by bin."""
    bins = bin_of(shares)
    gaps = [abs((shares - accepted)[bins == each].sum()) for each in range(BINS)]
    return float(sum(gaps) / max(len(shares), 1))


SECTIONS = (Section(title="Forecasts of answers", parts=("forecasts",), blocks=forecast_blocks),)
