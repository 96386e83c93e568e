"""Kernels declared by their annotations: the plain functions that they are written as, and machine code when asked for.

Nothing of Numba is imported before `machine_code` asks for the first machine code.
"""

from collections.abc import Callable
from importlib import import_module
from threading import RLock
from types import FunctionType
from typing import Any, get_args, get_type_hints

from kibitz.core.kernels.position import Word

WAITING: list["AnnotatedKernel"] = []
"""Kernels that Numba does not know yet."""
LOCK = RLock()


class AnnotatedKernel:
    """A kernel; *plain* is called where it is not compiled."""

    def __init__(self, function: FunctionType, plain: Any, options: dict[str, Any]) -> None:
        self.py_func, self.plain, self.options = function, plain, options
        self.dispatcher: Any = None
        WAITING.append(self)

    def compile_entry_point(self) -> Any:
        """The machine code."""
        register_kernels()
        return self.dispatcher.compile_entry_point()

    def is_missing_on_disk(self) -> bool:
        """Whether it can be cached on disk and is not yet."""
        register_kernels()
        return bool(self.dispatcher.is_missing_on_disk())


def machine_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """The machine code of a kernel: it takes rows in place of structs, and trusts the types of its arguments.

    With `KIBITZ_NO_JIT=1` it is a function over rows that calls the plain kernel.
    """
    kernel: AnnotatedKernel = function.annotated_kernel  # type: ignore[attr-defined]
    if not import_module("kibitz.core.kernels.kernels").jit_enabled():
        return _over_rows(function, kernel)
    entry: Callable[..., Any] = kernel.compile_entry_point()
    return entry


def _over_rows(function: Callable[..., Any], kernel: AnnotatedKernel) -> Callable[..., Any]:
    draws: Any = import_module("kibitz.core.kernels.random").Draws
    hints = get_type_hints(kernel.py_func)

    def run(*arguments: Any) -> Any:
        plain = list(arguments)
        packed: list[tuple[Any, Any]] = []
        for number, (hint, argument) in enumerate(zip(hints.values(), arguments, strict=False)):
            inner = (*get_args(hint), None)[0]
            if hasattr(hint, "FIELDS"):
                plain[number] = hint.unpack(argument)
                packed.append((argument, plain[number]))
            elif hasattr(inner, "FIELDS"):
                plain[number] = [inner.unpack(row) for row in argument]
                packed += zip(argument, plain[number], strict=True)
            elif hint is Word:
                plain[number] = Word(argument)
            elif hint is draws:
                plain[number] = draws(argument)
                packed.append((argument, plain[number]))
        result = function(*plain)
        for row, changed in packed:
            row[:] = changed.words if type(changed) is draws else changed.pack()
        return result

    return run


def register_kernels() -> None:
    """Let Numba know all kernels declared so far."""
    with LOCK:
        if WAITING:
            register = import_module("kibitz.core.kernels.struct_types").register_kernel
        while WAITING:
            register(WAITING.pop())
