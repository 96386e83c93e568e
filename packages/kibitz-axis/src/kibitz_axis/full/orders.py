"""`Order`: what a player can decide, and orders as numbers."""

from typing import NamedTuple

from kibitz.core.kernels import kernel
from kibitz_axis.full.position import MOST_ORDERS, NOBODY, Work

DONE, INVEST, BUY, LOADING, UNLOADING, MOVE, RAID, FIRE_ROCKET, HOLD_ROCKET, FIGHT = range(10)
BOMBARD, HOLD_FIRE, GO_ON, RETREAT, WITHDRAW, SUBMERGE, STAY, PUT, BOARD = range(10, 19)
"""The verbs of orders."""
AREAS, KINDS, VARIANTS, COUNTS = 1 << 11, 1 << 8, 1 << 7, 1 << 10
"""Numbers below which areas, kinds, groups and counts are, so that an order is one number."""
BASES = 19, AREAS, KINDS, VARIANTS, AREAS, AREAS, COUNTS


class Order(NamedTuple):
    """A verb with what it is about; *most* is how many units (or dice) it may be given for, 0 if it has no number."""

    verb: int
    area: int = NOBODY
    kind: int = NOBODY
    variant: int = 0
    """Which of several groups of the kind in the area, in their order."""
    to: int = NOBODY
    via: int = NOBODY
    most: int = 0


@kernel
def order_number(verb: int, area: int, kind: int, variant: int, to: int, via: int) -> int:
    """An order for no units as one number; the same order is the same number in every situation."""
    group = ((verb * AREAS + area + 1) * KINDS + kind + 1) * VARIANTS + variant
    return ((group * AREAS + to + 1) * AREAS + via + 1) * COUNTS


def number_of(order: Order, count: int) -> int:
    """An order for so many units as one number."""
    return order_number(*order[:6]) + count


def order_of_number(number: int) -> tuple[Order, int]:
    """The order and the count that a number means."""
    fields = []
    for base in reversed(BASES):
        number, value = divmod(number, base)
        fields.append(value)
    count, via, to, variant, kind, area, verb = fields
    return Order(verb, area - 1, kind - 1, variant, to - 1, via - 1), count


@kernel
def add_order(work: Work, number: int, most: int) -> None:
    """Write an order that may be given for up to so many units."""
    if work.orders < MOST_ORDERS:
        work.order[work.orders], work.most[work.orders] = number + min(1, most), most
        work.orders += 1


@kernel
def add_plain_order(work: Work, verb: int, area: int, to: int) -> None:
    """Write an order without units."""
    add_order(work, order_number(verb, area, NOBODY, 0, to, NOBODY), 0)
