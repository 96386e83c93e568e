"""The limits of look-ahead: how much it looks at, and how much it dares, fitted to generated negotiators."""

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """Constants of `trails.kibitzer`."""

    risked: int = 20
    """How far the BestUse may fall below its maximum so far in return for promises: a stranger may break them all."""
    frees: bool = False
    """Whether it may send what makes a dependent opponent independent: who needs nothing more gives nothing more."""
    gains: tuple[int, ...] = (1, 20, 40, 100)
    """Levels of the least points that the other player should gain by an offer."""
    scouts: int = 3
    """How many plans are tried on every action."""
    kept: int = 4
    """How many actions are searched again with all plans."""
    caution: float = 0.5
    """The least share of strangers: to believe in the wrong type costs more than to doubt the right one."""


FITTED = Limits()
"""Numbers were tried one at a time on negotiators drawn from the parametric family, and none was changed. That it frees
no opponent was decided on negotiators that a search had found, and on newcomers of seeds that are not judged."""
