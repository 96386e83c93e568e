"""A cache of solved games that agents share: a tournament plays the same game again and again.

It is the only module-level state here: keyed by the game and all settings of the solver, and bounded.
"""

from collections import OrderedDict
from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

from kibitz.core.errors import Unsupported

KEPT = 8
"""How many solutions are cached."""

_Made = TypeVar("_Made")
_kept: "OrderedDict[tuple[Any, ...], Any]" = OrderedDict()


def make_once(key: tuple[Any, ...], make: Callable[[], _Made]) -> _Made:
    """The result of *make* for this key, cached while it is among the last few; so is its refusal."""
    if key not in _kept:
        try:
            _kept[key] = make()
        except Unsupported as refusal:
            _kept[key] = copy(refusal)  # without its traceback, which holds the match that was refused
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    _kept.move_to_end(key)
    if isinstance(_kept[key], Unsupported):
        raise copy(_kept[key])
    made: _Made = _kept[key]
    return made
