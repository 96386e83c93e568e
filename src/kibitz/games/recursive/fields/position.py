"""What the positions of all recursive games have in common."""

import msgspec

from kibitz.games.recursive.rules import State


class Position(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A position; *chosen*: what the players chose, as long as chance has not drawn what follows."""

    chosen: list[str] = []


def chosen_actions(state: State) -> list[str]:
    """What the players chose and chance has not settled."""
    return [state.game.action_name(player, action) for player, action in enumerate(state.chosen or ())]
