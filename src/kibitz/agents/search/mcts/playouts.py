"""Random playouts, which estimate the value of a position; compiled if the game offers a kernel."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

from kibitz import core
from kibitz.core.abilities import ability
from kibitz.core.abilities.compiled import DRAWN, FIRST_WON, SECOND_WON, CompiledGame, Words
from kibitz.core.kernels import jit_enabled
from kibitz.core.match import drawn_outcome
from kibitz.core.registry import entries, has_ability, spec_of

Playout = Callable[[core.State, int], tuple[Sequence[float], int]]
"""(state, plies) plays on from *state*, which it may change, for at most *plies* plies; it returns the returns of all
players, and how many plies were played."""

RETURNS = {FIRST_WON: (1.0, -1.0), SECOND_WON: (-1.0, 1.0), DRAWN: (0.0, 0.0)}


def playout_for(game: core.Game, rng: core.Rng) -> Playout:
    """The fastest playout there is for *game*."""
    name = spec_of(game).name
    if jit_enabled() and name in entries("game") and has_ability(name, "KERNELS"):
        draws = rng.integers(1, 1 << 63, size=4).astype("uint64")
        return CompiledPlayout(game, ability(name, "KERNELS"), draws)
    return PythonPlayout(game, rng)


class PythonPlayout:
    """All players choose uniformly among their legal actions, drawn from *rng*."""

    def __init__(self, game: core.Game, rng: core.Rng) -> None:
        self.game, self.rng = game, rng

    def __call__(self, state: core.State, plies: int) -> tuple[Sequence[float], int]:
        game, rng, left = self.game, self.rng, plies
        while not state.is_terminal():
            if left <= 0:
                return game.infinite_play(state), plies
            if state.current_player() == core.CHANCE:
                state.apply_action(drawn_outcome(state, rng.random()))
            else:
                state.step([drawn_action(state.legal_actions(player), rng) for player in game.movers(state)])
            left -= 1
        return state.returns(), plies - left


class CompiledPlayout:
    """The same by the game's kernel. It cannot stop midway: a game that went on too long counts as cut at its start."""

    def __init__(self, game: core.Game, kernels: CompiledGame, draws: Words) -> None:
        self.game, self.kernels, self.draws = game, kernels, draws
        self(game.new_initial_state(), game.max_plies)  # compiles now, while no clock runs

    def __call__(self, state: core.State, plies: int) -> tuple[Sequence[float], int]:
        played, outcome = divmod(int(self.kernels.rollout(self.kernels.encode(state), self.draws)), 4)
        return (self.game.infinite_play(state) if played > plies else RETURNS[outcome]), played

    def __deepcopy__(self, memo: dict[int, Any]) -> "CompiledPlayout":
        copied = copy.copy(self)  # machine code cannot be copied deeply, and need not be
        copied.draws = self.draws.copy()
        return copied


def drawn_action(legal: Sequence[int], rng: core.Rng) -> int:
    """A uniformly drawn legal action; the actions are never listed."""
    return legal[int(rng.random() * len(legal))]
