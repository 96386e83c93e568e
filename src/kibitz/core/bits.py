"""Bits of a uint64 word inside kernels: one machine instruction each, and plain Python outside."""

from importlib import import_module
from typing import Any

from kibitz.core.kernels import jit_enabled


def popcount(word: int) -> int:
    """How many bits are set."""
    return int(word).bit_count()


def lowest(word: int) -> int:
    """The place of the lowest bit that is set; 64 where none is."""
    return (int(word) & -int(word)).bit_length() - 1 if word else 64


def _compile() -> None:
    """Teach Numba what LLVM calls these two."""
    types: Any = import_module("numba").types
    extending: Any = import_module("numba.extending")

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def count_ones(context: Any, word: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), code

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def count_trailing_zeros(context: Any, word: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            zero_is_fine = context.get_constant(types.boolean, False)
            return builder.cttz(arguments[0], zero_is_fine)

        return types.uint64(types.uint64), code

    @extending.overload(popcount, inline="always")  # type: ignore[untyped-decorator]
    def compiled_popcount(word: Any) -> Any:
        def code(word: Any) -> Any:
            return types.int64(count_ones(types.uint64(word)))

        return code

    @extending.overload(lowest, inline="always")  # type: ignore[untyped-decorator]
    def compiled_lowest(word: Any) -> Any:
        def code(word: Any) -> Any:
            return types.int64(count_trailing_zeros(types.uint64(word)))

        return code


if jit_enabled():
    _compile()
