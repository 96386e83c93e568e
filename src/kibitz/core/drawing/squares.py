"""Squares of boards up to 8×8: coordinates from 0, numbers as bits of a word, names as in chess."""

Square = tuple[int, int]
"""File and rank, each from 0."""
FILES = "abcdefgh"


def number(square: Square) -> int:
    """The number of a square: 0 is a1, 7 is h1, 63 is h8.

    >>> number((7, 0)), coordinates(63), name((2, 1)), parse_square("c2")
    (7, (7, 7), 'c2', (2, 1))
    """
    return 8 * square[1] + square[0]


def coordinates(number: int) -> Square:
    """The square of a number."""
    return number % 8, number // 8


def name(square: Square) -> str:
    """A square in chess notation."""
    return f"{FILES[square[0]]}{square[1] + 1}"


def parse_square(text: str) -> Square:
    """The square called *text*."""
    return FILES.index(text[0]), int(text[1]) - 1
