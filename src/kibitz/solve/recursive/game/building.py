"""Turn any game of kibitz into a recursive game, and a recursive game into one with other payoffs."""

from collections.abc import Callable

import msgspec

from kibitz import core
from kibitz.core.errors import BadGame, short_repr
from kibitz.core.registry import kit_of, make_game
from kibitz.solve.recursive.game.enumeration import ENUMERATED_LIMIT, endless_payoff, enumerate_game
from kibitz.solve.recursive.game.game import RecursiveGame, beyond_infinite_play, check_infinite_play
from kibitz.solve.recursive.game.sizes import check_size
from kibitz.solve.recursive.game.tabled import STATE_LIMIT, from_table


def build_game(
    game: str | core.Game | RecursiveGame,
    *,
    infinite_play: float | None = None,
    limit: int | None = None,
    table: bool = True,
    told: Callable[[str], None] | None = None,
    steps: int | None = None,
) -> RecursiveGame:
    """Build a recursive game from any finite zero-sum game of two players without secrets; a recursive one is returned.

    A registered game that offers `table` is read from it; any other is enumerated from its initial state, by at most
    *steps* steps of the rules. *infinite_play* is what play without end pays player 0; by default what the game's own
    `infinite_play` says, or 0. A game of more than *limit* states is refused, as early as random matches can tell.
    *told* is called with progress.
    """
    if limit is not None and (type(limit) is not int or limit < 1):
        raise BadGame("the limit", f"it must be a whole number, at least 1, not {short_repr(limit)}")
    if isinstance(game, RecursiveGame):
        check_size("the game", game.choices, limit or game.choices)
        if infinite_play is None:
            return game
        low, high = (beyond_infinite_play(ends + game.infinite_play, infinite_play) for ends in (game.low, game.high))
        return msgspec.structs.replace(game, low=low, high=high, infinite_play=infinite_play)
    made = make_game(game)
    check_solvable(made)
    endless = endless_payoff(made) if infinite_play is None else infinite_play
    check_infinite_play(endless)
    make_table = kit_of(made).table if table else None
    if make_table is not None:
        return from_table(made, make_table(made), infinite_play=endless, limit=limit or STATE_LIMIT)
    return enumerate_game(made, infinite_play=endless, limit=limit or ENUMERATED_LIMIT, told=told, steps=steps)


def check_solvable(game: core.Game) -> None:
    """Raise BadGame for a game that the solver cannot solve."""
    if game.players != 2 or not game.zero_sum or game.hidden:
        raise BadGame(game, "only games of two players, zero-sum and without secrets can be solved")


def survival(game: RecursiveGame) -> RecursiveGame:
    """The same game played to win: payoffs above that of infinite play count 1, all others 0 (4.7)."""
    return msgspec.structs.replace(
        game, low=(game.low > 0.0).astype(float), high=(game.high > 0.0).astype(float), infinite_play=0.0
    )


def complement(game: RecursiveGame) -> RecursiveGame:
    """The same game of survival in which a win is worth 0 and all else -1, infinite play included.

    Near a sure win, values near 0 keep the digits that values near 1 lose.
    """
    return msgspec.structs.replace(game, low=game.low - 1.0, high=game.high - 1.0)
