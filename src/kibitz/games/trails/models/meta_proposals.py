"""Meta-proposals (Carr et al. 2009): an offer by who lacks the chips that change hands, not by their colours."""

from functools import lru_cache
from itertools import islice, product
from typing import NamedTuple

from kibitz.games.trails.chips import Chips, sets_of
from kibitz.games.trails.situation import Side
from kibitz.games.trails.state import Offer

CLASSES = ("both", "own", "other", "nobody")
"""Who lacks a colour on the cheapest way to the goal: both players, the observer, the other, or neither."""
MOST_NAMED = 400
"""How many offers of one meta-proposal are named at most."""
REMEMBERED = 1 << 14
"""How many answers about sets of chips are kept."""


class MetaProposal(NamedTuple):
    """Chips of each class that the observer receives, less those they give.

    >>> str(MetaProposal(0, 3, -3, 0)), MetaProposal.of("0:3:-3:0").other
    ('0:3:-3:0', -3)
    """

    both: int
    own: int
    other: int
    nobody: int

    def __str__(self) -> str:
        return ":".join(map(str, self))

    @classmethod
    def of(cls, text: str) -> "MetaProposal":
        """The meta-proposal of a text."""
        return cls(*map(int, text.split(":")))


def colour_classes(own: Side, other: Side) -> tuple[int, ...]:
    """The class of every colour from *own*'s side."""
    lacking = zip(own.lacking, other.lacking, strict=True)
    return tuple([0 if mine and theirs else 1 if mine else 2 if theirs else 3 for mine, theirs in lacking])


def meta_proposal(own: Side, other: Side, given: Chips, received: Chips) -> MetaProposal:
    """The meta-proposal of an exchange from *own*'s side."""
    net = [0] * len(CLASSES)
    for place, gives, gets in zip(colour_classes(own, other), given, received, strict=True):
        net[place] += gets - gives
    return MetaProposal(*net)


def plain_offers(own: Side, other: Side, meta: MetaProposal) -> list[Offer]:
    """The offers of *own* that are of a meta-proposal and move chips of each class one way only."""
    classes = colour_classes(own, other)
    asked = sides(other.chips, classes, tuple([max(0, net) for net in meta]))
    given = sides(own.chips, classes, tuple([max(0, -net) for net in meta]))
    return [Offer(gives, asks) for asks, gives in islice(product(asked, given), MOST_NAMED)]


@lru_cache(maxsize=REMEMBERED)
def sides(chips: Chips, classes: tuple[int, ...], counts: tuple[int, ...]) -> tuple[Chips, ...]:
    """The parts of *chips* with the given number of chips of each class; at most as many as are ever named."""
    choices = []
    for number, count in enumerate(counts):
        held = tuple([have if place == number else 0 for have, place in zip(chips, classes, strict=True)])
        choices.append(sets_of(held, count))
    return tuple([tuple(map(sum, zip(*parts, strict=True))) for parts in islice(product(*choices), MOST_NAMED)])
