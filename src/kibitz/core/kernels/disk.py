"""Where compiled kernels are kept: one folder for all installations of a user, by what they are compiled from.

The name of a kernel's file holds a hash of the source files that it and the kernels it calls are in, and of the values
of the constants that are compiled in. So a new clone or another environment of the same version finds its kernels, and
another version never finds wrong ones. Numba keeps what depends on the processor apart.
"""

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

FOLDER = "KIBITZ_KERNELS"
"""The variable that names another folder; where it is empty, kernels are kept beside their source."""


LARGEST = 512 * 2**20
"""Bytes that kernels may take together."""
UNUSED_DAYS, DAY = 60, 86_400.0
"""Kernels that were not used for so many days are removed, and the oldest ones while all take more than LARGEST."""


class CachedKernels(NamedTuple):
    """How many kernels are kept, and how many bytes they take."""

    kernels: int
    bytes: int


def shared_folder() -> Path | None:
    """The folder of this user's kernels, for these versions of Python and Numba; None if there is none to trust."""
    named = os.environ.get(FOLDER)
    if named == "" or os.environ.get("NUMBA_CACHE_DIR"):
        return None
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    base = Path(named) if named else Path(home, "kibitz", "kernels")
    versions = f"python{sys.version_info.major}.{sys.version_info.minor}-numba{version('numba')}"
    folder = base / f"{versions}-llvmlite{version('llvmlite')}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        return None
    # Code is loaded from there, so that nobody else may write to it.
    foreign = hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    return None if foreign or not os.access(folder, os.W_OK) else folder


def cached_kernels(folder: Path) -> CachedKernels:
    """What a folder holds."""
    files = [each for each in folder.iterdir() if each.suffix in (".nbi", ".nbc")]
    return CachedKernels(sum(each.suffix == ".nbi" for each in files), sum(each.stat().st_size for each in files))


def prune_kernels(folder: Path, now: float, largest: int = LARGEST) -> CachedKernels:
    """Remove kernels that were not used for long from *folder* and those of other versions; return what was removed."""
    found: dict[str, dict[Path, os.stat_result]] = {}
    for file in folder.parent.glob("python*/*.nb[ic]"):
        kernel = str(file.with_suffix("")) if file.suffix == ".nbi" else str(file.with_suffix("").with_suffix(""))
        with suppress(OSError):  # another process may remove it, too
            found.setdefault(kernel, {})[file] = file.stat()
    used = {kernel: max(each.st_mtime for each in files.values()) for kernel, files in found.items()}
    sizes = {kernel: sum(each.st_size for each in files.values()) for kernel, files in found.items()}
    total, removed = sum(sizes.values()), CachedKernels(0, 0)
    for kernel in sorted(found, key=lambda each: used[each]):
        if now - used[kernel] < UNUSED_DAYS * DAY and total - removed.bytes <= largest:
            break
        for file in found[kernel]:
            with suppress(OSError):
                file.unlink()
        removed = CachedKernels(removed.kernels + 1, removed.bytes + sizes[kernel])
    return removed


@cache
def prune_shared_folder() -> None:
    """Remove old kernels of this user, once in a process."""
    folder = shared_folder()
    if folder is not None:
        prune_kernels(folder, time.time())


def note_use(index: Path, now: float) -> None:
    """Remember that a kernel on disk was used; the time of its index says when, to the day."""
    with suppress(OSError):
        if now - index.stat().st_mtime > DAY:
            os.utime(index, (now, now))


def place_cache(kept: Any, stamp: str) -> None:
    """Let Numba's *kept* cache of a kernel use the shared folder, or else also notice changes in other files."""
    folder = shared_folder()
    if folder is None:
        kept._cache_file._source_stamp = (kept._cache_file._source_stamp, stamp)
        return
    kind = import_module("numba.core.caching").IndexDataCacheFile
    kept._cache_path = str(folder)
    kept._cache_file = kind(str(folder), f"{kept._impl.filename_base}-{stamp}", stamp)
    note_use(Path(kept._cache_file._index_path), time.time())


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
            own = home.partition(".")[0] == package or hasattr(each, "_fields")  # structs of any package
            if own and (file := getattr(sys.modules.get(home), "__file__", None)):
                found.add((home, "", file_hash(file)))
            if hasattr(each, "declared_signature"):
                waiting.append(each.py_func)
            elif hasattr(each, "annotated_kernel"):
                waiting.append(each.annotated_kernel.py_func)
            elif hasattr(each, "LAYOUT"):
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

    if hasattr(value, "LAYOUT"):
        return blake2b(value.LAYOUT.encode(), digest_size=6).hexdigest()
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype} {value.shape} {blake2b(value.tobytes(), digest_size=12).hexdigest()}"
    return repr(value) if isinstance(value, (bool, int, float, complex, str, bytes, tuple, frozenset)) else ""


@cache
def file_hash(path: str) -> str:
    """A hash of a source file."""
    return blake2b(Path(path).read_bytes(), digest_size=12).hexdigest()
