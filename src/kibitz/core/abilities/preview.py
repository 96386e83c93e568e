"""The ability `PREVIEW`: what a choice would bring, in words, before it is made; pages show it beside the board.

It is a function of a view, a player who is to choose, and one of their legal actions.
"""

import msgspec


class Preview(msgspec.Struct, frozen=True):
    """What a choice would bring."""

    words: str
    """A sentence or two."""
    mark: str = ""
    """A few letters for the place in the picture where the choice leads, such as `83 %`."""
    good: bool | None = None
    """Whether it brings the player what they want; None where that cannot be said."""
