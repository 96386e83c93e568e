"""`Offer`, and the legal `Offers` and `sendings` of a player: sets of actions that are never listed."""

from collections.abc import Sequence
from typing import NamedTuple

from kibitz import core
from kibitz.core.errors import NotUnderstood
from kibitz_trails.board import Chips, in_words, read_chips

PASS = 0
"""The offer of nothing for nothing."""


class Offer(NamedTuple):
    """What the proposer gives, and what they ask their partner for."""

    given: Chips
    asked: Chips


def sendings(colours: Sequence[str], held: Chips, bases: Sequence[int]) -> core.ProductActions:
    """Everything that a player who holds *held* may send: any part of it."""
    return core.ProductActions({name: range(most + 1) for name, most in zip(colours, held, strict=True)}, bases, "send")


class Offers(core.ProductActions):
    """All offers: any part of what is held for any part of what may be asked for.

    The offer of nothing for nothing is a pass. An action's digits are the chips given, then those asked for.

    >>> offers = Offers(("red", "gray"), (1, 0), (0, 1), (3, 3))
    >>> [offers.phrase(action) for action in offers]
    ['pass', 'offer nothing for 1 gray', 'offer 1 red for nothing', 'offer 1 red for 1 gray']
    """

    __slots__ = ("colours",)

    def __init__(self, colours: Sequence[str], given: Chips, asked: Chips, bases: Sequence[int]) -> None:
        names = [*colours, *(f"for-{colour}" for colour in colours)]
        factors = {name: range(most + 1) for name, most in zip(names, (*given, *asked), strict=True)}
        super().__init__(factors, (*bases, *bases), "offer")
        self.colours = colours

    def allows(self, given: Chips, asked: Chips) -> bool:
        """Whether *given* may be offered for *asked*."""
        return all(value in allowed for value, allowed in zip((*given, *asked), self._allowed, strict=True))

    def sides(self, action: int) -> tuple[Chips, Chips]:
        """What is given and what is asked for."""
        values = self.values(action)
        return values[: len(self.colours)], values[len(self.colours) :]

    def of(self, given: Chips, asked: Chips) -> int:
        """The offer of *given* for *asked*."""
        return self.action((*given, *asked))

    def phrase(self, action: int) -> str:
        if action == PASS:
            return "pass"
        given, asked = self.sides(action)
        return f"offer {in_words(self.colours, given)} for {in_words(self.colours, asked)}"

    def from_phrase(self, text: str) -> int | None:
        try:
            given, asked = read_offer(text, self.colours)
        except NotUnderstood:
            phrased = (
                super().from_phrase(text) if "for-" in text else None
            )  # as programs put numbers and names together
            return phrased if phrased is not None and phrased in self else None
        return self.of(given, asked) if self.allows(given, asked) else None


def read_offer(text: str, colours: Sequence[str]) -> tuple[Chips, Chips]:
    """What an offer in words gives and asks for: `3 yellow for 3 gray`, `pass`; raises NotUnderstood.

    >>> read_offer("offer 3y for two grey", ("yellow", "gray"))
    ((3, 0), (0, 2))
    """
    words = " ".join(text.casefold().split())
    if words in ("pass", "nothing", "offer nothing"):
        return (0,) * len(colours), (0,) * len(colours)
    given, found, asked = without_verb(words, "offer").partition(" for ")
    if not found:
        raise NotUnderstood(text, text, "an offer is what you give for what you ask: 3 yellow for 3 gray; or pass")
    return read_chips(given, colours), read_chips(asked, colours)


def without_verb(text: str, *verbs: str) -> str:
    """A phrase without the verb that it may begin with."""
    first, _, rest = " ".join(text.casefold().split()).partition(" ")
    return rest if first in (*verbs, "give") else text
