"""The look-ahead of a team: its own turns to a depth, and between them the moves of the others and of chance.

A *turn* is one action per unit of the game; a *position* is a state at which a player learns what to do or at which the
look-ahead ends. Everything that needs no learning lies between two positions: chance, given replies, and units that
have no choice.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from kibitz import core
from kibitz.core.registry import kit_of

Others: TypeAlias = Literal["learning", "absent"]
"""What others without a given reply do: learn on their own turn only, or are left out."""
Span: TypeAlias = tuple[float, float]
NOBODY = -1
"""The mover of a position at which the look-ahead ends."""


class Position(NamedTuple):
    """A state, and how many own turns lie before it; the mover is NOBODY where the look-ahead ends."""

    state: core.State
    turns: int
    mover: int


class LookAhead:
    """The look-ahead of *player* over *depth* of their own turns; *replies* are the others whose play is given."""

    def __init__(
        self,
        game: core.Game,
        player: int,
        depth: int = 1,
        others: Others = "learning",
        replies: Mapping[int, core.Strategy] | None = None,
        span: Span | None = None,
    ) -> None:
        self.game, self.player, self.depth, self.others = game, player, depth, others
        self.replies = replies or {}
        kit = kit_of(game)
        assert kit.units is not None, "automata manage games with units"
        self.units, self.evaluation = kit.units, kit.evaluation
        self.spans = [self.units.span(game, each) for each in range(game.players)]
        if span is not None:
            self.spans[player] = span
            if game.zero_sum and game.players == 2:
                self.spans[1 - player] = -span[1], -span[0]

    def position(self, state: core.State, turns: int) -> Position | None:
        """The position of a state; None where play passes it without learning."""
        mover = state.current_player()
        if mover == core.TERMINAL:
            return Position(state, turns, NOBODY)
        if mover == core.CHANCE or mover in self.replies or not self.choices(state):
            return None
        if mover == self.player:
            return Position(state, turns, mover if turns < self.depth else NOBODY)
        return Position(state, turns, NOBODY if self.others == "absent" else mover)

    def choices(self, state: core.State) -> bool:
        """Whether any unit that has not acted yet has more than one option."""
        return any(len(self.units.options(state, unit)) > 1 for unit in self.waiting(state))

    def options(self, state: core.State) -> list[Sequence[int]]:
        """The options of every unit that has not acted yet in this turn."""
        return [self.units.options(state, unit) for unit in self.waiting(state)]

    def waiting(self, state: core.State) -> range:
        """The units that have not acted yet in this turn."""
        return range(self.units.asked(state), len(self.units.units(state)))

    def returns_at(self, state: core.State) -> list[float]:
        """Every player's return where the look-ahead ends, by the game's EVALUATION if the game is not over."""
        if self.evaluation is None or state.is_terminal():
            return state.returns()
        value = self.evaluation.evaluate(state, self.evaluation.weights)
        return [value, -value]

    def turns_after(self, position: Position) -> int:
        """How many own turns lie before the successors of a position."""
        return position.turns + (position.mover == self.player)

    def tier(self, position: Position) -> int:
        """The tier that learns at a position: others learn in that of the own turn before theirs."""
        return position.turns if position.mover == self.player else max(position.turns - 1, 0)

    def weighted_actions(self, state: core.State) -> list[tuple[int, float]]:
        """The actions possible in a state that play passes without learning, and how likely each is."""
        mover = state.current_player()
        if mover == core.CHANCE:
            return list(state.chance_outcomes())
        legal = state.legal_actions(mover)
        if mover not in self.replies or len(legal) == 1:
            return [(legal[0], 1.0)]
        reply = self.replies[mover].policy(state.view(mover))
        return [(action, chance) for action in legal if (chance := reply.probability(action)) > 0.0]


def squads_of(options: Sequence[Sequence[int]]) -> list[int]:
    """Of every unit the number of its squad: units that have the same options are one, in the order they are met.

    >>> squads_of([(0, 1), (0, 2), (0, 1)])
    [0, 1, 0]
    """
    numbers: dict[tuple[int, ...], int] = {}
    return [numbers.setdefault(tuple(each), len(numbers)) for each in options]


def status(earned: float, span: Span) -> float:
    """A return as a number from 0 to 1."""
    low, high = span
    return min(1.0, max(0.0, (earned - low) / (high - low)))
