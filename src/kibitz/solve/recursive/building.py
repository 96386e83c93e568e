"""Any game of kibitz as a recursive game, and the same game played for other payoffs."""

from math import isfinite

import msgspec

from kibitz import core
from kibitz.core.errors import BadGame
from kibitz.core.registry import ability, entries, has_ability, make_game, spec_of
from kibitz.solve.recursive.enumeration import ENUMERATED_LIMIT, enumerated
from kibitz.solve.recursive.model import RecursiveGame
from kibitz.solve.recursive.tabled import STATE_LIMIT, from_table


def built(
    game: str | core.Game,
    *,
    infinite_play: float | None = None,
    limit: int | None = None,
    table: bool = True,
    steps: int | None = None,
) -> RecursiveGame:
    """Any finite game of two players, zero-sum and without secrets, ready to be solved.

    A registered game that offers `TABLE` is read off it, any other enumerated from its initial state, by at most so
    many *steps* of the rules.
    """
    made = make_game(game)
    check_solvable(made)
    worth = made.infinite_play(made.new_initial_state())[0] if infinite_play is None else infinite_play
    if not isfinite(worth):
        raise BadGame("infinite play", f"it is worth some number, not {worth}")
    name = spec_of(made).name
    if table and name in entries("game") and has_ability(name, "TABLE"):
        return from_table(made, ability(name, "TABLE")(made), infinite_play=worth, limit=limit or STATE_LIMIT)
    return enumerated(made, infinite_play=worth, limit=limit or ENUMERATED_LIMIT, steps=steps)


def check_solvable(game: core.Game) -> None:
    """Raise BadGame where a game is of no kind that can be solved."""
    if game.players != 2 or not game.zero_sum or game.hidden:
        raise BadGame(game, "only games of two players, zero-sum and without secrets can be solved")


def survival(game: RecursiveGame) -> RecursiveGame:
    """The same game played to win: payoffs above that of infinite play count 1, all others 0 (4.7)."""
    return msgspec.structs.replace(
        game, low=(game.low > 0.0).astype(float), high=(game.high > 0.0).astype(float), infinite_play=0.0
    )


def complement(game: RecursiveGame) -> RecursiveGame:
    """The same game of survival in which a win is worth 0 and everything else -1, infinite play included.

    Near a sure win, values near 0 keep the digits that values near 1 lose.
    """
    return msgspec.structs.replace(game, low=game.low - 1.0, high=game.high - 1.0)
