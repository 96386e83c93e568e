"""Who meets whom, and in which seats. A *field* is the agents of one match, in no order yet."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, combinations_with_replacement, permutations
from statistics import fmean
from typing import Literal

Field = tuple[str, ...]
Seats = Literal["rotate", "swap", "all", "fixed"]


def round_robin(names: Sequence[str], players: int, *, mirror: bool = False) -> Iterator[Field]:
    """All fields of *players* agents; with *mirror* an agent may meet itself.

    >>> list(round_robin("abc", 2))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    return combinations_with_replacement(names, players) if mirror else combinations(names, players)


def gauntlet(champion: str, names: Sequence[str], players: int) -> Iterator[Field]:
    """The champion in every field, the others in all combinations.

    >>> list(gauntlet("b", "abc", 2))
    [('b', 'a'), ('b', 'c')]
    """
    others = [name for name in names if name != champion]
    return ((champion, *rest) for rest in combinations(others, players - 1))


def seatings(field: Field, seats: Seats = "rotate") -> list[Field]:
    """The orders in which a field sits down, each once: every agent in every seat, all orders, or as it is given.

    With "swap" the first two also change places in every order, so that what is left and right of them is the same.

    >>> seatings(("a", "b"))
    [('a', 'b'), ('b', 'a')]
    """
    turned = [field[turn:] + field[:turn] for turn in range(len(field))]
    other = dict(zip(field[:2], reversed(field[:2]), strict=True))
    swapped = (order for turn in turned for order in (turn, tuple(other.get(name, name) for name in turn)))
    orders = {"rotate": iter(turned), "swap": swapped, "all": permutations(field), "fixed": iter([field])}[seats]
    return list(dict.fromkeys(orders))


def rungs(order: Sequence[str], players: int, number: int) -> list[Field]:
    """The fields of a ladder's round: neighbours, shifted by half a field every other round.

    >>> rungs("abcde", 2, 0), rungs("abcde", 2, 1)
    ([('a', 'b'), ('c', 'd')], [('b', 'c'), ('d', 'e')])
    """
    shift = players // 2 if number % 2 and len(order) >= players + players // 2 else 0
    starts = range(shift, len(order) - players + 1, players)
    return [tuple(order[start : start + players]) for start in starts]


def climbed(order: Sequence[str], fields: Sequence[Field], scores: Mapping[str, Sequence[float]]) -> list[str]:
    """The ladder after a round: within each field whoever scored more on average stands higher, ties as before.

    >>> climbed("abc", [("a", "b")], {"a": [0.0], "b": [1.0]})
    ['b', 'a', 'c']
    """
    better = {field: sorted(field, key=lambda name: -fmean(scores[name])) for field in fields}
    played = set(chain.from_iterable(fields))
    first = {field[0]: field for field in fields}
    climbed: list[str] = []
    for name in order:
        climbed += better[first[name]] if name in first else [] if name in played else [name]
    return climbed
