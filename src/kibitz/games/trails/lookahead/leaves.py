"""The values of positions where look-ahead ends."""

from kibitz.games.trails.lookahead.line import Line
from kibitz.games.trails.models.predictors import Predictors


def best_use(line: Line, player: int) -> float:
    """What a player is sure of: their BestUse, which needs no further deal; the score if the game is over."""
    state = line.state
    if state.is_terminal():
        return state.returns()[player]
    return float(state.board.best_use(state.positions[player], state.assumed_chips(player)))


def learned_value(line: Line, player: int, predictors: Predictors) -> float:
    """What negotiators earned from such positions, but no less than the player is sure of."""
    sure = best_use(line, player)
    if line.state.is_terminal():
        return sure
    predictors.history = line.history
    return max(sure, predictors.value(line.state, player))
