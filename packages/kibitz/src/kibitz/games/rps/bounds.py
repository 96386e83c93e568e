"""Bounds on the value of a position of rock-paper-scissors, for solvers."""

from kibitz import core
from kibitz.core.kit.numbers import Bounds, Heuristic
from kibitz.games.rps.rules import UNLIMITED, State


def value_range(state: core.State) -> Bounds:
    """A win or a loss; or as many points as there are rounds."""
    assert isinstance(state, State)
    most = state.game.utility[1]
    return (-most if state.game.goal == "points" else state.game.loss), most


def streak(state: core.State) -> Bounds:
    """An even player wins, loses and ties a third of the rounds, whatever the other does; the next few in a row."""
    assert isinstance(state, State)
    game, own, others, left = state.game, state.own, state.others, state.left
    if game.goal == "points":
        return float(own - others - left), float(own - others + left)
    if game.goal == "tie":
        tied = game.loss + (1.0 - game.loss) * (1.0 / 3.0) ** left
        return tied, tied
    wanted = game.wins - own
    if left != UNLIMITED and wanted > left:
        return game.loss, game.loss
    stopped = 0.0  # how likely an even player 1 is to succeed first
    if game.goal == "ever" and left != UNLIMITED:
        stopped = (2.0 / 3.0) ** left
    elif game.goal == "first" and (left == UNLIMITED or left >= game.wins - others):
        stopped = (1.0 / 3.0) ** (game.wins - others)
    return game.loss + (1.0 - game.loss) * (1.0 / 3.0) ** wanted, 1.0 - (1.0 - game.loss) * stopped


BOUNDS = {"streak": Heuristic(streak), "range": Heuristic(value_range)}
