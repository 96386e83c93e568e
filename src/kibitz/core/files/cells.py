"""Cells of CSV files: text that a spreadsheet would take for a formula is marked with an apostrophe."""

import re
from typing import TypeVar

Cell = TypeVar("Cell")
FORMULA = re.compile(r"'*[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf", re.IGNORECASE)


def csv_cell(value: Cell) -> Cell | str:
    """A value as a cell; numbers stay as they are.

    >>> [csv_cell(value) for value in ("=1+1", "-3.5", "grim", -2)]
    ["'=1+1", '-3.5', 'grim', -2]
    """
    formula = isinstance(value, str) and FORMULA.match(value) and not NUMBER.fullmatch(value)
    return f"'{value}" if formula else value


def cell_text(cell: str) -> str:
    """The text of a cell that `csv_cell` wrote."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
