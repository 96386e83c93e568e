"""What a game may show of its positions: named fields, previews of choices, maps of states, units and stages."""

import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from kibitz.core.game import Game, State


class Fields(msgspec.Struct, frozen=True):
    """Boards and positions as named fields, by two functions that each declare the struct they return.

    The board is what never changes in a match; the view is what a position shows. The fields of two views are equal
    exactly if their keys are, so they show neither more nor less. The types of both make the JSON Schema.
    """

    board: Callable[[Any], msgspec.Struct]
    """The board of a game: size, map, numbers of rounds, payoffs."""
    view: Callable[[Any], msgspec.Struct]
    """A view of a position, or a full state."""

    @property
    def types(self) -> tuple[Any, Any]:
        """The types of the board and of the views."""
        board, view = (typing.get_type_hints(each)["return"] for each in (self.board, self.view))
        return board, view


class Preview(msgspec.Struct, frozen=True):
    """What a choice would bring, before it is made; pages show it beside the board."""

    words: str
    """A sentence or two."""
    mark: str = ""
    """A few letters for the place in the picture where the choice leads, such as `83 %`."""
    good: bool | None = None
    """Whether it brings the player what they want; None where that cannot be said."""


class StateMap(msgspec.Struct, frozen=True):
    """States by their place on a sheet: x to the right, y upwards. All but two of the numbers of a state are fixed."""

    cells: Mapping[tuple[int, int], State]
    across: str
    """What x counts."""
    upwards: str
    """What y counts."""
    arrows: tuple[Mapping[str, tuple[int, int]], Mapping[str, tuple[int, int]]]
    """The direction of each player's actions, by notation; unlisted actions have none."""


class Units(msgspec.Struct, frozen=True):
    """The units that act in the turn of a state, one action each, in a fixed order.

    Every unit's options are known before the first one moves and do not depend on what the others do, so that each
    unit can be a learner of its own.
    """

    units: Callable[[State], Sequence[str]]
    """The mover's units that have a choice, in order; none if no player moves."""
    options: Callable[[State, int], Sequence[int]]
    """The actions of one of them, by its number."""
    asked: Callable[[State], int]
    """The number of the unit whose action is played next."""
    span: Callable[[Game, int], tuple[float, float] | None] = lambda game, player: None
    """The returns that count as 0 and as 1 for a learner; None if the game does not define them."""


class Stage(msgspec.Struct, frozen=True):
    """One round of a game that repeats it: both players choose at once, and are paid.

    >>> Stage(payoffs=(((3.0, 3.0), (0.0, 5.0)), ((5.0, 0.0), (1.0, 1.0))), left=20).left
    20
    """

    payoffs: Sequence[Sequence[tuple[float, float]]]
    """What both players earn, by the action of player 0, then of player 1; actions are numbered from 0."""
    left: int
    """The rounds to be played, the current one included."""
    noise: float = 0.0
    """The probability that a choice turns into another one, all equally likely.

    Then chance settles each round; its action is the pair that was done: the action of player 0 times the number of
    player 1's actions, plus the action of player 1.
    """
