"""`kibitz warmup`: compiles the kernels now, so that the first game starts at once."""

import time
from collections.abc import Sequence
from typing import Annotated

from rich.progress import Progress

from kibitz.cli.console import console
from kibitz.cli.options import Argument, JsonCommand
from kibitz.core.errors import UnknownName
from kibitz.core.kernels import jit_enabled, kernel_modules, warm_up
from kibitz.plugins import installed_packages


class WarmupCommand(JsonCommand, frozen=True):
    """Compile all kernels, or those of the parts you name, or load them from the cache.

    Examples:
      kibitz warmup
      kibitz warmup kibitz_risk kibitz_lab.search
    """

    parts: Argument[tuple[Annotated[str, "[PART]..."], ...]] = ()
    """Packages or modules, such as kibitz_risk (default: all)."""
    quiet: Annotated[bool, "-q"] = False
    """Print nothing."""

    def execute(self) -> None:
        start = time.perf_counter()
        check_parts(self.parts)
        packages = self.parts or installed_packages()
        with Progress(console=console, disable=self.quiet or self.json, transient=True) as progress:
            task = progress.add_task("compiling", total=None)
            count = warm_up(packages, lambda name, number, total: progress.update(task, total=total, completed=number))
        seconds = time.perf_counter() - start
        how = "ready" if jit_enabled() else "left in Python (KIBITZ_NO_JIT is set)"
        report = {"kernels": count, "compiled": jit_enabled(), "seconds": round(seconds, 3)}
        self.show(report, [] if self.quiet else [f"{count} kernels {how} in {seconds:.1f} s"])


def check_parts(parts: Sequence[str]) -> None:
    """Raise UnknownName for a part that has no kernels."""
    known = [module for package in installed_packages() for module in kernel_modules(package)]
    for part in parts:
        if not any(f"{module}.".startswith(f"{part}.") for module in known):
            raise UnknownName("part with kernels", part, known)
