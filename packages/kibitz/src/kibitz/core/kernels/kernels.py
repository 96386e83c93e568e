"""`@kernel`: functions that run plain until they are compiled by Numba.

A kernel declares its signature, and is compiled for that alone and cached on disk. A process compiles it at the first
call, or after `compile_in_background` calls it plain until a helper has compiled it. With `KIBITZ_NO_JIT=1` and without
Numba it stays plain. Nothing of Numba is imported before the first machine code is needed.
"""

from collections.abc import Callable
from functools import update_wrapper
from importlib import import_module
from threading import RLock, local
from types import FunctionType
from typing import Any, TypeVar, cast, get_type_hints, overload

from kibitz.core.kernels import background
from kibitz.core.kernels.background import jit_enabled, referred_objects
from kibitz.core.kernels.structs import over_rows

Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")

DECLARED: dict[str, "Kernel"] = {}
"""Every kernel of the modules imported so far, by its full name."""
ENTRIES: set[str] = set()
"""The names of kernels that both Python and other kernels call."""
REGISTRATIONS: list[Callable[[], object]] = []
"""What to do before the next kernel is compiled: make known to Numba what kernels call."""
LOCK = RLock()


class _Thread(local):
    inside = False
    """Whether a kernel runs plain."""


THREAD = _Thread()


class Kernel:
    """A function that Python and other kernels call; other kernels know it by its *stand_in*."""

    def __init__(self, function: FunctionType, signature: str | None, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func, self.signature, self.options = function, signature, options
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.stand_in: Callable[..., Any] = self
        self.code: Callable[..., Any] | None = None
        """What Python calls, once it is compiled."""
        self.entry: Callable[..., Any] = function
        """Quicker to call than the kernel, but it trusts the types of its arguments."""
        self.known_dispatcher: Any = None
        REGISTRATIONS.append(self.register)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__

    def __call__(self, *arguments: Any) -> Any:
        return (self.code or self.choose_code())(*arguments)

    def choose_code(self) -> Callable[..., Any]:
        """The function to call now."""
        if THREAD.inside:
            return self.py_func
        return cast("Callable[..., Any]", self.code) if self.is_compiled() else self.run_plain

    def is_compiled(self) -> bool:
        """Whether there is machine code to call: it is compiled now, or else by the helper."""
        if self.code is None and jit_enabled():
            if background.HELPER is None:
                self.load()
            else:
                background.HELPER.ask(self)
        return self.code is not None

    def run_plain(self, *arguments: Any) -> Any:
        """The result of the plain function, whose numbers overflow silently, as they do in machine code."""
        import numpy as np

        THREAD.inside = True
        try:
            with np.errstate(all="ignore"):
                return self.py_func(*arguments)
        finally:
            THREAD.inside = False

    def load(self) -> None:
        """Compile it, or load it from disk; from now on Python calls the machine code."""
        self.entry = self.dispatcher.compile_entry_point() or self.entry
        self.code = self.dispatcher

    @property
    def dispatcher(self) -> Any:
        """Its `KernelDispatcher`, by which Numba knows it."""
        with LOCK:
            while REGISTRATIONS:
                REGISTRATIONS.pop()()
            self.register()
        return self.known_dispatcher

    def register(self) -> None:
        """Make it known to Numba."""
        if self.known_dispatcher is None:
            self.known_dispatcher = import_module("kibitz.core.kernels.dispatcher").make_dispatcher(self)

    def __wrapper_address__(self) -> int:
        return kernel_address(self)


@overload
def kernel(signature: Function, /) -> Function: ...
@overload
def kernel(
    signature: str | None = None,
    *,
    lean: bool = False,
    parallel: bool = False,
    entry: bool = False,
    plain: Callable[..., Any] | None = None,
) -> Callable[[Function], Function]: ...
def kernel(
    signature: Any = None,
    *,
    lean: bool = False,
    parallel: bool = False,
    entry: bool = False,
    plain: Callable[..., Any] | None = None,
) -> Any:
    """Compile the function below for *signature* when it is first needed.

    Without a signature its annotations say the types, structs (`structs.Struct`) among them; then the function stays
    as it is, and `machine_code` returns what it is compiled to. `kibitz warmup` compiles it if it is an *entry*.
    *plain* is called in its place where it is not compiled.
    Other kernels may call it, itself included; kernels that do not know a game take that game's kernels as
    `FunctionType(...)` arguments. Twin tests run every kernel both ways. A *lean* one creates no arrays, so
    that no array references are counted, which is most of the cost of a short call; it is inlined into its callers.
    A *parallel* one runs the rounds of its `prange` loops on all cores. A kernel becomes machine code only as a part of
    those that Python calls. Mark one that both Python and other kernels call as an *entry*. An entry is optimised by
    itself before it is linked; mark an inner loop as one if it is slower as a part of a large kernel.
    The signature may name a NamedTuple that annotates an argument; its fields are `int`, `float` or `Annotated[NDArray,
    "uint64[::1]"]`.
    """

    if isinstance(signature, FunctionType):
        return kernel()(signature)

    def declare_kernel(function: Function) -> Function:
        assert isinstance(function, FunctionType)
        lean_options = {"forceinline": True, "_nrt": False} if lean else {}
        made = Kernel(function, signature, lean_options | ({"parallel": True} if parallel else {}))
        if entry:
            ENTRIES.add(made.name)
        DECLARED[made.name] = made
        if signature is None:
            stand_in: Any = plain or function
            made.stand_in, stand_in.kernel = stand_in, made
            return cast(Function, stand_in)
        return cast(Function, made)

    return declare_kernel


def machine_code(function: Callable[..., Result]) -> Callable[..., Result]:
    """What a kernel is compiled to: quicker to call than a kernel with a signature, but it trusts the types.

    One without a signature takes rows in place of structs, also as long as it is not compiled.
    """
    made: Any = function if isinstance(function, Kernel) else function.kernel  # type: ignore[attr-defined]
    if made.code is not None or made.is_compiled():
        return made.entry  # type: ignore[no-any-return]
    return function if made.signature else over_rows(function, get_type_hints(made.py_func))


def python_twin(function: Function) -> Function:
    """The plain Python function a kernel was written as."""
    return cast(Function, getattr(function, "py_func", function))


def are_compiled(*functions: Callable[..., Any]) -> bool:
    """Whether there is machine code of all these kernels; if not, a plain twin plays on until there is."""
    missing = 0
    for each in functions:  # all of them, so that the helper knows what is needed
        missing += isinstance(each, Kernel) and each.code is None and not each.is_compiled()
    return not missing and jit_enabled()


def kernel_address(function: Any) -> int:
    """The address of a kernel, the quickest argument there is; `kernel_at` makes a kernel of it again. 0 is none."""
    return 0 if function is None else int(function.dispatcher.address())


def kernel_at(signature: str) -> Callable[[int], Any]:
    """A function for kernels that turns the address of a kernel of *signature* into that kernel.

    Numba looks up the type and the address of a kernel that is an argument, which takes longer than a short search.
    """

    def cast_address(function: Any) -> Any:
        return function

    def register() -> None:
        import_module("kibitz.core.kernels.dispatcher").register_cast(cast_address, signature)

    REGISTRATIONS.append(register)
    return cast_address


def entries() -> dict[str, Kernel]:
    """The kernels declared so far that Python calls."""
    called = {
        id(python_twin(other))
        for made in DECLARED.values()
        for _, other in referred_objects(made.py_func)
        if python_twin(other) is not made.py_func
    }
    return {
        name: made
        for name, made in DECLARED.items()
        if name in ENTRIES or (made.signature is not None and id(made.py_func) not in called)
    }
