"""`@kernel`: loops compiled by Numba, each the twin of a readable reference.

A kernel declares its signature; it is compiled for that signature alone, at its first call or in `kibitz warmup`, and
cached on disk. With `KIBITZ_NO_JIT=1` it stays a plain Python function.
"""

import os
import pickle
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages
from types import FunctionType
from typing import Any, TypeVar, cast, get_args, get_type_hints, overload

from kibitz.core.kernels.annotated import AnnotatedKernel
from kibitz.core.kernels.disk import kernel_stamp, place_cache, prune_shared_folder, referred_objects

Function = TypeVar("Function", bound=Callable[..., Any])

DECLARED: dict[str, Any] = {}
"""Every kernel of the modules imported so far, by its full name."""
ENTRIES: set[str] = set()
"""The names of kernels that both Python and other kernels call."""
LINKED_BY = "0.68."
"""The version of Numba whose internals are known to link kernels as LLVM code; others compile each by itself."""
KernelWatch = Callable[[str, bool], AbstractContextManager[object]]
WATCHES: list[KernelWatch] = []
"""For progress: each gets the name of a kernel and whether it must be compiled, which takes seconds, or is on disk; the
kernel becomes ready within the context that it returns."""


def jit_enabled() -> bool:
    """Whether kernels are compiled in this process."""
    return os.environ.get("KIBITZ_NO_JIT", "") in ("", "0")


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

    Without a signature its annotations say the types, structs (`position.Struct`) among them; then the function stays
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
        name = f"{function.__module__}.{function.__qualname__}"
        options = {
            **({"forceinline": True, "_nrt": False} if lean else {}),
            **({"parallel": True} if parallel else {}),
        }
        if entry:
            ENTRIES.add(name)
        if signature is None:
            stand_in: Any = plain or function
            stand_in.annotated_kernel = AnnotatedKernel(function, stand_in, options)
            if entry:
                DECLARED[name] = stand_in.annotated_kernel
            return cast(Function, stand_in)
        made = _dispatcher_class()(function, signature, options) if jit_enabled() else function
        DECLARED[name] = made
        return cast(Function, made)

    return declare_kernel


def python_twin(function: Function) -> Function:
    """The plain Python function a kernel was written as."""
    return cast(Function, getattr(function, "py_func", function))


def kernel_argument(function: Function) -> Function:
    """A kernel as an argument for another one: its type and address are looked up once, not at every call."""
    return cast(Function, function.argument()) if hasattr(function, "argument") else function


def kernel_entry(function: Function) -> Function:
    """The machine code of a kernel: quicker to call than the kernel, but it trusts the types of its arguments."""
    return cast(Function, function.compile_entry_point()) if hasattr(function, "compile_entry_point") else function


def kernel_address(function: Function | None) -> int:
    """The address of a kernel as a number, the quickest argument there is; `kernel_at` makes a kernel of it again."""
    return 0 if function is None else int(kernel_argument(function).address)  # type: ignore[attr-defined]


def kernel_at(signature: str) -> Callable[[int], Any]:
    """A function for kernels that turns the address of a kernel of *signature* into that kernel.

    Numba looks up the type and the address of a kernel that is an argument, which takes longer than a short search.
    """
    if not jit_enabled():
        return lambda function: function
    types: Any = import_module("numba.core.types")
    cgutils: Any = import_module("numba.core.cgutils")
    kind = types.FunctionType(eval(signature, {}, vars(types)))

    @import_module("numba.extending").intrinsic  # type: ignore[untyped-decorator]
    def cast_address(context: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, declared: Any, arguments: Any) -> Any:
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.c_addr = builder.inttoptr(arguments[0], cgutils.voidptr_t)
            made.py_addr = made.jit_addr = cgutils.voidptr_t(None)
            return made._getvalue()

        return kind(types.int64), code

    return cast("Callable[[int], Any]", cast_address)


FROM_THE_END = "import sys; from kibitz.core.kernels import warm_up; warm_up(sys.argv[1:], backwards=True)"


