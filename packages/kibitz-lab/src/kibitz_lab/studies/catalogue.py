"""Finds studies by name, and loads only the one you ask for."""

import os
import sys
from importlib import import_module

from kibitz.core.errors import BrokenPlugin, UnknownName
from kibitz.plugins import plugins
from kibitz_lab.studies.study import Study


def studies() -> dict[str, str]:
    """All studies of all packages: names and targets."""
    return dict(sorted(each for plugin in plugins() for each in plugin.studies.items()))


def find_study(name: str) -> Study:
    """The study called *name*, or the object of `module:object`, which may be in the current folder."""
    known = studies()
    if ":" not in name and name not in known:
        raise UnknownName("study", name, tuple(known), "(kibitz study list shows them)")
    if name not in known and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # worker processes inherit the path, and so find the same module
    target = known.get(name, name)
    module, _, thing = target.partition(":")
    try:
        found = getattr(import_module(module), thing)
    except (ImportError, AttributeError, SyntaxError, ValueError) as error:
        raise BrokenPlugin(name, target, f"{type(error).__name__}: {error}") from None
    if not isinstance(found, Study):
        raise BrokenPlugin(name, target, f"it is a {type(found).__name__}, not a Study")
    return found
