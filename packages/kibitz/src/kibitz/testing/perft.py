"""Perft: the number of action sequences of each length; almost any error in the rules changes it."""

from collections.abc import Iterator
from itertools import product

from kibitz import core
from kibitz.core.registry import make_game


def perft(game: str | core.Game | core.State, depth: int) -> list[int]:
    """Sequences of 0, 1 … *depth* events from the start (or a given state), chance outcomes counted like moves.

    >>> perft("kuhn", 3)
    [1, 4, 12, 24]
    """
    state = game if isinstance(game, core.State) else make_game(game).new_initial_state()
    counts = [0] * (depth + 1)
    _count(state, depth, counts, 0)
    return counts


def _count(state: core.State, depth: int, counts: list[int], ply: int) -> None:
    counts[ply] += 1
    if ply == depth or state.is_terminal():
        return
    for actions in _choices(state):
        child = state.clone()
        child.step(actions)
        _count(child, depth, counts, ply + 1)


def _choices(state: core.State) -> Iterator[tuple[int, ...]]:
    """All possible next steps."""
    match state.current_player():
        case core.CHANCE:
            return ((action,) for action, _ in state.chance_outcomes())
        case core.SIMULTANEOUS:
            return product(*(state.legal_actions(player) for player in range(len(state.returns()))))
    return ((action,) for action in state.legal_actions())