def warm_up(
    packages: Sequence[str] = ("kibitz",),
    report: Callable[[str, int, int], None] | None = None,
    *,
    backwards: bool = False,
) -> int:
    """Compile the entries of *packages* or modules now, or load them from disk; return how many there are.

    A second process starts at the end, *backwards*: when the two meet, each finds the other's kernels on disk.
    """
    modules = {module for package in packages for module in kernel_modules(package)}
    for module in modules:
        import_module(module)
    wanted = [(name, made) for name, made in entries().items() if name.rpartition(".")[0] in modules]
    sizes = Counter(_part(name) for name, _ in wanted)
    # The largest parts first: the two meet among small ones, and so rarely compile the same kernel at the same time.
    wanted.sort(key=lambda pair: (-sizes[_part(pair[0])], pair[0]), reverse=backwards)
    helped = jit_enabled() and not backwards and any(made.is_missing_on_disk() for _, made in wanted)
    with _second_process(packages if helped else ()):
        for number, (name, made) in enumerate(wanted, 1):
            if report is not None:
                report(name, number, len(wanted))
            if jit_enabled():
                made.compile_entry_point()
    return len(wanted)


def entries() -> dict[str, Any]:
    """The kernels declared so far that Python calls."""
    functions = {name: python_twin(made) for name, made in DECLARED.items()}
    called = {
        id(python_twin(other))
        for function in functions.values()
        for _, other in referred_objects(function)
        if python_twin(other) is not function
    }
    return {name: made for name, made in DECLARED.items() if name in ENTRIES or id(functions[name]) not in called}


def _part(kernel: str) -> str:
    """The part of kibitz that a kernel belongs to, such as `kibitz.games.risk`."""
    return ".".join(kernel.split(".")[:3])


