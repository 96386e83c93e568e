"""Orders as numbers, written one below the other."""

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.layout import Words
from kibitz.games.axis.full.notation import BASES

B1, B2, B3, B4, B5, B6 = BASES[1:]


@kernel("int64(int64, int64, int64, int64, int64, int64)")
def order_number(verb: int, area: int, kind: int, variant: int, to: int, via: int) -> int:
    """An order for no units as one number. Twin of `notation.order_number`."""
    return (((((verb * B1 + area + 1) * B2 + kind + 1) * B3 + variant) * B4 + to + 1) * B5 + via + 1) * B6


@kernel("int64(int64[:, ::1], int64, int64, int64)")
def tell(orders: Words, count: int, number: int, most: int) -> int:
    """Write an order that may be given for up to so many units; return how many orders there are."""
    if count < len(orders):
        orders[count, 0], orders[count, 1] = number + min(1, most), most
        return count + 1
    return count
