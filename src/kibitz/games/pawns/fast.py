"""Pawns over kernels: the same State, used by default; the reference is for reading and for tests."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.drawing.squares import Square, coordinates
from kibitz.games.pawns import kernels, rules
from kibitz.games.pawns.rules import BLACK, WHITE

OUTCOMES = (None, BLACK, WHITE, -1)


class Pawns(rules.Pawns):
    __doc__ = rules.Pawns.__doc__

    def new_initial_state(self) -> "State":
        return State(self, first_words(tuple(self.parameters().items())))


@lru_cache(maxsize=64)
def first_words(parameters: tuple[tuple[str, Any], ...]) -> NDArray[np.uint64]:
    """The words of a first state, which many agents and models ask for when a match begins; a step makes new ones."""
    return kernels.encode(rules.Pawns(**dict(parameters)).new_initial_state())


class State(rules.State):
    """A state as words instead of sets; attributes that are rarely used are computed from them."""

    def __init__(self, game: rules.Pawns, words: NDArray[np.uint64]) -> None:
        self.game, self.words = game, words

    @property
    def meta(self) -> int:
        return int(self.words[2])

    @property
    def outcome(self) -> int | None:  # type: ignore[override]
        return OUTCOMES[self.meta >> 17 & 3]

    @property
    def player(self) -> int:  # type: ignore[override]
        return self.meta >> 16 & 1

    @property
    def ply(self) -> int:  # type: ignore[override]
        return self.meta >> 32

    @property
    def at_home(self) -> tuple[int, int]:  # type: ignore[override]
        return self.meta & 255, self.meta >> 8 & 255

    @property
    def outside(self) -> tuple[frozenset[Square], frozenset[Square]]:  # type: ignore[override]
        black, white = (
            frozenset(coordinates(place) for place in range(64) if int(word) >> place & 1) for word in self.words[:2]
        )
        return black, white

    def current_player(self) -> int:
        meta = int(self.words[2])
        return core.TERMINAL if meta >> 17 & 3 else meta >> 16 & 1

    def is_terminal(self) -> bool:
        return bool(int(self.words[2]) >> 17 & 3)

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        if player is not None and player != int(self.words[2]) >> 16 & 1:
            return ()
        out = np.empty(kernels.MOST_ACTIONS, np.int64)
        found: list[int] = out[: kernels.legal(self.words, out)].tolist()
        return found

    def apply_action(self, action: int) -> None:
        child = np.empty(kernels.WORDS, np.uint64)
        kernels.play(self.words, action, child)
        self.words = child

    def clone(self) -> Self:
        copied = object.__new__(type(self))
        copied.game, copied.words = self.game, self.words  # a step makes new words, so these may be shared
        return copied

    def key(self) -> core.Key:
        black, white, meta = self.words[:3].tolist()
        return (black, white), (meta & 255, meta >> 8 & 255), meta >> 16 & 1, meta >> 32
