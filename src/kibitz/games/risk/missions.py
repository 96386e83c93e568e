"""Whether a player has fulfilled a mission, and the continents a player holds."""

from collections.abc import Sequence

from kibitz.games.risk.board import Board, Mission

ALIVE = -1
"""The destroyer of a player who is not destroyed."""


def held_continents(board: Board, owners: Sequence[int], player: int) -> list[int]:
    """The continents a player holds all of."""
    return [number for number, members in enumerate(board.members) if all(owners[place] == player for place in members)]


def is_fulfilled(
    board: Board,
    mission: Mission,
    player: int,
    owners: Sequence[int],
    armies: Sequence[int],
    destroyers: Sequence[int],
    *,
    any_blow: bool = False,
) -> bool:
    """Whether *player* has fulfilled their mission; with *any_blow* it does not matter who destroyed the victim."""
    victim = mission.destroy
    if victim is not None and victim != player:
        if destroyers[victim] == ALIVE:
            return False
        if any_blow or destroyers[victim] == player:
            return True
    if mission.territories:
        places = zip(owners, armies, strict=True)
        if sum(owner == player and count >= mission.armies for owner, count in places) >= mission.territories:
            return True
    if not mission.asks_continents:
        return False
    held = held_continents(board, owners, player)
    return all(each in held for each in mission.named_continents) and len(held) >= mission.least_continents
