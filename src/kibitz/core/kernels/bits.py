"""Bits of a uint64 word inside kernels: one machine instruction each, and plain Python outside."""

from importlib import import_module
from typing import Any

from kibitz.core.kernels import jit_enabled


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
    """Map these functions to LLVM intrinsics for Numba."""
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

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def deposit(context: Any, word: Any, mask: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            ir: Any = import_module("llvmlite.ir")
            bits = ir.IntType(64)
            kind = ir.FunctionType(bits, [bits, bits])
            instruction = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", fnty=kind)
            return builder.call(instruction, arguments)

        return types.uint64(types.uint64, types.uint64), code

    @extending.overload(nth_bit, inline="always")  # type: ignore[untyped-decorator]
    def compiled_nth_bit(word: Any, count: Any) -> Any:
        def code(word: Any, count: Any) -> Any:
            return deposit(types.uint64(1) << types.uint64(count), types.uint64(word))

        def portable(word: Any, count: Any) -> Any:
            left = types.uint64(word)
            for _ in range(count):
                left &= left - types.uint64(1)
            return left & (types.uint64(0) - left)

        return code if _has_deposit() else portable


def _has_deposit() -> bool:
    """Whether the processor has `pdep`, which makes random games twice as fast as a loop over bits."""
    target: Any = import_module("numba.core.registry").cpu_target
    return "+bmi2" in target.target_context.codegen().magic_tuple()[2]


if jit_enabled():
    _compile()
