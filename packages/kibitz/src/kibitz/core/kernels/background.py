"""Compiles kernels in a helper process while a game goes on: nobody waits for a compiler.

After `compile_in_background` a kernel runs plain at first, and the helper compiles it into the folder of this user.
`load_compiled`, which matches call between moves, loads what is there. The helper ends with the process that needs it.

Compiled kernels are kept in one folder for all installations of a user, by what they are compiled from.
The name of a kernel's file holds a hash of the source files that it and the kernels it calls are in, and of the values
of the constants that are compiled in. So a new clone or another environment of the same version finds its kernels, and
another version never finds wrong ones. Each kind of processor and each setting of Numba has a folder of its own.
"""

import atexit
import os
import platform
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from shutil import rmtree
from tempfile import mkdtemp
from threading import Thread
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kibitz.core.kernels.kernels import Kernel
    from kibitz.core.processes import Worker

FOLDER = "KIBITZ_KERNELS"
"""The variable that names another folder."""
UNUSED_DAYS, DAY = 60, 86_400.0
"""Kernels that were not used for so many days are removed."""


@cache
def jit_enabled() -> bool:
    """Whether kernels are ever compiled in this process."""
    return os.environ.get("KIBITZ_NO_JIT", "") in ("", "0") and find_spec("numba") is not None


def shared_folder() -> Path | None:
    """The folder of this user's kernels, for these versions of Python and Numba; None if there is none to trust."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    base = Path(os.environ.get(FOLDER) or Path(home, "kibitz", "kernels"))
    versions = f"python{sys.version_info.major}.{sys.version_info.minor}-numba{version('numba')}"
    folder = base / f"{versions}-llvmlite{version('llvmlite')}-{target_hash()}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        return None
    # Code is loaded from there, so that nobody else may write to it.
    foreign = hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    return None if foreign or not os.access(folder, os.W_OK) else folder


def target_hash() -> str:
    """A hash of the processor and of Numba's settings, such as NUMBA_OPT: machine code depends on both."""
    settings = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_"))
    return blake2b(repr([processor(), settings]).encode(), digest_size=4).hexdigest()


@cache
def processor() -> str:
    """The model and the abilities of this processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    return "\n".join(line for line in lines if line.startswith(("model", "flags", "CPU", "Features")))


@cache
def prune_kernels() -> None:
    """Remove the kernels of this user, those of other versions too, that were not used for long; once in a process."""
    folder = shared_folder()
    for file in folder.parent.glob("python*/*.nb[ic]") if folder is not None else ():
        with suppress(OSError):  # another process may remove it, too
            if time.time() - max(file.stat().st_atime, file.stat().st_mtime) > UNUSED_DAYS * DAY:
                file.unlink()


def machine_code_file(name: str, function: FunctionType, folder: Path) -> Path:
    """The file of the machine code of a kernel, which is written when it is compiled, after its index."""
    return folder / f"{name}-{kernel_stamp(function)}.1.nbc"


def place_cache(kept: Any, name: str, function: FunctionType, folder: Path) -> None:
    """Let Numba's *kept* cache of a kernel use the shared folder."""
    stamp, kind = kernel_stamp(function), import_module("numba.core.caching").IndexDataCacheFile
    kept._cache_path = str(folder)
    kept._cache_file = kind(str(folder), f"{name}-{stamp}", stamp)


def kernel_stamp(function: FunctionType) -> str:
    """A hash of all that *function* is compiled from: files of the functions that it calls, and constants."""
    found: set[tuple[str, str, str]] = set()
    waiting, done = [function], set()
    while waiting:
        current = waiting.pop()
        if current in done:
            continue
        done.add(current)
        package = current.__module__.partition(".")[0]
        found.add((current.__module__, "", file_hash(current.__code__.co_filename)))
        for name, each in [*referred_objects(current), *current.__annotations__.items()]:
            home = str(getattr(each, "__module__", "") or "")
            own = home.startswith(("kibitz", f"{package}.")) or hasattr(each, "_fields")  # structs of any package
            if own and (file := getattr(sys.modules.get(home), "__file__", None)):
                found.add((home, "", file_hash(file)))
            called: Any = getattr(each, "kernel", each)
            if hasattr(called, "py_func"):
                waiting.append(called.py_func)
            elif hasattr(each, "FIELDS"):
                found.add((home, name, value_hash(each)))
            elif not isinstance(each, (ModuleType, FunctionType, type)):
                found.add((current.__module__, name, value_hash(each)))
    return blake2b(repr(sorted(found)).encode(), digest_size=12).hexdigest()


