"""The ability `VARIABLES`: the named parts of a state, for learned and written programs.

It is a function of a state that returns its variables, whole numbers, numbers or words by name, the same names for
every state of a game in which a player moves. The names are Python identifiers. Without it, the scores of `FEATURES`
are the variables, and without those the entries of a state's key.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from kibitz.core.abilities import ability
from kibitz.core.game import Game, State
from kibitz.core.registry import entries, has_ability, spec_of

Variables: TypeAlias = dict[str, int | float | str]


def variables_of(game: Game) -> Callable[[State], Variables]:
    """The function that returns the variables of states of *game*."""
    name = spec_of(game).name
    if name in entries("game"):
        if has_ability(name, "VARIABLES"):
            found: Callable[[State], Variables] = ability(name, "VARIABLES")
            return found
        if has_ability(name, "FEATURES"):
            features = ability(name, "FEATURES")
            return lambda state: dict(zip(features.names, features.scores(state), strict=True))
    return from_key


def from_key(state: State) -> Variables:
    """The numbers and words of a state's key, in their order.

    >>> list(flatten_key((3, ("a", 2.5), None, True)))
    [3, 'a', 2.5, 'None', 1]
    """
    return {f"key{place}": value for place, value in enumerate(flatten_key(state.key()))}


def flatten_key(key: Any) -> Iterator[int | float | str]:
    """The entries of a key, those of tuples in it one by one."""
    if isinstance(key, tuple):
        for part in key:
            yield from flatten_key(part)
    elif isinstance(key, bool):
        yield int(key)
    else:
        yield key if isinstance(key, (int, float, str)) else str(key)
