"""Loads the Axelrod library, in a fifth of the time it takes by itself; needed before anything of it is used."""

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from kibitz.bridges.packages import load_package

_sources: dict[Any, str] = {}


def load_axelrod() -> ModuleType:
    """The package; raises MissingPackage if it is absent or too old."""
    with cached_sources(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the packages that it imports
        return load_package("axelrod", "axelrod")


@contextmanager
def cached_sources() -> Iterator[None]:
    """Lets `inspect.getsource` read the source of each function once.

    To classify its strategies, Axelrod reads their sources 12,000 times when it is imported, and again whenever a
    strategy that holds others is made.
    """
    original = inspect.getsource

    def getsource(thing: Any) -> str:
        function = getattr(thing, "__func__", thing)
        if function not in _sources:
            _sources[function] = original(thing)
        return _sources[function]

    inspect.getsource = getsource  # type: ignore[assignment]
    try:
        yield
    finally:
        inspect.getsource = original
