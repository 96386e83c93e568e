"""Matrix games: both choose once, and the entry of the matrix is what player 0 wins (Keffer 2013, section 3.1)."""

from kibitz.core.errors import BadSpec
from kibitz_solve.games.rules import Position, Recursive, State

UNDECIDED: Position = (0,)
ROCK_PAPER_SCISSORS = ((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0))


class Matrix(Recursive):
    """A matrix game: one row against one column, once; *rows* and *columns* name the actions."""

    quantities = ("chosen",)

    def __init__(
        self,
        payoffs: tuple[tuple[float, ...], ...] = ROCK_PAPER_SCISSORS,
        rows: tuple[str, ...] = ("rock", "paper", "scissors"),
        columns: tuple[str, ...] = ("rock", "paper", "scissors"),
    ) -> None:
        self.payoffs, self.rows, self.columns = payoffs, rows, columns
        self.names = rows, columns
        most = max((abs(entry) for row in payoffs for entry in row), default=0.0) or 1.0
        self.utility = (-most, most)

    def new_initial_state(self) -> State:
        shape = {len(self.columns)} if len(self.payoffs) == len(self.rows) else set()
        if not self.rows or not self.columns or {len(row) for row in self.payoffs} != shape:
            raise BadSpec(
                repr(self), "payoffs needs a list of numbers per name in rows, one number per name in columns"
            )
        return super().new_initial_state()

    def opening(self) -> Position:
        return UNDECIDED

    def follow(self, position: Position, actions: tuple[int, ...]) -> Position:
        return (1, *actions)

    def payoff(self, position: Position) -> float | None:
        return None if position == UNDECIDED else self.payoffs[position[1]][position[2]]

    def describe(self, position: Position) -> str:
        if position == UNDECIDED:
            return "nobody has chosen"
        return f"{self.rows[position[1]]} against {self.columns[position[2]]}: {self.payoff(position):g}"


class MacWiggins(Matrix):
    """The MacWiggins brothers: Sven punches left or right, Olaf dodges left or right (Keffer 2013, eq. 3.2)."""

    seats = ("Sven", "Olaf")

    def __init__(self) -> None:
        super().__init__(((1.0, -1.0), (-1.0, 1.0)), ("PL", "PR"), ("DL", "DR"))
