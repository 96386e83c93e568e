"""The information-set table of a game: its decisions and ends in sequence form (von Stengel 1996), and its tree.

An *information set* is all that a player may know when they choose: what they saw of every event so far, their own
actions included, or just their view in games that say so (`infosets_in_views`). Information sets of all players are
numbered together, those of player 0 first, and each after those that may lead to it. A *sequence* is one action in one
information set, with all the player did before it; a player's first sequence is the empty one. An array with a number
per sequence is a strategy of everyone.
"""

from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.game import Transition

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Token = tuple[int, tuple[int | None, ...], core.Key]
"""An event as a player sees it: who acted, what they saw of the actions, and the key of their view after it."""
Memory = dict[tuple[int, Token], int]
"""What a player saw so far, as a number: by the number before the event, and the event. It begins with 0."""


def memory_key(game: core.Game, before: int, token: Token) -> tuple[int, Token]:
    """What a player saw so far, as the key of a memory; only the view counts if it says all."""
    return (0, (0, (), token[2])) if game.infosets_in_views else (before, token)


class Sets(NamedTuple):
    """All information sets, for kernels."""

    first: Ints
    """The first sequence of each."""
    last: Ints
    """The sequence after its last."""
    parents: Ints
    """The sequence of the same player that leads to each."""
    starts: Ints
    """The first information set of each player, and one entry more."""
    empty: Ints
    """The empty sequence of each player, and one entry more."""


class Ends(NamedTuple):
    """The ends of the game, those with the same sequences merged, for kernels."""

    sequences: Ints
    """The last sequence of each player, an array of ends by players."""
    payoffs: Floats
    """What each player earns times its probability by chance, an array of ends by players."""
    chances: Floats
    """The probability that chance does its part to reach each."""


class Tree(NamedTuple):
    """The histories, parents before children and siblings in a row, for kernels that draw samples."""

    movers: Ints
    """Who moves: a player, CHANCE or TERMINAL."""
    children: Ints
    """The first child of each; for an end, its row in `returns`."""
    counts: Ints
    """The number of children."""
    sets: Ints
    """The information set of the mover."""
    chances: Floats
    """The probability of the way from the parent, if chance moves there."""
    returns: Floats
    """What each player earns at each end, an array of ends by players."""


class InformationTable(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A game as a table of information sets; `build_table` makes it."""

    game: core.Game
    sets: Sets
    ends: Ends
    tree: Tree
    views: list[core.State]
    """What the mover of each information set sees, by one example."""
    actions: list[list[int]]
    """The legal actions of each information set."""
    events: list[list[tuple[int, str]]]
    """For each moment of a player: the one before it, and the last event in words."""
    memories: list[Memory]
    """What each player may see in a match, as a number for each moment; see `InformationTracker`."""
    moments: list[dict[int, int]]
    """The information set of each player's moments at which they choose."""

    @property
    def players(self) -> int:
        return self.game.players

    @property
    def histories(self) -> int:
        """The number of histories, ends included."""
        return len(self.tree.movers)

    def __len__(self) -> int:
        """The number of information sets."""
        return len(self.views)

    def __deepcopy__(self, memo: dict[int, object]) -> "InformationTable":
        return self  # it does not change, so copies of agents share it

    @cached_property
    def names(self) -> list[str]:
        """What the mover of each information set saw so far, in words, with a number if others saw what reads alike."""
        names = [self._name(player, moment) for player in range(self.players) for moment in self.moments[player]]
        if self.game.infosets_in_views:
            names = [str(view).rpartition("\n")[2] for view in self.views]
        seen: dict[tuple[int, str], int] = {}
        for number, name in enumerate(names):
            alike = seen[self.owner(number), name] = seen.get((self.owner(number), name), 0) + 1
            names[number] = name if alike == 1 else f"{name} #{alike}"
        return names

    def _name(self, player: int, moment: int) -> str:
        words: list[str] = []
        while moment:
            moment, word = self.events[player][moment]
            words.append(word)
        return ", ".join(reversed(words)) or "start"

    def __repr__(self) -> str:
        return f"<{len(self):,} information sets of {self.game!r}>"

    def sets_of(self, player: int) -> range:
        """The information sets in which *player* chooses."""
        return range(int(self.sets.starts[player]), int(self.sets.starts[player + 1]))

    def owner(self, number: int) -> int:
        """The player who chooses in an information set."""
        return int(np.searchsorted(self.sets.starts, number, side="right")) - 1

    def sequences_of(self, player: int) -> slice:
        """The sequences of *player*, the empty one first."""
        return slice(int(self.sets.empty[player]), int(self.sets.empty[player + 1]))

    def sequences_at(self, number: int) -> slice:
        """The sequences of an information set, one for each legal action."""
        return slice(int(self.sets.first[number]), int(self.sets.last[number]))


class InformationTracker:
    """Follows what *player* sees of one match; make one per match.

    `observe` takes every transition that an agent gets, its own moves and chance included.
    """

    def __init__(self, table: InformationTable, player: int) -> None:
        self.table, self.player = table, player
        self.moment: int | None = 0
        """What the player saw so far, as a number; None after the end, or an event that the table lacks."""

    def observe(self, transition: Transition) -> None:
        """Take note of an event, as the player sees it."""
        if self.moment is not None:
            token = transition.player, transition.actions, transition.after.key()
            self.moment = self.table.memories[self.player].get(memory_key(self.table.game, self.moment, token))

    @property
    def information_set(self) -> int | None:
        """The information set in which the player chooses now; None if it is not their turn, or not in the table."""
        return None if self.moment is None else self.table.moments[self.player].get(self.moment)


def is_zero_sum_pair(game: core.Game) -> bool:
    """Whether two players play for the same points, which is what makes a value and safe play exist."""
    return game.players == 2 and game.zero_sum
