"""Compiled loops: `@kernel` compiles a function beside its readable twin; bit boards; random numbers in kernels."""

from kibitz.core.kernels.background import compile_in_background, jit_enabled, load_compiled
from kibitz.core.kernels.kernels import (
    are_compiled,
    kernel,
    kernel_address,
    kernel_at,
    machine_code,
    python_twin,
)
from kibitz.core.kernels.warming import kernel_modules, warm_up

__all__ = [
    "are_compiled",
    "compile_in_background",
    "jit_enabled",
    "kernel",
    "kernel_address",
    "kernel_at",
    "kernel_modules",
    "load_compiled",
    "machine_code",
    "python_twin",
    "warm_up",
]
