"""What makes a game ready for live matches: its kernels are compiled in a worker, and loaded by playing a few moves."""

from collections.abc import Sequence
from importlib import import_module

from kibitz import core
from kibitz.core.abilities import ability
from kibitz.core.drawing.positions import draw_position
from kibitz.core.game import CHANCE, digest
from kibitz.core.kernels.kernels import DECLARED, entries
from kibitz.core.match.loop import drawn_outcome
from kibitz.core.registry import has_ability, spec_of
from kibitz.core.seeds import stream

MOVES = 12


def kernels_of(game: core.Game) -> list[str]:
    """The kernels that the modules of a game declare, as far as they are imported: its rules may call them."""
    package = type(game).__module__.rpartition(".")[0]
    return [name for name in list(DECLARED) if name.startswith(f"{package}.")]


def missing_kernels(game: core.Game) -> list[str]:
    """Those that are not compiled yet."""
    found, own = entries(), kernels_of(game)
    compiled = ((name, found[name]) for name in own if hasattr(found.get(name), "is_missing_on_disk"))
    return [name for name, made in compiled if made.is_missing_on_disk()]


def compile_kernels(names: Sequence[str]) -> None:
    """Compile kernels; they are kept on disk."""
    for name in names:
        import_module(name.rpartition(".")[0])
        DECLARED[name].compile_entry_point()


def rehearse(game: core.Game) -> None:
    """Play a few moves as a live match does: with views, notation, hashes, pictures and previews."""
    rng, name = stream(0, "rehearsal"), spec_of(game).name
    preview = ability(name, "PREVIEW") if has_ability(name, "PREVIEW") else None
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
                draw_position(game, state.view(player))
                if preview is not None:
                    preview(state.view(player), player, actions[-1])
        draw_position(game, state.view(None))
        state = state.clone()
        state.step(actions)
        digest(state)
