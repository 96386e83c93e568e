"""Compiled loops: `@kernel` compiles a function beside its readable twin; bit boards; random numbers in kernels."""

from kibitz.core.kernels.annotated import machine_code
from kibitz.core.kernels.kernels import (
    jit_enabled,
    kernel,
    kernel_address,
    kernel_argument,
    kernel_at,
    kernel_entry,
    kernel_modules,
    python_twin,
    warm_up,
)

__all__ = [
    "jit_enabled",
    "kernel",
    "kernel_address",
    "kernel_argument",
    "kernel_at",
    "kernel_entry",
    "kernel_modules",
    "machine_code",
    "python_twin",
    "warm_up",
]
