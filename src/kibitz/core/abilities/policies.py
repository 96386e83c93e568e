"""The ability `POLICIES`: batches of matches that a game's kernels play from start to end.

An agent states itself as data (`Agent.compiled_policy`); where the game knows how to play all agents of a match, the
arena plays whole batches in one call. Seed by seed they are the matches of the loop.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from kibitz.core.game import Game, State, digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.integer[Any]]
    Numbers = NDArray[np.float64]
    Seeds = NDArray[np.uint64]
else:
    Integers = Numbers = Seeds = Any


class UniformPolicy(msgspec.Struct, frozen=True):
    """Plays any legal action: number `int(u * count)` for a draw `u` of the agent's stream."""


class BatchPlayed(msgspec.Struct):
    """Matches that kernels played, in the order of their seeds."""

    plies: list[int] = []
    bits: list[int] = []
    """Bits of each action, as in `records.packed`."""
    actions: list[bytes] = []
    """All actions of each match packed, chance outcomes included."""
    returns: list[list[float]] = []
    hashes: list[str] = []
    """The hash of each last state."""
    reasons: list[str] = []
    """How each match ended; empty: all by the rules."""
    truths_remade: bool = False
    """Whether truths of the game change during a match; they are made again when its record is read."""

    def add_match(self, game: Game, moves: Integers, last: State, plies: int | None = None) -> None:
        """Add a match by its moves and its last state, which need not be the end if the match was cut off there.

        *plies* is the number of its events, if that is not the number of moves.
        """
        most, over = int(moves.max(initial=0)), last.is_terminal()
        bits = next(width for width in (8, 16, 32, 64) if most < 1 << width)
        self.plies.append(len(moves) if plies is None else plies)
        self.bits.append(bits)
        self.actions.append(moves.astype(f"<u{bits // 8}").tobytes())
        self.returns.append(list(last.returns() if over else game.infinite_play(last)))
        self.hashes.append(digest(last))
        self.reasons.append("terminal" if over else "max_plies")


class CompiledMatches(ABC):
    """How a game plays batches; the ability is an instance."""

    @abstractmethod
    def plays(self, game: Game, policies: Sequence[Any]) -> bool:
        """Whether matches of these policies, one per seat, can be played."""

    @abstractmethod
    def play(self, game: Game, matches: Sequence[Sequence[Any]], seeds: Seeds) -> BatchPlayed:
        """Play one match for each seed; *matches* holds the policies of its seats."""

    @abstractmethod
    def most_plies(self, game: Game) -> int:
        """The most events of a match; where a match is cut off earlier, the loop plays it."""
