"""Sets of chips, as counts of each colour, and arithmetic on them."""

from collections.abc import Iterator, Sequence
from itertools import product
from operator import le
from typing import TypeAlias

Chips: TypeAlias = tuple[int, ...]
MOST_COLOURS, MOST_CHIPS = 8, 127
"""Kernels keep a set of chips in one word, a byte for each colour."""
MOST_GIFTS = 60
"""So many sets of chips of one size are looked at."""


def plus(chips: Chips, more: Sequence[int]) -> Chips:
    """Two sets of chips together."""
    return tuple([one + other for one, other in zip(chips, more, strict=True)])


def minus(chips: Chips, less: Sequence[int]) -> Chips:
    """A set of chips less another, of each colour the difference."""
    return tuple([one - other for one, other in zip(chips, less, strict=True)])


def short(need: Sequence[int], chips: Chips) -> Chips:
    """The chips of *need* that are missing in *chips*."""
    return tuple([one - other if one > other else 0 for one, other in zip(need, chips, strict=True)])


def common(chips: Chips, others: Sequence[int]) -> Chips:
    """What two sets of chips have in common."""
    return tuple(map(min, chips, others))


def within(chips: Sequence[int], most: Sequence[int]) -> bool:
    """Whether a set of chips is part of another, which therefore pays for it."""
    return all(map(le, chips, most))


def all_parts(chips: Chips) -> Iterator[Chips]:
    """Every part of a set of chips, all of it first."""
    return product(*(range(held, -1, -1) for held in chips))


def sets_of(chips: Chips, size: int) -> list[Chips]:
    """Some of the parts of *chips* that have *size* chips, in the order of the colours."""
    found = []
    for part in product(*(range(min(held, size), -1, -1) for held in chips)):
        if sum(part) == size:
            found.append(part)
            if len(found) == MOST_GIFTS:
                break
    return found


def in_words(colours: Sequence[str], chips: Sequence[int]) -> str:
    """Chips as people write them: `2 yellow 1 gray`, or nothing."""
    return " ".join(f"{count} {colour}" for colour, count in zip(colours, chips, strict=True) if count) or "nothing"


def colour_letters(colours: tuple[str, ...]) -> list[str]:
    """A letter for each colour: the first of its own that is free, or a digit."""
    letters: list[str] = []
    for number, colour in enumerate(colours):
        own = [letter for letter in colour.upper() if letter.isalpha() and letter not in letters]
        letters.append(own[0] if own else str(number))
    return letters
