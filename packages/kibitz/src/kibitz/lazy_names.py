"""Names that a package imports when somebody asks for them, so that importing the package costs next to nothing."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any


def lazy_name(package: str, home: Mapping[str, str], name: str) -> Any:
    """What the `__getattr__` of *package* returns, by the module in which each name is defined."""
    if name not in home:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(home[name]), name)
