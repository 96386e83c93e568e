"""Finds a full state that fits a view of hidden information, from what the view holds alone.

Games that draw such a state by themselves are asked to. The others are played again, with events drawn at random that
would have been observed in the same way, from the beginning where none fits. A game in which hidden events show only
much later is refused.
"""

from collections.abc import Iterator
from typing import Any

from kibitz import core
from kibitz.bridges.openspiel.rules import restore_state
from kibitz.bridges.openspiel.views import HiddenState, View, choices_of, observation, step_look
from kibitz.core.errors import Unsupported

MOST_TRIES = 20_000
"""Events tried before the game is refused."""


def completed_state(view: View, rng: core.Rng) -> HiddenState:
    """A state that the viewer cannot tell from the real one."""
    found = (resampled_history(view, rng) if view.sample else None) or replayed_history(view, rng)
    full = HiddenState(view.game, found)
    full.looks[view.viewer] = view.looks
    return full


def resampled_history(view: View, rng: core.Rng) -> Any:
    """A state that the game draws because it looks the same to the viewer; None if it looks different after all."""
    assert view.viewer is not None
    state = restore_state(view.game, view.sample)
    assert isinstance(state, HiddenState)
    drawn = state.spiel.resample_from_infostate(view.viewer, rng.random)
    alike = len(drawn.history()) + 1 == len(view.looks) and observation(drawn, view.viewer) == view.looks[-1][2:]
    return drawn if alike else None


def replayed_history(view: View, rng: core.Rng) -> Any:
    """A state after events that the viewer would have observed in the same way; raises Unsupported if none is found."""
    tries = 0
    while tries < MOST_TRIES:
        spiel = view.game.spiel.new_initial_state()
        for wanted in view.looks[1:]:
            for action in fitting_actions(spiel, wanted, rng):
                tries += 1
                child = spiel.clone()
                if step_look(view.game, child, view.viewer, action) == wanted:
                    spiel = child
                    break
            else:
                tries += 1
                break
        else:
            return spiel
    raise Unsupported(view.game, view.game, "what is hidden in it cannot be drawn again, so agents cannot search it")


def fitting_actions(spiel: Any, wanted: tuple[Any, ...], rng: core.Rng) -> Iterator[int]:
    """What may have been chosen: the action that was seen, or all in random order, the likely first."""
    mover, seen, *_ = wanted
    if int(spiel.current_player()) != mover:
        return
    legal = choices_of(spiel)
    if isinstance(seen, int) and seen >= 0:
        yield from (action for action in legal if action == seen)
        return
    shares = dict.fromkeys(legal, 1.0)
    if mover == core.CHANCE:
        shares = {int(action): share for action, share in spiel.chance_outcomes() if share > 0.0}
    keys = {action: rng.random() ** (1.0 / share) for action, share in shares.items()}
    yield from sorted(keys, key=keys.__getitem__, reverse=True)
