"""Lines of play that a negotiator looks ahead along, with a model that has observed them."""

import msgspec

from kibitz import core
from kibitz.games.trails.state import State


class ModelledLine(msgspec.Struct, frozen=True):
    """A position ahead, with a model that has observed the way there if it depends on that."""

    state: State
    model: core.Model

    def after(self, *actions: int) -> "ModelledLine":
        """The line one event longer."""
        after, model, player = self.state.clone(), self.model, self.state.current_player()
        after.step(actions)
        if model.follows_lines:
            model = model.clone()
            model.observe(core.Transition(after.round, player, actions, self.state, after))
        return ModelledLine(after, model)
