"""Whether the mover has won, by the mode of the game."""

from kibitz.games.risk import phases
from kibitz.games.risk.missions import is_fulfilled
from kibitz.games.risk.rules.position import UNKNOWN, Position


def end_if_won(state: Position, *, at_end: bool = False) -> bool:
    """End the game if the mover has won."""
    if (at_end or state.game.victory == "at-once" or has_conquered_all(state)) and has_won(state):
        state.phase, state.to_place = phases.OVER, 0
    return state.phase == phases.OVER


def has_conquered_all(state: Position) -> bool:
    """Whether the mover holds everything."""
    return state.owners.count(state.mover) == len(state.owners)


def has_won(state: Position) -> bool:
    """Whether the mover has done what the mode asks."""
    if state.owners.count(state.mover) >= state.game.territories_to_win:
        return True
    if state.game.mode == "capital":
        return all(state.owners[place] == state.mover for place in state.capitals)
    if state.game.mode != "mission" or state.missions[state.mover] == UNKNOWN:
        return False
    mission = state.game.mission_deck[state.missions[state.mover]]
    facts = state.owners, state.armies, state.destroyers
    return is_fulfilled(state.board, mission, state.mover, *facts, any_blow=state.game.blow == "any")
