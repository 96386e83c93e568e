"""Reads Khan's CSV files, packed with gzip or not."""

from pathlib import Path

from kibitz.core.files import cell_text
from kibitz_risk.domination_logs import packed_text
from kibitz_risk.thesis_csv import WINNER, PlayerReport

BLOCK = 15
"""The lines of a player: name, outcome, mission, and twelve explanations."""


def read_csv(path: Path) -> list[PlayerReport]:
    """The players of a file, in its order."""
    lines = [line.rstrip(" ,") for line in packed_text(path).splitlines()]
    rows = [[cell.strip() for cell in line.split(",")] for line in lines if line]
    return [player_report(rows[start : start + BLOCK]) for start in range(0, len(rows), BLOCK)]


def player_report(rows: list[list[str]]) -> PlayerReport:
    """One player's lines."""
    [name], [outcome], [mission, *_], *explanations = rows
    columns = {cell_text(label): tuple(map(float, cells)) for label, *cells in explanations}
    return PlayerReport(cell_text(name), outcome == WINNER, cell_text(mission), columns)
