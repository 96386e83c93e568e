"""`kibitz warmup`: compile the kernels now, so that the first game starts at once."""

import time
from typing import Annotated

import typer
from rich.progress import Progress

from kibitz.cli.options import JsonOption
from kibitz.cli.screen import console
from kibitz.core.kernels import jit_enabled, warm_up


def warmup(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing.")] = False, json: JsonOption = False
) -> None:
    """Compile every kernel, or fetch it from the cache. Example: kibitz warmup"""
    start = time.perf_counter()
    with Progress(console=console, disable=quiet or json, transient=True) as progress:
        task = progress.add_task("compiling", total=None)
        count = warm_up(told=lambda name, number, total: progress.update(task, total=total, completed=number))
    seconds = time.perf_counter() - start
    if json:
        print(f'{{"kernels": {count}, "compiled": {str(jit_enabled()).lower()}, "seconds": {seconds:.3f}}}')
    elif not quiet:
        how = f"{count} kernels ready" if jit_enabled() else f"{count} kernels left in Python (KIBITZ_NO_JIT is set)"
        console.print(f"{how} in {seconds:.1f} s")
