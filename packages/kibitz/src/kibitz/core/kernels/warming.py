"""Compiles all entries of packages at once, with two processes."""

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

from kibitz.core.kernels.background import Helper, jit_enabled
from kibitz.core.kernels.kernels import entries
from kibitz.core.processes import cores


def warm_up(packages: Sequence[str], report: Callable[[str, int, int], None] | None = None) -> int:
    """Compile the entries of *packages* or modules now, or load them from disk; return how many there are.

    If a core is free, a helper starts at the end: when the two meet, each finds the other's kernels on disk.
    """
    modules = {module for package in packages for module in kernel_modules(package)}
    for module in modules:
        import_module(module)
    wanted = {name: made for name, made in entries().items() if name.rpartition(".")[0] in modules}
    names = sorted(wanted)
    helper = Helper()
    try:
        for name in reversed(names):
            if jit_enabled() and cores() > 1 and wanted[name].dispatcher.is_missing_on_disk():
                helper.send(name)
        for number, name in enumerate(names, 1):
            if report is not None:
                report(name, number, len(names))
            if jit_enabled():
                wanted[name].load()
    finally:
        helper.stop()
    return len(names)


def kernel_modules(package: str) -> list[str]:
    """The modules of a package that declare kernels, the package itself included."""
    inner = walk_packages(getattr(import_module(package), "__path__", ()), f"{package}.")
    return [name for name in (package, *(module.name for module in inner)) if _declares_kernels(name)]


def _declares_kernels(module: str) -> bool:
    spec = find_spec(module)
    path = Path(spec.origin or "") if spec is not None else Path()
    return path.suffix == ".py" and re.search(r"^@kernel\b", path.read_text(encoding="utf-8"), re.MULTILINE) is not None
