"""Colored Trails, Alternating Offers (Pozin 2010): the game and the rules that the thesis leaves open."""

from functools import cached_property
from typing import Any, Literal

from kibitz import core
from kibitz.games.trails.board import Board
from kibitz.games.trails.boards import load
from kibitz.games.trails.state import State


class Trails(core.Game):
    """Colored Trails, Alternating Offers: trade chips by promises that do not bind, and reach the goal.

    *board* is the name of one that comes with the game, a TOML file, or `layers(rows=7, cols=5, missing=[3, 3])`.
    The other parameters are the rules that the thesis leaves open; docs/games/trails.md describes each of them.
    """

    zero_sum = False

    def __init__(
        self,
        board: str = "dd",
        first_proposer: Literal["alternate", "always_p0", "last_rejecter"] = "alternate",
        max_proposals: core.Count = 2,
        allow_pass: bool = True,
        one_sided_offers: bool = True,
        visibility: Literal["full", "hidden_chips"] = "full",
        move_order: Literal["simultaneous", "proposer_first"] = "simultaneous",
        share_square: bool = True,
        backward_moves: bool = True,
        leave_goal: bool = False,
        goal_can_trade: bool = True,
        dormancy_limit: core.Count = 3,
        goal_counts_dormant: bool = False,
        stuck_counts_dormant: bool = True,
        ti_end_check: Literal["after_exchange_and_move", "after_exchange", "also_at_start"] = "after_exchange_and_move",
        auto_advance: Literal["best", "goal"] = "best",
        max_rounds: core.Count | None = None,
        preparation: bool = False,
    ) -> None:
        self.board, self.first_proposer, self.max_proposals = board, first_proposer, max_proposals
        self.allow_pass, self.one_sided_offers, self.visibility = allow_pass, one_sided_offers, visibility
        self.move_order, self.share_square, self.backward_moves = move_order, share_square, backward_moves
        self.leave_goal, self.goal_can_trade, self.dormancy_limit = leave_goal, goal_can_trade, dormancy_limit
        self.goal_counts_dormant, self.stuck_counts_dormant = goal_counts_dormant, stuck_counts_dormant
        self.ti_end_check, self.auto_advance = ti_end_check, auto_advance
        self.max_rounds, self.preparation = max_rounds, preparation
        self.hidden = visibility == "hidden_chips"

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild_game, (
            type(self),
            self.parameters(),
        )  # a process reads the board once for all states that it gets

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
