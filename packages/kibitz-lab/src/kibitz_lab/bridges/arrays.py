"""Views as arrays of one shape, and actions as numbers below a bound: what environments for learning programs need."""

from collections.abc import Mapping, Sequence
from math import copysign, log1p
from typing import Any
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core import drawing
from kibitz.core.game import Game, State
from kibitz.core.kit.compiled import words_of
from kibitz.core.pictures.match_pictures import draw_position
from kibitz.core.registry import kit_of

MOST_IDS = 10_000
"""Games with more action ids are offered by index into the list of legal actions."""
LARGEST = 64.0
"""Bound of the numbers in an array of features."""


class ViewArrays:
    """Turns views of one game into arrays of one shape.

    If the game has kernels, an array holds the bits of the kernels' words, a plane of 8 × 8 each: boards as they are.
    Else it holds the named fields of the view (or the parts of its key) as *size* numbers: every field has its place
    by a hash of its name (Weinberger et al. 2009), words are marked by 1, and a number x is sign(x) log(1 + |x|).
    """

    def __init__(self, game: Game, size: int = 1024) -> None:
        self.game, self.size = game, size
        self.kernels = None if game.hidden else kit_of(game).kernels
        self.fields = kit_of(game).fields
        self.shape: tuple[int, ...] = (size,) if self.kernels is None else (self.kernels.hashed, 8, 8)
        self.dtype: type[Any] = np.float32 if self.kernels is None else np.int8
        self.bounds = (-LARGEST, LARGEST) if self.kernels is None else (0, 1)
        self.places: dict[str, int] = {}

    def array(self, view: State, seat: int | None = None, last: Mapping[int, int] = {}) -> NDArray[Any]:
        """A view from *seat* as an array; *last* is the last action of each player that the seat has seen."""
        if self.kernels is not None:
            words = words_of(view)[: self.kernels.hashed]
            return np.unpackbits(words.view(np.uint8), bitorder="little").view(np.int8).reshape(self.shape)
        found = np.zeros(self.size, np.float32)
        for name, number in self.features(view, seat, last).items():
            found[self.place(name)] += number
        return np.clip(found, -LARGEST, LARGEST)

    def features(self, view: State, seat: int | None = None, last: Mapping[int, int] = {}) -> dict[str, float]:
        """The numbers behind an array of features, by their names."""
        shown = view.key() if self.fields is None else msgspec.to_builtins(self.fields.view(view))
        found: dict[str, float] = {}
        _add_features("", shown, found)
        found[f"seat={seat}"] = found[f"mover={view.current_player()}"] = 1.0
        found |= {f"last[{player}]={action}": 1.0 for player, action in last.items()}
        return found

    def place(self, name: str) -> int:
        """The place of a feature in the array, the same in every process."""
        found = self.places.get(name)
        if found is None:
            found = crc32(name.encode()) % self.size
            if len(self.places) < MOST_IDS:  # the names of features are not bounded
                self.places[name] = found
        return found


def _add_features(path: str, value: object, found: dict[str, float]) -> None:
    """Add what *value* says to the features."""
    match value:
        case Mapping():
            for name, part in value.items():
                _add_features(f"{path}.{name}", part, found)
        case list() | tuple():
            found[f"{path}#"] = log1p(len(value))
            for number, part in enumerate(value):
                _add_features(f"{path}[{number}]", part, found)
        case float() | int():
            found[path] = copysign(log1p(min(abs(value), 1e18)), value)
        case _:
            found[f"{path}={value}"] = 1.0


class ActionNumbers:
    """Numbers the actions of a game: by their ids, or (*listed*) by index into the list of legal actions.

    By default actions are listed if the game has more than 10,000 ids, or does not say how many. A list that is longer
    than *most* is offered in part, spread evenly; an index beyond the end of a list begins again.
    """

    def __init__(self, game: Game, listed: bool | None = None, most: int = 1000) -> None:
        bound = game.action_bound
        self.listed = (bound is None or bound > MOST_IDS) if listed is None or bound is None else listed
        self.count = most if self.listed or bound is None else bound

    def mask(self, legal: Sequence[int]) -> NDArray[np.int8]:
        """1 for the number of each legal action, 0 for all others."""
        if self.listed:
            mask = np.zeros(self.count, np.int8)
            mask[: len(legal)] = 1
            return mask
        marks = bytearray(self.count)  # setting bytes one by one is faster than setting a few entries of an array
        for action in legal:
            marks[action] = 1
        return np.frombuffer(marks, np.int8)

    def action(self, number: int, legal: Sequence[int]) -> int | None:
        """The action of a number; None if it is not legal."""
        if not self.listed:
            return number if number in legal else None
        if not legal or not 0 <= number < self.count:
            return None
        length = len(legal)
        return legal[number * length // self.count if length > self.count else number % length]

    def number(self, action: int, legal: Sequence[int]) -> int:
        """The number of a legal action; of the nearest one if a list is offered in part."""
        if not self.listed:
            return action
        if len(legal) > self.count:
            low, high = 0, self.count - 1
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (middle, high) if legal[middle * len(legal) // self.count] <= action else (low, middle - 1)
            return low
        return legal.index(action)


def render_position(game: Game, state: State, mode: str | None) -> Any:
    """A position in a render mode: `ansi` is text; `human` prints it."""
    if mode is None:
        return None
    words = drawing.text(draw_position(game, state))
    if mode == "ansi":
        return words
    print(words)
    return None
