"""`kibitz warmup`: compiles the kernels now, so that the first game starts at once."""

import time
from typing import Annotated

from rich.progress import Progress

from kibitz.cli.console import console
from kibitz.cli.options import Argument, JsonCommand
from kibitz.core.errors import UnknownName
from kibitz.core.kernels import jit_enabled, kernel_modules, warm_up


class WarmupCommand(JsonCommand, frozen=True):
    """Compile all kernels, or those of the parts you name, or load them from the cache.

    Examples:
      kibitz warmup
      kibitz warmup games.pawns agents.search
    """

    parts: Argument[tuple[Annotated[str, "[PART]..."], ...]] = ()
    """Parts of kibitz, such as games.pawns (default: all)."""
    quiet: Annotated[bool, "-q"] = False
    """Print nothing."""

    def execute(self) -> None:
        start = time.perf_counter()
        packages = [package_of(part) for part in self.parts or ("kibitz",)]
        with Progress(console=console, disable=self.quiet or self.json, transient=True) as progress:
            task = progress.add_task("compiling", total=None)
            count = warm_up(packages, lambda name, number, total: progress.update(task, total=total, completed=number))
        seconds = time.perf_counter() - start
        how = "ready" if jit_enabled() else "left in Python (KIBITZ_NO_JIT is set)"
        report = {"kernels": count, "compiled": jit_enabled(), "seconds": round(seconds, 3)}
        self.show(report, [] if self.quiet else [f"{count} kernels {how} in {seconds:.1f} s"])


def package_of(part: str) -> str:
    """The package or module called *part* inside kibitz; raises UnknownName if it has no kernels."""
    known = {module.removeprefix("kibitz."): module for module in kernel_modules("kibitz")}
    name = part.removeprefix("kibitz.")
    if name == "kibitz" or name in known or any(module.startswith(f"{name}.") for module in known):
        return "kibitz" if name == "kibitz" else f"kibitz.{name}"
    raise UnknownName("part with kernels", part, tuple(known))
