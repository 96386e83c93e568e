"""Perft: how many sequences of actions there are of each length; one number that any mistake in the rules changes."""

from itertools import product

from kibitz import core
from kibitz.core.registry import make_game
from kibitz.testing.walks import movers


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
    current = state.current_player()
    if current == core.SIMULTANEOUS:
        sets = [state.legal_actions(player) for player in movers(state, len(state.returns()))]
        for joint in product(*sets):
            child = state.clone()
            child.apply_actions(joint)
            _count(child, depth, counts, ply + 1)
        return
    actions = [a for a, _ in state.chance_outcomes()] if current == core.CHANCE else list(state.legal_actions())
    for action in actions:
        _count(state.child(action), depth, counts, ply + 1)
