"""When a game is won."""

from kibitz.core.kernels import kernel
from kibitz.games.risk.phases import OVER
from kibitz.games.risk.position import CAPITALS, MISSIONS, NOBODY, Position, Setting, Task


@kernel
def holds(game: Setting, position: Position, continent: int, player: int) -> bool:
    """Whether a player has all territories of a continent."""
    for place in game.members[continent]:  # noqa: SIM110  (kernels have no generators)
        if position.owners[place] != player:
            return False
    return True


@kernel
def is_fulfilled(game: Setting, position: Position, task: Task) -> bool:
    """Whether the mover has done what a mission asks."""
    player = position.mover
    if task.victim not in (NOBODY, player):
        destroyer = position.destroyers[task.victim]
        if destroyer == NOBODY:
            return False
        if game.any_blow or destroyer == player:
            return True
    if 0 < task.territories <= position.holdings[player]:
        count = 0
        for place in range(game.territories):
            count += position.owners[place] == player and position.armies[place] >= task.armies
        if count >= task.territories:
            return True
    return bool(task.asks_continents) and holds_continents(game, position, task)


@kernel
def holds_continents(game: Setting, position: Position, task: Task) -> bool:
    """Whether the mover has the continents of a mission, and as many as it asks for."""
    for continent in task.continents:
        if continent >= 0 and not holds(game, position, continent, position.mover):
            return False
    count = 0
    for continent in range(game.continents if task.least_continents else 0):
        count += holds(game, position, continent, position.mover)
    return count >= task.least_continents


@kernel
def has_won(game: Setting, position: Position) -> bool:
    """Whether the mover has done what the mode asks."""
    player = position.mover
    if position.holdings[player] >= game.territories_to_win:
        return True
    if game.mode == CAPITALS:
        for place in position.capitals:  # noqa: SIM110
            if position.owners[place] != player:
                return False
        return True
    if game.mode != MISSIONS or position.missions[player] == NOBODY:
        return False
    return is_fulfilled(game, position, game.missions[position.missions[player]])


@kernel
def end_if_won(game: Setting, position: Position, is_turn_end: bool) -> bool:
    """End the game if the mover has won; some games end only with a turn, or when one player has everything."""
    if game.at_turn_end and not is_turn_end and position.holdings[position.mover] < game.territories:
        return False
    if not has_won(game, position):
        return False
    position.phase, position.to_place = OVER, 0
    return True
