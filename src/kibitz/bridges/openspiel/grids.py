"""Finds the board in the text of a position of OpenSpiel: rows of single letters, a FEN, labels of rows and columns."""

import re
from string import ascii_lowercase

import msgspec

EMPTY = ".-+_·"
"""Signs of empty squares; the first of them that is on a board is the one that is meant there."""
COLOUR = re.compile(r"\x1b\[\d*m")
FEN = re.compile(r"((?:[a-zA-Z1-9?]+/){5,}[a-zA-Z1-9?]+)(?: (.*))?")
HALVES = re.compile(r"\|([ .xoXO\d]+)\|([ .xoXO\d]+)\|")
"""A row of a board in two halves, as in backgammon."""


class Grid(msgspec.Struct, frozen=True):
    """A board in the text of a position: its rows, their labels, those of the columns, and the other lines."""

    rows: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    columns: str
    others: tuple[str, ...]

    @property
    def empty(self) -> str:
        """The sign of an empty square; boards of numbers have 0."""
        letters = {letter for row in self.rows for letter in row}
        if all(letter.isdigit() for letter in letters):
            return "0"
        return next((sign for sign in EMPTY if sign in letters), " ")

    def is_empty(self, x: int, y: int) -> bool:
        """Whether there is nothing on a square."""
        return self.rows[y][x] in (self.empty, " ")

    def holds(self, x: int, y: int) -> bool:
        """Whether there is such a square."""
        return 0 <= y < len(self.rows) and 0 <= x < len(self.rows[0])

    def row_of(self, label: str) -> int:
        """The place of a row by its label, without labels by its number from above; -1 if there is no such row."""
        if any(self.labels):
            return self.labels.index(label) if label in self.labels else -1
        return int(label) - 1


def find_grid(text: str) -> Grid | None:
    """The board in a text: three or more lines that follow each other, of equally many single letters."""
    fen = FEN.fullmatch(text.strip())
    if fen is not None:
        return fen_grid(fen[1], fen[2] or "")
    lines = [COLOUR.sub("", line) for line in text.splitlines()]
    letters = {number: found for number, line in enumerate(lines) if (found := column_labels(line))}
    cells = [("", ()) if number in letters else row_cells(line) for number, line in enumerate(lines)]
    best: range | None = None
    start = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or len(cells[end][1]) != len(cells[start][1]):
            if len(cells[start][1]) >= 3 and end - start >= 3 and (best is None or end - start > len(best)):
                best = range(start, end)
            start = end
    if best is None:
        return None
    width = len(cells[best[0]][1])
    columns = next((found for found in letters.values() if len(found) == width), "")
    rest = [
        number for number, line in enumerate(lines) if number not in best and number not in letters and line.strip()
    ]
    others = tuple(lines[number].strip() for number in rest if set(lines[number]) - set("+-| "))
    return Grid(tuple(cells[n][1] for n in best), tuple(cells[n][0] for n in best), columns, others)


def fen_grid(board: str, rest: str) -> Grid | None:
    """The board of a FEN, the notation of positions in chess; None if its rows differ in length."""
    rows = [re.sub(r"\d", lambda found: "." * int(found[0]), row) for row in board.split("/")]
    if len({len(row) for row in rows}) > 1:
        return None
    labels = tuple(str(number) for number in range(len(rows), 0, -1))
    turn = {"w": "white moves", "b": "black moves"}.get(rest[:1], rest)
    return Grid(tuple(map(tuple, rows)), labels, ascii_lowercase[: len(rows[0])], (turn,) if turn else ())


def column_labels(line: str) -> str:
    """The letters below or above a board, if a line holds nothing else: `a b c`."""
    letters = "".join(line.split()).lower()
    return letters if len(letters) >= 3 and letters == ascii_lowercase[: len(letters)] else ""


def row_cells(line: str) -> tuple[str, tuple[str, ...]]:
    """The label and the cells of a line; no cells if it is no row of a board."""
    halves = HALVES.fullmatch(line.strip())
    if halves is not None:
        return "", (*halves[1], "|", *halves[2])
    numbers = line.split()
    if len(numbers) >= 3 and all(part.isdigit() for part in numbers) and "  " in line.strip():
        return "", tuple(numbers)
    found = re.fullmatch(r"\s*(\d{1,2}(?=[^\d]))?(.*)", line)
    label, rest = (found[1] or "", found[2]) if found else ("", line)
    rest = rest.strip("| ")
    if label and re.search(rf"\s{label}$", rest):
        rest = rest.removesuffix(label).strip("| ")
    if "|" in rest:
        parts = [part.strip() or " " for part in rest.split("|")]
    elif " " in rest:
        parts = rest.split()
    else:
        parts = list(rest)
    return (label, tuple(parts)) if len(parts) >= 3 and all(len(part) == 1 for part in parts) else (label, ())
