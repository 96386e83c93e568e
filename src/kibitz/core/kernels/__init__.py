"""Hot loops: `@kernel` compiles a function beside its readable twin; bit boards; random numbers in kernels."""

from kibitz.core.kernels.kernels import handed, jit_enabled, kernel, kernel_modules, python_twin, warm_up

__all__ = ["handed", "jit_enabled", "kernel", "kernel_modules", "python_twin", "warm_up"]
