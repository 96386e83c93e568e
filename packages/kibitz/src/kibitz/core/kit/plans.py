"""What a game offers as its plans: a plan library as text, and the library's names of actions."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kibitz.core.game import State


class Observation(NamedTuple):
    """An observed action with the values of its parameters, None for values that were not seen."""

    action: str
    values: tuple[str | None, ...] = ()

    def __str__(self) -> str:
        return name_with_values(self.action, self.values)


Describe = Callable[[State, int, Sequence[int]], list[Observation]]
"""Translates a player's actions on a view into the library's names."""


class GamePlans(NamedTuple):
    """What a game offers as plans: a library in the text form, or one for each player, and its names of actions.

    The libraries of all players have the same goals. If they depend on the game's options, the kit names a function of
    the game that returns this, or None for no plans.
    """

    text: str | tuple[str, ...]
    describe: Describe


def name_with_values(name: str, values: Sequence[str | None]) -> str:
    """A name with its values in brackets, if some are known."""
    known = ", ".join("_" if value is None else value for value in values)
    return f"{name}({known})" if any(value is not None for value in values) else name
