"""The seatings of agents. A *field* is the agents of one match, not yet in seats."""

from itertools import permutations
from math import factorial
from typing import Literal

Field = tuple[str, ...]
Seats = Literal["rotate", "swap", "all", "fixed"]


def seatings(field: Field, seats: Seats = "rotate") -> list[Field]:
    """The seatings of a field, each once: every agent in every seat, all orders, or as given.

    With "swap" the first two also change places in every order, so that both have the same neighbours.

    >>> seatings(("a", "b"))
    [('a', 'b'), ('b', 'a')]
    """
    turned = [field[turn:] + field[:turn] for turn in range(len(field))]
    other = dict(zip(field[:2], reversed(field[:2]), strict=True))
    swapped = (order for turn in turned for order in (turn, tuple(other.get(name, name) for name in turn)))
    orders = {"rotate": iter(turned), "swap": swapped, "all": permutations(field), "fixed": iter([field])}[seats]
    return list(dict.fromkeys(orders))


def most_seatings(players: int, seats: Seats) -> int:
    """The largest number of seatings of a field."""
    return {"fixed": 1, "rotate": players, "swap": 2 * players, "all": factorial(players)}[seats]