def referred_objects(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The global objects that a function names, those of modules included."""
    names = function.__code__.co_names
    for name in names:
        found = function.__globals__.get(name)
        if found is not None:
            yield name, found
        if isinstance(found, ModuleType):
            yield from ((f"{name}.{each}", getattr(found, each)) for each in names if hasattr(found, each))


def value_hash(value: Any) -> str:
    """The value of a constant; the layout of a record; of other objects nothing, as their file says what they are."""
    import numpy as np

    if hasattr(value, "FIELDS"):
        return repr([value.FIELDS, *[each.of.FIELDS for each in value.FIELDS.values() if each.of]])
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype} {value.shape} {blake2b(value.tobytes(), digest_size=12).hexdigest()}"
    return repr(value) if isinstance(value, (bool, int, float, complex, str, bytes, tuple, frozenset)) else ""


@cache
def file_hash(path: str) -> str:
    """A hash of a source file."""
    return blake2b(Path(path).read_bytes(), digest_size=12).hexdigest()


NICE = 10
MOST_STARTS = 3
"""So often a helper is started, if it dies."""


class Helper:
    """Has kernels compiled by another process, and loads them. *send* takes the names of kernels to compile."""

    def __init__(self, send: Callable[[str], object] | None = None) -> None:
        self.send = send or self.send_to_process
        self.waiting: dict[Kernel, Path] = {}
        """Kernels to compile, each with the file that its machine code will be in."""
        self.asked: set[str] = set()
        self.names: SimpleQueue[str] = SimpleQueue()
        """Names for the process, in their order."""
        self.worker: Worker | None = None
        self.starts = 0

    def ask(self, kernel: "Kernel") -> None:
        """Load a kernel, or have it compiled."""
        folder = shared_folder() if kernel not in self.waiting else None
        if folder is not None:
            self.waiting[kernel] = machine_code_file(kernel.name, kernel.py_func, folder)
            if not self.load(kernel):
                self.send(kernel.name)

    def load(self, kernel: "Kernel") -> bool:
        """Load a kernel if it is compiled."""
        if not self.waiting[kernel].exists() or kernel.dispatcher.is_missing_on_disk():
            return False
        kernel.load()
        del self.waiting[kernel]
        return True

    def load_compiled(self) -> None:
        """Load what has been compiled."""
        for kernel in list(self.waiting):
            self.load(kernel)

    def send_to_process(self, name: str) -> None:
        """Let the helper process compile a kernel."""
        if name not in self.asked:
            self.asked.add(name)
            self.names.put(name)
            if len(self.asked) == 1:
                Thread(target=self.run, name="kernels", daemon=True).start()

    def run(self) -> None:
        """In a thread: have one kernel after another compiled; start the process again if it has died."""
        from kibitz.core.processes import Limits, WorkerLost, Workers

        name = ""
        with Workers() as workers:
            while self.starts < MOST_STARTS:
                self.starts += 1
                with suppress(WorkerLost):
                    self.worker = workers.fork(Limits(nice=NICE))
                    while True:
                        name = name or self.names.get()
                        self.worker.run(compile_kernel, name)
                        name = ""

    def stop(self) -> None:
        """End the process."""
        self.starts = MOST_STARTS
        if self.worker is not None:
            self.worker.kill()


HELPER: Helper | None = None
"""The helper of this process; None if it compiles kernels when they are called."""


def compile_in_background(send: Callable[[str], object] | None = None) -> None:
    """Let kernels run plain from now on until a helper has compiled them; without Numba they stay so.

    Commands call it, never an import.

    Where no folder may be written to, the helper and this process share one that lasts as long as this process.
    """
    global HELPER
    if HELPER is None and jit_enabled() and "PYTEST_CURRENT_TEST" not in os.environ:
        HELPER = Helper(send)
        if shared_folder() is None:
            with suppress(OSError):  # nor is there room for temporary files: kernels run plain
                os.environ[FOLDER] = mkdtemp(prefix="kibitz-kernels-")
                atexit.register(rmtree, os.environ[FOLDER], ignore_errors=True)


def send(name: str) -> None:
    """Have a kernel compiled that another process waits for."""
    if HELPER is not None:
        HELPER.send(name)


def load_compiled() -> None:
    """Load the kernels that the helper has compiled."""
    if HELPER is not None and HELPER.waiting:
        HELPER.load_compiled()


def compile_kernel(name: str) -> None:
    """Compile a kernel into the folder of this user."""
    with suppress(Exception):  # what is wrong with a kernel, its callers say
        import_module(name.rpartition(".")[0])
        import_module("kibitz.core.kernels.kernels").DECLARED[name].load()
