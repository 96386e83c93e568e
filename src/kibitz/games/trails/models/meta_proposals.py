"""Meta-proposals (Carr et al. 2009): an offer by who lacks the chips that change hands, not by their colours."""

from collections.abc import Iterator
from itertools import islice, product
from typing import NamedTuple

from kibitz.games.trails.agents.perb import sets_of
from kibitz.games.trails.chips import Chips, plus
from kibitz.games.trails.situation import Side
from kibitz.games.trails.state import Offer

CLASSES = ("both", "own", "other", "nobody")
"""Who lacks a colour on the cheapest way to the goal: both players, the one who looks, the other, or nobody."""
MOST_NAMED = 400
"""So many offers of one meta-proposal are named at most."""


class MetaProposal(NamedTuple):
    """Chips of each class that the one who looks receives, less those he gives.

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
        """The meta-proposal that is written so."""
        return cls(*map(int, text.split(":")))


def colour_classes(own: Side, other: Side) -> list[int]:
    """The class of every colour, as *own* looks at it."""
    lacking = zip(own.lacking, other.lacking, strict=True)
    return [0 if mine and his else 1 if mine else 2 if his else 3 for mine, his in lacking]


def meta_proposal(own: Side, other: Side, given: Chips, received: Chips) -> MetaProposal:
    """What an exchange comes to for *own*."""
    net = [0] * len(CLASSES)
    for place, gives, gets in zip(colour_classes(own, other), given, received, strict=True):
        net[place] += gets - gives
    return MetaProposal(*net)


def plain_offers(own: Side, other: Side, meta: MetaProposal) -> list[Offer]:
    """The offers of *own* that come to a meta-proposal and move chips of each class one way only."""
    classes = colour_classes(own, other)
    asked = sides(other.chips, classes, meta, 1)
    given = list(sides(own.chips, classes, meta, -1))
    return list(islice((Offer(gives, asks) for asks in asked for gives in given), MOST_NAMED))


def sides(chips: Chips, classes: list[int], meta: MetaProposal, sign: int) -> Iterator[Chips]:
    """The parts of *chips* that hold what a meta-proposal moves one way."""
    choices = []
    for number, net in enumerate(meta):
        held = tuple(count if place == number else 0 for count, place in zip(chips, classes, strict=True))
        choices.append(sets_of(held, max(0, sign * net)))
    for parts in product(*choices):
        whole = (0,) * len(chips)
        for part in parts:
            whole = plus(whole, part)
        yield whole
