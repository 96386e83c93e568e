"""A few random moves of a game, which make everything ready that its rules need, such as compiled kernels."""

from kibitz import core
from kibitz.core.game import CHANCE, digest
from kibitz.core.kernels.kernels import DECLARED
from kibitz.core.match.loop import drawn_outcome
from kibitz.core.seeds import stream

MOVES = 12


def has_kernels(game: core.Game) -> bool:
    """Whether the modules of a game declare kernels, which may have to be compiled."""
    package = type(game).__module__.rpartition(".")[0]
    return any(name.startswith(f"{package}.") for name in DECLARED)


def rehearse(game: core.Game) -> None:
    """Play a few moves as a live match does: with views, notation and hashes."""
    rng = stream(0, "rehearsal")
    state = game.new_initial_state()
    for _ in range(MOVES):
        if state.is_terminal():
            return
        if state.current_player() == CHANCE:
            actions = [drawn_outcome(state, float(rng.random()))]
        else:
            actions = []
            for player in game.movers(state):
                legal = state.view(player).legal_actions(player)
                actions.append(legal[int(rng.integers(len(legal)))])
                state.action_to_string(player, actions[-1])
        state.view(None)
        state = state.clone()
        state.step(actions)
        digest(state)
