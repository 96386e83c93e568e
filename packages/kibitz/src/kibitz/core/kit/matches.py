"""Whole matches that a game may offer: played by its kernels in batches, or read from another program's files."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from kibitz.core.agent import Agent
from kibitz.core.game import Game, State, digest
from kibitz.core.records import Ending, Record
from kibitz.core.specs import Configurable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.integer[Any]]
    Seeds = NDArray[np.uint64]
else:
    Integers = Seeds = Any


class PlayedMatch(msgspec.Struct, frozen=True):
    """A match that kernels played: all its actions, and its ending."""

    actions: list[int]
    ending: Ending


def played_match(game: Game, moves: Integers, last: State) -> PlayedMatch:
    """A match by its moves, one an event, and its last state; it was cut off if that is not the end."""
    over = last.is_terminal()
    returns, reason = (last.returns(), "terminal") if over else (game.infinite_play(last), "max_plies")
    ending = Ending(list(returns), reason, len(moves), (0,) * game.players, (), digest(last))
    return PlayedMatch(moves.tolist(), ending)


class CompiledMatches(ABC):
    """How a game plays batches: the arena uses it where the game plays all agents of a match.

    Seed by seed they are the matches of the loop.
    """

    truths_change: ClassVar[bool] = False
    """Whether truths of the game change during a match; they are made again when its record is read."""

    @abstractmethod
    def plays(self, agents: Sequence[Agent]) -> bool:
        """Whether matches of these agents, one per seat, can be played. None of them may hold hidden truths."""

    @abstractmethod
    def play(self, game: Game, matches: Sequence[Sequence[Agent]], seeds: Seeds) -> list[PlayedMatch]:
        """Play one match for each seed, to the game's own end; *matches* holds the agents of its seats."""


class SkippedLine(msgspec.Struct, frozen=True):
    """A line of a file that had no effect and was skipped."""

    line: int
    text: str


class ImportedMatch(msgspec.Struct, frozen=True):
    """A match found in a file; it is replayed only when its record is asked for."""

    read: Callable[[], tuple[Record, tuple[SkippedLine, ...]]]
    """Returns its record and the lines that had no effect; raises BadRecord with the line of an error."""
    names: tuple[str, ...]
    """The players as the file names them."""
    path: Path
    line: int
    """The line where it begins."""
    identity: str
    """A key that is equal for two copies of one match."""


class Importer(Configurable, ABC):
    """Reads the files of another program; its parameters hold what the files leave out."""

    form: ClassVar[str]
    """The name of the format: that of the program."""

    @abstractmethod
    def matches(self, path: Path) -> Iterator[ImportedMatch]:
        """The matches of a file in order; raises BadRecord with the line of an error."""
