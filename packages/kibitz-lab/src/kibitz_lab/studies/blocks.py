"""The blocks of a report: paragraphs, tables and figures."""

from collections.abc import Callable, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import msgspec

from kibitz_lab.arena.statistics import Estimate
from kibitz_lab.arena.statistics.intervals import digits

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

Cell = str | int | float | Estimate | None


class Table(msgspec.Struct, frozen=True):
    """Rows of words and numbers; an estimate is shown with its interval."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    caption: str = ""
    shown: bool = False
    """Whether `kibitz study` prints it."""

    def plain(self) -> dict[str, Any]:
        """The table as JSON; an estimate becomes its mean, low and high."""
        return {"caption": self.caption, "columns": self.columns, "rows": [list(map(plain, row)) for row in self.rows]}


class Figure(msgspec.Struct, frozen=True):
    """A picture that matplotlib draws when the report is written."""

    name: str
    """The name of its files; letters, digits and dashes."""
    caption: str
    draw: "Callable[[], Picture]"


Block = str | Table | Figure
"""Text is a paragraph, in which `backticks` mark names."""


def words(cell: Cell) -> str:
    """A cell as text: `0.52 (0.47 to 0.58)`, with as many digits as are worth printing."""
    if isinstance(cell, Estimate):
        if isnan(cell.mean):
            return "–"
        places = digits(cell)
        if cell.low == cell.high:
            return f"{cell.mean:.4g}"
        interval = cell.interval_text(places)
        return f"{cell.mean:.{places}f}{f', {interval}' if cell.is_vacuous() else f' ({interval})'}"
    if cell is None or (isinstance(cell, float) and isnan(cell)):
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.4g}" if isinstance(cell, float) else cell


def plain(cell: Cell) -> Any:
    """A cell as JSON."""
    if isinstance(cell, Estimate):
        return {"mean": cell.mean, "low": cell.low, "high": cell.high, "blocks": cell.blocks, "level": cell.level}
    return cell


def numeric(cell: Cell) -> bool:
    """Whether a cell is a number."""
    return isinstance(cell, (int, float, Estimate))
