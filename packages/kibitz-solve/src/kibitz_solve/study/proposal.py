"""The results that Keffer (2013) reports on recursive games."""

SOURCE = "Keffer 2013"
Position = tuple[int, int, int, int]
"""A state of 1D1H1B: the hero's hit points and the bear's, then their places."""

TABLE_1: dict[Position, tuple[str, str]] = {
    (2, 1, 0, 0): ("A", "A"),
    **{(3, 1, place, 0): ("L", "A") for place in range(1, 10)},
    **{(3, 1, place, place - 1): ("L", "L") for place in range(2, 10)},
}
"""Table 1: what hero and bear do in states that go on."""


def is_won_by_hero(u: int, v: int, x: int, y: int) -> bool:
    """(3.17): whether the hero wins.

    >>> is_won_by_hero(1, 5, 2, 3), is_won_by_hero(2, 1, 3, 3), is_won_by_hero(2, 1, 3, 2)
    (True, True, False)
    """
    return abs(x) < abs(y) or (abs(x) == abs(y) and u > v) or (abs(x) > abs(y) and u > v + 1)


def rounds(u: int, v: int, x: int, y: int) -> int:
    """The rounds to the win if (3.17) promises one; this formula is ours.

    >>> rounds(1, 5, 2, 3), rounds(2, 1, -7, 7)
    (2, 8)
    """
    return abs(x) if abs(x) < abs(y) else abs(x) + v
