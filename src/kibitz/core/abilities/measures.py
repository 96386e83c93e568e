"""The ability `MEASURES`: what may be said of a whole match besides its result, as named numbers.

It is a function of a game and of the events of one match. Records hold the numbers, tables average them, and pages show
them when a match is over.
"""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from kibitz.core.game import Game
from kibitz.core.transition import Transition


class Measure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A number about a match, or about one player in it."""

    name: str
    """A short name, such as `welfare`; the same in every match of a game."""
    value: float
    words: str
    """What it means, in a clause."""
    player: int | None = None
    """Whom it is about; None is the match as a whole."""
    more_is_better: bool | None = None
    """Whether more of it is better for those it is about; None where that cannot be said."""
    least: float | None = None
    """The smallest value there can be, such as 0 for a distance; None if it has no such bound."""
    most: float | None = None
    """The largest value there can be."""


Measures = Callable[[Game, Iterable[Transition], Sequence[float]], Sequence[Measure]]
"""The type of the functions that `MEASURES` names: a game, its events as a spectator saw them, and the returns."""
