"""Boards whose rules a game's parameters change."""

from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from kibitz_axis.battle.problem import Order
from kibitz_axis.board import Board


@lru_cache(maxsize=32)
def adapt_board(
    board: Board,
    turns: int,
    scripted: bool,
    blitz: bool | None,
    noncombat: bool | None,
    losses: Order | None,
    retreat: int | None,
    low_luck: bool | None,
    victory: int | None,
    span: tuple[float, float] | None,
) -> Board:
    """A board with other rules, one object for all games with these rules; None keeps the board's own."""
    fight = {"attacker_losses": losses, "defender_losses": losses, "retreat": retreat, "low_luck": low_luck}
    moves = {"blitz": blitz, "noncombat": noncombat, "victory": victory}
    powers = board.powers if scripted else tuple(replace(power, script=None) for power in board.powers)
    return replace(
        board,
        switches=replace(board.switches, **_given_options(moves)),
        battle_rules=replace(board.battle_rules, **_given_options(fight)),
        powers=powers,
        turns=turns or board.turns,
        span=span or board.span,
    )


def _given_options(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
