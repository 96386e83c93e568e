"""The whole look-ahead of a small game as arrays: every position once, every turn with its outcomes and their odds.

Identical units share work. Games that count units without naming them give the same key to states that differ only in
which of two identical units went where; and turns that lead to the same state share one row of outcomes.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from kibitz import core
from kibitz.core.errors import KibitzError
from kibitz_lab.automata.look_ahead import NOBODY, LookAhead, Others, Position, Span, squads_of, status

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_TURNS, MOST_STEPS = 4096, 300_000
"""The most turns at one position of a table, and the most steps of the rules to build it."""
MOVER, TIER, FIRST_UNIT, UNITS, FIRST_TURN = range(5)
"""The columns of `TurnTable.positions`."""


class NoTable(KibitzError, ValueError):
    """A look-ahead that is too large for a table."""

    def __init__(self, why: str) -> None:
        super().__init__(f"this look-ahead fits into no table: {why}; look fewer turns ahead, or play without a table")


class TurnTable:
    """Every reachable position, by number; position 0 is the start."""

    def __init__(self, look_ahead: LookAhead, state: core.State, most_steps: int = MOST_STEPS) -> None:
        begin = look_ahead.position(state, 0)
        assert begin is not None, "some player must have a choice where a table begins"
        self.look_ahead, self.begin, self.most_steps = look_ahead, begin, most_steps
        self.numbers: dict[core.Key, int] = {}
        self.found: list[Position] = []
        self.steps = 0
        """Steps of the rules so far."""
        self.units: list[list[int]] = []
        """For every position, the number of options of every unit that acts there."""
        self.squads: list[list[int]] = []
        """For every position, the number of every unit's squad."""
        self.turns: list[list[int]] = []
        """For every position, the row of every turn, in the order of the options of the first unit, then the next."""
        self.rows: list[list[tuple[int, float]]] = []
        """The outcomes of turns: positions and how likely they are."""
        self.expand()

    def expand(self) -> None:
        """Compute all reachable positions."""
        number = self.number(self.begin)
        while number < len(self.found):
            self.expand_position(number)
            number += 1

    def number(self, position: Position) -> int:
        """The number of a position; a new position gets the next number."""
        key = position.state.key(), position.turns, position.mover
        if key not in self.numbers:
            self.numbers[key] = len(self.found)
            self.found.append(position)
        return self.numbers[key]

    def expand_position(self, number: int) -> None:
        """Compute all turns of a position."""
        position = self.found[number]
        options = self.look_ahead.options(position.state) if position.mover != NOBODY else []
        self.units.append([len(each) for each in options])
        self.squads.append(squads_of(options))
        ways = prod(self.units[-1]) if options else 0
        if ways > MOST_TURNS:
            raise NoTable(f"a turn can be played in more than {MOST_TURNS:,} ways")
        turns = [0] * ways
        self.turns.append(turns)
        if not options:
            return
        for state, same in self.states_after_turns(position.state, options):
            for turn in same:
                turns[turn] = len(self.rows)
            self.rows.append(self.outcomes(state, self.look_ahead.turns_after(position)))

    def states_after_turns(self, state: core.State, options: list[Sequence[int]]) -> list[tuple[core.State, list[int]]]:
        """The states right after all turns, each with the turns that lead to it."""
        partly: dict[core.Key, tuple[core.State, list[int]]] = {None: (state, [0])}
        for each in options:
            longer: dict[core.Key, tuple[core.State, list[int]]] = {}
            for before, turns in partly.values():
                for pick, action in enumerate(each):
                    after = self.child(before, action)
                    same = longer.setdefault(after.key(), (after, []))[1]
                    same += [turn * len(each) + pick for turn in turns]
            partly = longer
        return list(partly.values())

    def child(self, state: core.State, action: int) -> core.State:
        """A step of the rules, counted."""
        self.steps += 1
        if self.steps > self.most_steps:
            raise NoTable(f"it takes more than {self.most_steps:,} steps of the rules")
        return state.child(action)

    def outcomes(self, state: core.State, turns: int) -> list[tuple[int, float]]:
        """The positions after a state, and how likely each is."""
        found: dict[int, float] = {}
        waiting = [(state, 1.0)]
        while waiting:
            current, chance = waiting.pop()
            position = self.look_ahead.position(current, turns)
            if position is not None:
                number = self.number(position)
                found[number] = found.get(number, 0.0) + chance
            else:
                weighted = self.look_ahead.weighted_actions(current)
                waiting += [(self.child(current, action), chance * share) for action, share in weighted]
        return sorted(found.items())

    # The same as arrays, for kernels.

    @cached_property
    def positions(self) -> "NDArray[np.int64]":
        """For every position: its mover, its tier, where its units begin, how many there are, where its turns begin."""
        first_units, first_turns = _starts(self.units), _starts(self.turns)
        return np.array(
            [
                (position.mover, self.look_ahead.tier(position), first_units[number], len(self.units[number]), first)
                for number, (position, first) in enumerate(zip(self.found, first_turns, strict=False))
            ],
            dtype=np.int64,
        )

    @cached_property
    def option_counts(self) -> "NDArray[np.int64]":
        """The number of options of every unit at every position."""
        return np.array([count for units in self.units for count in units], dtype=np.int64)

    @cached_property
    def groups(self) -> "NDArray[np.int64]":
        """The number of every unit at every position among those who choose: alone, and in squads."""
        alone = [unit for units in self.units for unit in range(len(units))]
        return np.array([alone, [squad for squads in self.squads for squad in squads]], dtype=np.int64)

    @cached_property
    def turn_rows(self) -> "NDArray[np.int64]":
        """The row of outcomes of every turn at every position."""
        return np.array([row for turns in self.turns for row in turns], dtype=np.int64)

    @cached_property
    def row_starts(self) -> "NDArray[np.int64]":
        """Where the outcomes of every row begin; one more number says where the last ends."""
        return np.array(_starts(self.rows), dtype=np.int64)

    @cached_property
    def outcome_positions(self) -> "NDArray[np.int64]":
        """The positions of all outcomes."""
        return np.array([position for row in self.rows for position, _ in row], dtype=np.int64)

    @cached_property
    def outcome_odds(self) -> "NDArray[np.float64]":
        """The probabilities of all outcomes."""
        return np.array([chance for row in self.rows for _, chance in row], dtype=np.float64)

    @cached_property
    def outcome_sums(self) -> "NDArray[np.float64]":
        """The cumulative probabilities of the outcomes within each row."""
        return np.array([total for row in self.rows for total in np.cumsum([chance for _, chance in row])])

    @cached_property
    def last_first(self) -> "NDArray[np.int64]":
        """All positions, each after all its successors."""
        found: dict[int, None] = {}
        waiting = [(0, False)]
        while waiting:
            number, followed = waiting.pop()
            if followed:
                found[number] = None
            elif number not in found:
                after = {position for row in set(self.turns[number]) for position, _ in self.rows[row]}
                waiting += [(number, True), *((position, False) for position in sorted(after) if position not in found)]
        return np.array(list(found), dtype=np.int64)

    @cached_property
    def spans(self) -> list[Span]:
        """For every player, the returns that count as 0 and 1: as given, else the extremes over all ends."""
        ends = [self.look_ahead.returns_at(each.state) for each in self.found if each.mover == NOBODY]
        measured = [(min(earned), max(earned)) for earned in zip(*ends, strict=True)]
        ends_by_player = zip(self.look_ahead.spans, measured, strict=True)
        return [span if span is not None else (low, max(high, low + 1e-9)) for span, (low, high) in ends_by_player]

    @cached_property
    def statuses(self) -> "NDArray[np.float64]":
        """For every position, the status of every player if play ended there."""
        returns = [self.look_ahead.returns_at(position.state) for position in self.found]
        return np.array(
            [[status(value, span) for value, span in zip(each, self.spans, strict=True)] for each in returns]
        )


class StateKey:
    """A state as a key of cached tables."""

    def __init__(self, game: core.Game, state: core.State) -> None:
        self.game, self.state = game, state
        self.name = repr(game), state.key()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StateKey) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@lru_cache(maxsize=16)
def shared_table(
    beginning: StateKey, player: int, depth: int, others: Others, span: Span | None, most_steps: int = MOST_STEPS
) -> TurnTable:
    """The table of a look-ahead, cached for callers that learn the same turn again and again."""
    return TurnTable(LookAhead(beginning.game, player, depth, others, span=span), beginning.state, most_steps)


def _starts(lists: Sequence[Sequence[object]]) -> list[int]:
    """Where each of several concatenated lists begins, and where the last one ends."""
    return list(accumulate(map(len, lists), initial=0))
