"""Numba's dispatcher of a kernel: it compiles one signature when it is needed, and links the kernels that it calls.

It is imported when something is compiled.
"""

import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from llvmlite import ir
from numba.core import caching, cgutils, compiler, sigutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typing.typeof import Purpose
from numba.extending import intrinsic, typeof_impl

from kibitz.core.kernels import background, kernels, struct_types

UNUSABLE = OSError, EOFError, pickle.PickleError, ValueError, KeyError, AttributeError, ImportError
"""What an unusable cache raises: a damaged one, or one that names a struct which was renamed or has moved."""


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Compiles only its declared signature, at the first call from Python or from another kernel."""

    def __init__(self, kernel: "kernels.Kernel", declared: Any) -> None:
        always = {"nopython": True, "error_model": "numpy"}
        super().__init__(kernel.py_func, locals={}, targetoptions=always | kernel.options)
        self.declared, self.name = declared, kernel.name
        self.known_address = 0
        self.linked: Any = None

    def compile_entry_point(self) -> Any:
        """The machine code's entry point."""
        with global_compiler_lock:  # another thread may be compiling it; reentrant, because a kernel may call itself
            if self.linked in self.overloads.values():
                self.overloads.clear()  # Python also calls it
            if not self.overloads and not self._compiling_counter:
                missing = self.is_missing_on_disk()
                try:
                    self.compile(self.declared)
                except UNUSABLE:
                    self._cache = caching.NullCache()
                    self.compile(self.declared)
                if missing:
                    for each in (made := next(iter(self.overloads.values())))._find_referenced_environments():
                        made.library.codegen.set_env(each.env_name, each)  # pointers of the kernels linked into it
                    background.prune_kernels()
                self.disable_compile()
        return next(iter(self.overloads.values())).entry_point if self.overloads else None

    def link(self) -> None:
        """Compile it for kernels that call it, as LLVM code that is optimised and emitted with each of them."""
        with global_compiler_lock:
            if self.overloads or self._compiling_counter:
                return
            if "parallel" in self.targetoptions or self.name in kernels.ENTRIES or not self.is_missing_on_disk():
                self.compile_entry_point()
                return
            flags = compiler.Flags()
            self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
            flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
            arguments, result = sigutils.normalize_signature(self.declared)
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

    def own_code(self) -> Any:
        """What it is compiled to by itself."""
        self.compile_entry_point()
        return next(iter(self.overloads.values()))

    def address(self) -> int:
        """Where its machine code for calls by address begins."""
        if not self.known_address:
            made = self.own_code()
            self.known_address = made.library.get_pointer_to_function(made.fndesc.llvm_cfunc_wrapper_name)
        return self.known_address

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
        if kept is None:
            return False
        try:
            return not kept._load_index()
        except UNUSABLE:
            with suppress(OSError):
                kept.flush()
            return True

    def _keep_on_disk(self) -> None:
        folder = background.shared_folder()
        with suppress(RuntimeError):  # nowhere to write to: compile every time
            if folder is not None:
                self.enable_caching()
                background.place_cache(self._cache, self.name, self.py_func, folder)


def make_dispatcher(kernel: "kernels.Kernel") -> KernelDispatcher:
    """The dispatcher of a kernel; from now on other kernels can call it."""
    hints = kernel.py_func.__annotations__.values()
    tuples = {hint.__name__: struct_types.argument_type(hint) for hint in hints if hasattr(hint, "_fields")}
    if kernel.signature is None:
        declared = struct_types.annotated_signature(kernel.py_func)
    else:
        declared = eval(kernel.signature, {}, vars(types) | tuples)
    made = KernelDispatcher(kernel, declared)
    cpu_target.typing_context.insert_global(kernel.stand_in, types.Dispatcher(made))
    return made


@typeof_impl.register(kernels.Kernel)  # type: ignore[untyped-decorator]
def kernel_type(kernel: "kernels.Kernel", context: Any) -> Any:
    """The type of a kernel that is an argument."""
    return types.FunctionType(kernel.dispatcher.own_code().signature) if context.purpose is Purpose.argument else None


def register_cast(function: Callable[..., Any], signature: str) -> None:
    """Let *function* turn the address of a kernel of *signature* into that kernel, inside other kernels."""
    kind = types.FunctionType(eval(signature, {}, vars(types)))

    @intrinsic  # type: ignore[untyped-decorator]
    def cast_address(context: Any, address: Any) -> Any:
        def code(context: Any, builder: ir.IRBuilder, declared: Any, arguments: Any) -> Any:
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.c_addr = builder.inttoptr(arguments[0], cgutils.voidptr_t)
            made.py_addr = made.jit_addr = cgutils.voidptr_t(None)
            return made._getvalue()

        return kind(types.int64), code

    context = cpu_target.typing_context
    context.refresh()
    context.insert_global(function, context.resolve_value_type(cast_address))
