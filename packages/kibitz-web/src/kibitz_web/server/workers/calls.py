"""Calls in worker processes: imports before the first one; kernels run plain until the server has compiled them."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import TypeVar

from kibitz.core.kernels import background
from kibitz.core.processes import tell
from kibitz.core.registry import entries

Found = TypeVar("Found")
FIRST = (
    "kibitz.core.match.play",
    "kibitz.core.drawing",
    "kibitz.agents.random",
    "kibitz.models.strategy_filter",
    "kibitz_web.server.workers.watching",
    "kibitz_web.server.workers.worker_agents",
    "numpy.random",
    "numba",
)
"""Modules that most workers use."""


def import_most() -> None:
    """Import what most workers need, and read the plugins, once for all of them."""
    for module in FIRST:
        with suppress(ImportError):
            import_module(module)
    entries("game")


def run_call(work: Callable[..., Found], *given: object) -> Found:
    """The result of *work*, while the server's helper compiles the kernels that it uses."""
    background.compile_in_background(partial(tell, background.send))
    background.load_compiled()
    return work(*given)


def run_call_with_object(own: object, work: Callable[..., Found], *given: object) -> Found:
    """The result of *work* with the object of this worker."""
    return run_call(work, own, *given)
