"""`Board`: coloured squares, starts, chips, the goal and the scoring, with questions about what chips can reach."""

from functools import cached_property, lru_cache
from typing import Annotated

import msgspec

from kibitz.games.trails.best_use import Frontier, find_frontier
from kibitz.games.trails.chips import Chips, short

REMEMBERED = 1 << 16
"""How many answers about sets of chips are kept for each board."""
STEPS = {"up": (-1, 0), "left": (0, -1), "right": (0, 1), "down": (1, 0)}
"""The ways a player may go, in the order of their actions."""


class Scoring(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points for reaching the goal, for each chip that is left, and for each step that is left to the goal."""

    goal: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 100
    chip: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 5
    distance: Annotated[int, msgspec.Meta(ge=-10_000, le=0)] = -10


class Board(msgspec.Struct, frozen=True, dict=True, eq=False):
    """Squares are numbered row by row from the upper left. Where chips are hidden, players are dealt a hand."""

    name: str
    rows: int
    cols: int
    colours: tuple[str, ...]
    grid: tuple[int, ...]
    """The colour of each square."""
    goal: int
    starts: tuple[int, ...]
    chips: tuple[Chips, ...]
    """What each player holds at the start where chips are open."""
    hands: tuple[tuple[Chips, ...], ...]
    """What each player may be dealt where chips are hidden."""
    names: tuple[str, ...]
    scoring: Scoring = Scoring()
    about: str = ""

    @property
    def players(self) -> int:
        return len(self.starts)

    @cached_property
    def in_play(self) -> Chips:
        """The most chips of each colour that there can be."""
        dealt = [tuple(map(max, *(*hands, self.chips[player]), zeros(self))) for player, hands in enumerate(self.hands)]
        return tuple(map(sum, zip(*dealt, strict=True)))

    @cached_property
    def neighbours(self) -> tuple[tuple[int | None, ...], ...]:
        """The square each of `STEPS` leads to from each square; None is off the board."""
        return tuple(
            tuple(self.square(row + down, col + right) for down, right in STEPS.values())
            for row in range(self.rows)
            for col in range(self.cols)
        )

    @cached_property
    def distances(self) -> tuple[int, ...]:
        """Steps from each square to the goal."""
        goal_row, goal_col = divmod(self.goal, self.cols)
        return tuple(abs(row - goal_row) + abs(col - goal_col) for row in range(self.rows) for col in range(self.cols))

    def square(self, row: int, col: int) -> int | None:
        """The number of a square; None where it is off the board."""
        return row * self.cols + col if 0 <= row < self.rows and 0 <= col < self.cols else None

    def score(self, square: int, chips: Chips) -> int:
        """What a player has who ends on *square* with *chips*."""
        scoring = self.scoring
        reached = scoring.goal if square == self.goal else 0
        return reached + scoring.chip * sum(chips) + scoring.distance * self.distances[square]

    @cached_property
    def frontiers(self) -> dict[int, Frontier]:
        """What can be reached from the squares that were asked about so far."""
        return {}

    def frontier(self, square: int) -> Frontier:
        """What can be reached from *square*, worked out once."""
        found = self.frontiers.get(square)
        if found is None:
            found = self.frontiers[square] = find_frontier(self, square)
        return found

    @cached_property
    def _answers(self) -> "AnswerCache":
        return AnswerCache(self)

    def best_use(self, square: int, chips: Chips) -> int:
        """The best score from *square* with *chips*, by any path they pay for; of chips in play."""
        return self._answers.best_use(square, chips)

    def independent(self, square: int, chips: Chips) -> bool:
        """Whether *chips* pay a path from *square* to the goal (task-independent, TI)."""
        return self._answers.missing(square, chips) == 0

    def missing(self, square: int, chips: Chips, others: Chips | None = None) -> int | None:
        """How many chips are lacking on the cheapest path to the goal; None where there is none.

        With *others*, only paths count whose missing chips are among them.
        """
        return self._answers.missing(square, chips, others)

    def lacking(self, square: int, chips: Chips, others: Chips | None = None) -> Chips | None:
        """The chips that are missing, of the first of the cheapest paths."""
        found = self._answers.need(square, chips, others)
        return None if found is None else short(found, chips)

    def need(self, square: int, chips: Chips, others: Chips | None = None) -> Chips | None:
        """All the chips that the first of the cheapest paths takes."""
        return self._answers.need(square, chips, others)


class AnswerCache:
    """Recent answers about sets of chips on one board."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.best_use = lru_cache(REMEMBERED)(lambda square, chips: board.frontier(square).best_use(chips))
        self.need = lru_cache(REMEMBERED)(self.work_out_need)

    def work_out_need(self, square: int, chips: Chips, others: Chips | None = None) -> Chips | None:
        return self.board.frontier(square).cheapest(chips, others)

    def missing(self, square: int, chips: Chips, others: Chips | None = None) -> int | None:
        need = self.need(square, chips, others)
        return None if need is None else sum(short(need, chips))


def zeros(board: Board) -> Chips:
    """No chips at all."""
    return (0,) * len(board.colours)
