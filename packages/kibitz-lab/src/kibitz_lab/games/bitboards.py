"""Boards as words of 64 bits: squares as numbers and bits, and the bits of a word inside kernels.

The functions of bits are one machine instruction each inside kernels, and plain Python outside.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from kibitz.core.kernels.kernels import REGISTRATIONS

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


def word_of(squares: Iterable[Square]) -> int:
    """Squares as the bits of a word."""
    return sum(1 << number(square) for square in squares)


def squares_of(word: int) -> frozenset[Square]:
    """The squares whose bits are set in a word."""
    return frozenset(coordinates(place) for place in range(64) if word >> place & 1)


def name(square: Square) -> str:
    """A square in chess notation."""
    return f"{FILES[square[0]]}{square[1] + 1}"


def parse_square(text: str) -> Square:
    """The square called *text*."""
    return FILES.index(text[0]), int(text[1]) - 1


def popcount(word: int) -> int:
    """The number of set bits."""
    return int(word).bit_count()


def lowest(word: int) -> int:
    """The index of the lowest set bit; 64 if there is none."""
    return (int(word) & -int(word)).bit_length() - 1 if word else 64


def nth_bit(word: int, count: int) -> int:
    """The set bit of *word* that has *count* set bits below it, as a word; 0 if there is none."""
    left = int(word)
    for _ in range(count):
        left &= left - 1
    return type(word)(left & -left)


def _compile() -> None:
    """Let Numba use one machine instruction for each of these functions, if there is one."""
    types: Any = import_module("numba").types
    extending: Any = import_module("numba.extending")
    trailing_zeros = import_module("numba.cpython.unsafe.numbers").trailing_zeros

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def count_ones(context: Any, word: Any) -> Any:
        return types.uint64(types.uint64), lambda context, builder, signature, given: builder.ctpop(given[0])

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def deposit(context: Any, word: Any, mask: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            ir: Any = import_module("llvmlite.ir")
            kind = ir.FunctionType(arguments[0].type, [each.type for each in arguments])
            return builder.call(builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", fnty=kind), arguments)

        return types.uint64(types.uint64, types.uint64), code

    @extending.overload(popcount, inline="always", strict=False)  # type: ignore[untyped-decorator]
    def compiled_popcount(word: Any) -> Any:
        return lambda word: types.int64(count_ones(types.uint64(word)))

    @extending.overload(lowest, inline="always", strict=False)  # type: ignore[untyped-decorator]
    def compiled_lowest(word: Any) -> Any:
        return lambda word: types.int64(trailing_zeros(types.uint64(word)))

    @extending.overload(nth_bit, inline="always", strict=False)  # type: ignore[untyped-decorator]
    def compiled_nth_bit(word: Any, count: Any) -> Any:
        def portable(word: Any, count: Any) -> Any:
            left = types.uint64(word)
            for _ in range(count):
                left &= left - types.uint64(1)
            return left & (types.uint64(0) - left)

        # `pdep` makes random games twice as fast as a loop over bits.
        target: Any = import_module("numba.core.registry").cpu_target
        if "+bmi2" not in target.target_context.codegen().magic_tuple()[2]:
            return portable
        return lambda word, count: deposit(types.uint64(1) << types.uint64(count), types.uint64(word))


REGISTRATIONS.append(_compile)
