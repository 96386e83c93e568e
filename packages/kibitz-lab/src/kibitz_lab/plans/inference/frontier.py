"""Frontiers (YAPPR: Geib, Maraist & Goldman 2008): the open nodes of a tree, and which of them wait for which.

What may come next depends only on the frontier of a tree. Interchangeable nodes are alike: a pick of one stands for a
pick of any.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kibitz_lab.plans.library import Part

Value = int | str
"""The value of a parameter: known, or a number that stands for the same unknown value wherever it occurs."""
Bindings = dict[int, Value]


class OpenNode(NamedTuple):
    """An open node. In the meaning `leaves`, it is expanded until its *first* is known once it waits for nothing."""

    part: Part
    level: int = 0
    first: int = 0
    """In the meaning `leaves`, how many actions the plan begins with; 0 until that is known."""
    values: tuple[Value, ...] = ()
    origin: int = 0
    """In a traced tree, which part of which rule it is: the same number for interchangeable parts of one rule."""
    clock: int = -1
    """The nearest rule above with a duration or a timeout; -1 if there is none."""


Nodes = tuple[OpenNode, ...]
Masks = tuple[int, ...]
"""For each open node, the bits of all nodes that must be complete first."""


def sum_distribution(some: Mapping[int, float], others: Mapping[int, float]) -> dict[int, float]:
    """The distribution of the sum of two numbers, from the distribution of each."""
    found: dict[int, float] = {}
    for one, share in some.items():
        for other, more in others.items():
            found[one + other] = found.get(one + other, 0.0) + share * more
    return found


def bits(mask: int) -> Iterable[int]:
    """The positions of the set bits of a mask."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def pending_places(before: Masks) -> list[int]:
    """The places of nodes that wait for nothing."""
    return [place for place, mask in enumerate(before) if not mask]


def interchangeable_groups(
    nodes: Nodes, before: Masks, places: Sequence[int], elsewhere: Sequence[Value] = ()
) -> list[list[int]]:
    """Some of the nodes that wait for nothing, in interchangeable groups.

    *elsewhere* are values that are used elsewhere, so that it matters which node has them.
    """
    if len(places) < 2:
        return [[place] for place in places]
    waiting = dict.fromkeys(places, 0)
    chosen = sum(1 << place for place in places)
    for after, mask in enumerate(before):
        for place in bits(mask & chosen):
            waiting[place] |= 1 << after
    used = Counter(value for node in nodes if node.values for value in set(node.values) if isinstance(value, int))
    used.update(value for value in elsewhere if isinstance(value, int))
    groups: dict[Hashable, list[int]] = {}
    for place in places:
        node = nodes[place]
        if node.values:
            node = node._replace(values=tuple(_lone(each, node.values, used) for each in node.values))
        groups.setdefault((node, waiting[place]), []).append(place)
    return list(groups.values())


def _lone(value: Value, values: tuple[Value, ...], used: Counter[int]) -> Value:
    """A value; for an unknown value used only in this node, the place of its first use, as a negative number."""
    return -1 - values.index(value) if isinstance(value, int) and used[value] == 1 else value


def splice_nodes(nodes: Nodes, before: Masks, place: int, inner: Nodes, within: Masks) -> tuple[Nodes, Masks]:
    """A frontier with one node that waits for nothing replaced by several; nodes that waited for it wait for all."""
    more = len(inner)
    all_inner, low = ((1 << more) - 1) << place, (1 << place) - 1
    masks = [
        (mask & low | (mask >> (place + 1)) << (place + more) | (all_inner if mask >> place & 1 else 0)) if mask else 0
        for mask in before
    ]
    found = (*masks[:place], *(mask << place for mask in within), *masks[place + 1 :])
    return (*nodes[:place], *inner, *nodes[place + 1 :]), found


def sorted_places(nodes: Nodes, before: Masks) -> list[int]:
    """The canonical order of nodes, in which equal frontiers are identical."""
    keys = [(_sorting(node), mask.bit_count()) for node, mask in zip(nodes, before, strict=True)]
    return sorted(range(len(nodes)), key=keys.__getitem__)


def _sorting(node: OpenNode) -> tuple[object, ...]:
    """A sort key of a node with its values, some of which are unknown, and without its origin."""
    if not node.values and not node.origin:
        return node
    values = tuple("" if isinstance(value, int) else f"={value}" for value in node.values)
    return node._replace(values=values, origin=0)


def reorder_nodes(nodes: Nodes, before: Masks, order: list[int]) -> tuple[Nodes, Masks]:
    """A frontier in another order."""
    if order == list(range(len(order))):
        return nodes, before
    new_place = {old: new for new, old in enumerate(order)}
    masks = tuple(sum(1 << new_place[old] for old in bits(before[place])) if before[place] else 0 for place in order)
    return tuple(nodes[place] for place in order), masks


def resolve_value(value: Value, bindings: Bindings) -> Value:
    """The current value of a parameter."""
    while isinstance(value, int) and value in bindings:
        value = bindings[value]
    return value


def unify_values(bindings: Bindings, some: Sequence[Value], others: Sequence[Value | None]) -> Bindings | None:
    """The bindings that make pairs of values equal; None if they cannot be equal."""
    found = bindings
    for one, other in zip(some, others, strict=False):
        if other is None:
            continue
        first, second = resolve_value(one, found), resolve_value(other, found)
        if first == second:
            continue
        if isinstance(first, int):
            found = {**found, first: second}
        elif isinstance(second, int):
            found = {**found, second: first}
        else:
            return None
    return found


def bind_values(node: OpenNode, bindings: Bindings) -> OpenNode:
    """A node with its known values filled in."""
    return node._replace(values=tuple(resolve_value(value, bindings) for value in node.values)) if bindings else node


def shift_origins(nodes: Nodes, count: int) -> Nodes:
    """Nodes with origins shifted past the first *count*."""
    return tuple(node._replace(origin=node.origin + count) for node in nodes) if count else nodes


def renumber_values(values: tuple[Value, ...], nodes: Nodes) -> tuple[tuple[Value, ...], Nodes]:
    """Values and nodes with unknown values and origins renumbered in the order of occurrence."""
    numbers: dict[int, int] = {}
    origins = {0: 0}

    def renumber(own: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(numbers.setdefault(each, len(numbers)) if isinstance(each, int) else each for each in own)

    values = renumber(values)
    return values, tuple(
        node._replace(values=renumber(node.values), origin=origins.setdefault(node.origin, len(origins)))
        for node in nodes
    )


def known_values(values: Sequence[Value]) -> tuple[str | None, ...]:
    """The known values, None for the others."""
    return tuple(None if isinstance(value, int) else value for value in values)