@contextmanager
def _second_process(packages: Sequence[str]) -> Iterator[None]:
    """Let another process compile kernels from the end, if there are any and a core is free."""
    if not packages or (os.cpu_count() or 1) < 2:
        yield
        return
    helper = subprocess.Popen(
        [sys.executable, "-c", FROM_THE_END, *packages], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        helper.kill()  # everything is compiled
        helper.wait()


def kernel_modules(package: str) -> list[str]:
    """The modules of a package that declare kernels, the package itself included."""
    inner = walk_packages(getattr(import_module(package), "__path__", ()), f"{package}.")
    return [name for name in (package, *(module.name for module in inner)) if _declares_kernels(name)]


def _declares_kernels(module: str) -> bool:
    spec = find_spec(module)
    path = Path(spec.origin or "") if spec is not None else Path()
    return path.suffix == ".py" and re.search(r"^@kernel\b", path.read_text(encoding="utf-8"), re.MULTILINE) is not None


@cache
def _dispatcher_class() -> Any:
    """Numba's dispatcher, changed to compile lazily and for one signature; imports numba only here."""
    CPUDispatcher: Any = import_module("numba.core.registry").CPUDispatcher  # noqa: N806

    numba: Any = import_module("numba")
    types: Any = import_module("numba.core.types")
    lock: Any = import_module("numba.core.compiler_lock").global_compiler_lock
    compiler: Any = import_module("numba.core.compiler")
    sigutils: Any = import_module("numba.core.sigutils")

    def set_environments(made: Any) -> None:
        """Set the pointers of compiled code to the environments of the kernels that were linked into it."""
        for each in made._find_referenced_environments():
            made.library.codegen.set_env(each.env_name, each)

    class KernelAddress(types.WrapperAddressProtocol):  # type: ignore[misc]
        """The address and the type of a compiled kernel."""

        def __init__(self, compiled: Any) -> None:
            self.address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
            self.compiled = compiled  # keeps the code alive as long as its address
            self._numba_type_ = types.FunctionType(compiled.signature)

        def __wrapper_address__(self) -> int:
            return int(self.address)

        def signature(self) -> Any:
            return self.compiled.signature

    class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
        """Compiles only its declared signature, at the first call from Python or from another kernel."""

        def __init__(self, function: FunctionType, signature: str, options: dict[str, bool]) -> None:
            always = {"nopython": True, "error_model": "numpy"}
            super().__init__(function, locals={}, targetoptions=always | options)
            self.declared_signature = signature
            self.full_name = f"{function.__module__}.{function.__qualname__}"
            self.address: KernelAddress | None = None
            self.linked: Any = None

        def compile_entry_point(self) -> Any:
            """The machine code's entry point."""
            with lock:  # another thread may be compiling it; reentrant, because a kernel may call itself
                if self.linked in self.overloads.values():
                    self.overloads.clear()  # Python also calls it
                if not self.overloads and not self._compiling_counter:
                    self._keep_on_disk()
                    signature, missing = self._numba_signature(), self.is_missing_on_disk()
                    with ExitStack() as watched:
                        for watch in WATCHES:
                            watched.enter_context(watch(self.full_name, missing))
                        try:
                            self.compile(signature)
                        except (OSError, EOFError, pickle.PickleError, ValueError, KeyError):  # an unusable cache
                            self._cache = import_module("numba.core.caching").NullCache()
                            self.compile(signature)
                    if missing:
                        set_environments(next(iter(self.overloads.values())))
                        prune_shared_folder()
                    self.disable_compile()
            return next(iter(self.overloads.values())).entry_point if self.overloads else None

        def link(self) -> None:
            """Compile it for kernels that call it, as LLVM code that is optimised and emitted with each of them."""
            with lock:
                if self.overloads or self._compiling_counter:
                    return
                linked = numba.__version__.startswith(LINKED_BY) and "parallel" not in self.targetoptions
                if not linked or self.full_name in ENTRIES or not self.is_missing_on_disk():
                    self.compile_entry_point()
                    return
                flags = compiler.Flags()
                self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
                flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
                arguments, result = sigutils.normalize_signature(self._numba_signature())
                contexts = self.typingctx, self.targetctx
                with self._compiling_counter:
                    made = compiler.compile_extra(*contexts, self.py_func, arguments, result, flags, {})
                library = made.library
                for called in dict.fromkeys(library._linking_libraries):
                    library._reload_init.update(called._reload_init)
                    library._final_module.link_in(called._get_module_for_linking(), preserve=True)
                library._finalized = True  # for kernels that link it
                self.linked = made._replace(entry_point=object())
                self.targetctx.insert_user_function(self.linked.entry_point, made.fndesc, [library])
                self.overloads[tuple(arguments)] = self.linked

        def argument(self) -> Any:
            """The object that represents it as an argument of another kernel."""
            if self.address is None:
                self.compile_entry_point()
                self.address = KernelAddress(next(iter(self.overloads.values())))
            return self.address

        def _numba_signature(self) -> Any:
            """The declared signature, with the types of structs, whose names Numba does not know, filled in."""
            structs = {struct.__name__: _struct_type(struct) for struct in _structs(self.py_func)}
            if not structs or not isinstance(self.declared_signature, str):
                return self.declared_signature
            return eval(self.declared_signature, {}, {**vars(types), **structs})  # as Numba does

        def _compile_for_args(self, *arguments: Any, **keywords: Any) -> Any:
            if not self.overloads or self.linked in self.overloads.values():
                return self.compile_entry_point()
            return super()._compile_for_args(*arguments, **keywords)

        def compile(self, signature: Any) -> Any:
            return None if self.linked in self.overloads.values() else super().compile(signature)

        def get_call_template(self, arguments: Any, keywords: Any) -> Any:
            self.link()
            return super().get_call_template(arguments, keywords)

        def get_compile_result(self, signature: Any) -> Any:  # called when it is an argument of another kernel
            self.compile_entry_point()
            return super().get_compile_result(signature)

        def is_missing_on_disk(self) -> bool:
            """Whether it can be cached on disk and is not yet."""
            if getattr(self._cache, "_cache_file", None) is None:
                self._keep_on_disk()
            kept = getattr(self._cache, "_cache_file", None)
            return kept is not None and not kept._load_index()

        def _keep_on_disk(self) -> None:
            try:
                self.enable_caching()
            except RuntimeError:  # no folder to write to: compile every time
                return
            # Numba checks only the kernel's own file; this also depends on the files of the kernels it calls.
            place_cache(self._cache, kernel_stamp(self.py_func))
            own = self._cache._cache_file
            if _structs(self.py_func):
                try:
                    own._load_index()
                except (AttributeError, ImportError):  # it names a struct that was renamed or has moved
                    with suppress(OSError):
                        own.flush()

    return KernelDispatcher


def _structs(function: FunctionType) -> list[type]:
    """The NamedTuples among the annotations of a kernel's arguments."""
    return [found for found in function.__annotations__.values() if hasattr(found, "_fields")]


def _struct_type(struct: type) -> Any:
    """The Numba type of a NamedTuple, by the annotations of its fields."""
    types: Any = import_module("numba.core.types")
    scalars = {int: types.int64, float: types.float64}
    hints = get_type_hints(struct, include_extras=True).values()
    fields = [scalars[hint] if hint in scalars else eval(get_args(hint)[-1], {}, vars(types)) for hint in hints]
    if len(set(fields)) == 1:
        return types.NamedUniTuple(fields[0], len(fields), struct)
    return types.NamedTuple(fields, struct)
