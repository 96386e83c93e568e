"""Colored Trails, Alternating Offers (Pozin 2010): the game and its options."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal

from kibitz import core
from kibitz.games.trails.board import Board
from kibitz.games.trails.boards import BOARDS, load
from kibitz.games.trails.state import State


class Trails(core.Game):
    """Colored Trails, Alternating Offers: trade chips by promises that do not bind, and reach the goal.

    *board* is the name of one that comes with the game, a TOML file, or `layers(rows=7, cols=5, missing=[3, 3])`.
    With `hidden_chips` players see only their own. The game ends when a player has not moved for *dormancy_limit*
    rounds, and after *max_rounds* if that is given. *preparation* adds a phase before the first round, to plan in.
    """

    zero_sum = False
    usual_model = "trails.types"

    def __init__(
        self,
        board: str = "dd",
        visibility: Literal["full", "hidden_chips"] = "full",
        dormancy_limit: core.Count = 3,
        max_rounds: core.Count | None = None,
        preparation: bool = False,
    ) -> None:
        self.board, self.visibility, self.dormancy_limit = board, visibility, dormancy_limit
        self.max_rounds, self.preparation = max_rounds, preparation
        self.hidden = visibility == "hidden_chips"

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild_game, (
            type(self),
            self.parameters(),
        )  # a process reads the board once for all states that it gets

    @classmethod
    def known_values(cls, parameter: str) -> Iterable[str]:
        return BOARDS if parameter == "board" else ()

    @cached_property
    def layout(self) -> Board:
        """The board itself."""
        return load(self.board)

    @cached_property
    def players(self) -> int:  # type: ignore[override]
        return self.layout.players

    @cached_property
    def utility(self) -> tuple[float, float]:  # type: ignore[override]
        board = self.layout
        most = max(board.best_use(start, board.in_play) for start in board.starts)
        return float(board.scoring.distance * max(board.distances)), float(most)

    @cached_property
    def bases(self) -> tuple[int, ...]:
        """The radix of each colour in actions that name chips."""
        return tuple(most + 1 for most in self.layout.in_play)

    def new_initial_state(self) -> State:
        return State(self)

    def player_name(self, player: int) -> str:
        return self.layout.names[player]


def rebuild_game(kind: type[Trails], parameters: dict[str, Any]) -> Trails:
    """The game that a pickle holds."""
    return kind(**parameters)
