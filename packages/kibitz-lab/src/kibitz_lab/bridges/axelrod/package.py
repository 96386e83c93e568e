"""Loads the Axelrod library, in a fifth of the time it takes by itself; needed before anything of it is used."""

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

from kibitz.core.bridges import load_package

_sources: dict[Any, str] = {}


@cache
def load_axelrod() -> ModuleType:
    """The package; raises MissingPackage if it is absent or too old."""
    with cached_sources(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the packages that it imports
        return load_package("axelrod", "axelrod")


@cache
def strategies_by_name() -> dict[str, type[Any]]:
    """Its strategies by the names of their classes."""
    return {each.__name__: each for each in load_axelrod().strategies}


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
