"""Risk over kernels: the same State, used by default; the reference is for reading and for tests."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.games.risk import packing, phases, rules
from kibitz.games.risk.cards import SET
from kibitz.games.risk.kernels.playing import legal, play


class Risk(rules.Risk):
    __doc__ = rules.Risk.__doc__

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """The row of numbers that the kernels know the game by."""
        return packing.game_words(self)

    @cached_property
    def count(self) -> int:
        """How many territories there are."""
        return len(self.map.territories)

    @cached_property
    def most_borders(self) -> int:
        """No territory has more neighbours."""
        return max(map(len, self.map.neighbours))

    def new_initial_state(self) -> "State":
        return State(self, packing.state_words(super().new_initial_state()))


def number_at(place: int) -> Any:
    """A property that reads one of a state's numbers."""
    return property(lambda state: int(state.numbers[place]))


class State(rules.State):
    """A state as numbers instead of attributes; attributes that are rarely used are computed from them."""

    game: Risk
    phase = number_at(packing.PHASE)
    mover = number_at(packing.MOVER)
    first = number_at(packing.FIRST)
    to_place = number_at(packing.TO_PLACE)
    origin = number_at(packing.ORIGIN)
    target = number_at(packing.TARGET)
    traded = number_at(packing.TRADED)

    def __init__(self, game: Risk, numbers: NDArray[np.int64]) -> None:
        self.game, self.numbers = game, numbers

    @property
    def count(self) -> int:
        """How many territories there are."""
        return self.game.count

    def part(self, start: int, length: int) -> list[int]:
        """Some of the numbers."""
        found: list[int] = self.numbers[start : start + length].tolist()
        return found

    @property
    def captured(self) -> bool:  # type: ignore[override]
        return bool(self.numbers[packing.CAPTURED])

    @property
    def rolled(self) -> tuple[int, int]:  # type: ignore[override]
        return int(self.numbers[packing.ROLLED]), int(self.numbers[packing.DEFENDED])

    @property
    def shown(self) -> tuple[int, ...]:  # type: ignore[override]
        return tuple(self.part(packing.SHOWN_CARDS, SET)[: int(self.numbers[packing.SHOWN])])

    @property
    def owners(self) -> list[int]:  # type: ignore[override]
        return self.part(packing.OWNERS, self.count)

    @property
    def armies(self) -> list[int]:  # type: ignore[override]
        return self.part(packing.armies_at(self.count), self.count)

    @property
    def hands(self) -> list[tuple[int, ...]]:
        start, kinds = packing.hands_at(self.count), self.count + 1
        seats = range(self.game.players)
        return [packing.read_cards(self.numbers, start + seat * (kinds + 1), kinds, unknown=True) for seat in seats]

    @hands.setter
    def hands(self, hands: Sequence[tuple[int, ...]]) -> None:
        for player, hand in enumerate(hands):
            packing.write_hand(self.numbers, self.count, player, hand)

    @property
    def discards(self) -> tuple[int, ...]:  # type: ignore[override]
        return packing.read_cards(self.numbers, packing.discards_at(self.count, self.game.players), self.count + 1)

    @property
    def missions(self) -> tuple[int, ...]:
        dealt = int(self.numbers[packing.MISSIONS_DEALT])
        return tuple(self.part(packing.missions_at(self.count, self.game.players), dealt))

    @missions.setter
    def missions(self, missions: tuple[int, ...]) -> None:
        start = packing.missions_at(self.count, self.game.players)
        self.numbers[start : start + len(missions)] = missions

    @property
    def capitals(self) -> tuple[int, ...]:  # type: ignore[override]
        start = packing.missions_at(self.count, self.game.players) + self.game.players
        return tuple(self.part(start, int(self.numbers[packing.CAPITALS_CHOSEN])))

    @property
    def destroyers(self) -> list[int]:  # type: ignore[override]
        start = packing.missions_at(self.count, self.game.players) + 2 * self.game.players
        return self.part(start, self.game.players)

    @property
    def settled(self) -> tuple[int, ...]:  # type: ignore[override]
        marks = self.part(packing.settled_at(self.count, self.game.players), self.count)
        return tuple(place for place, mark in enumerate(marks) if mark)

    def current_player(self) -> int:
        phase = int(self.numbers[packing.PHASE])
        if phase == phases.DEFEND:
            return int(self.numbers[packing.OWNERS + self.numbers[packing.TARGET]])
        if phase in phases.CHANCES:
            return core.CHANCE
        return core.TERMINAL if phase == phases.OVER else int(self.numbers[packing.MOVER])

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        current = self.current_player()
        if current < 0 or (player is not None and player != current):
            return ()
        most = self.count * (self.count if self.phase == phases.FORTIFY else self.game.most_borders) + 2
        out = np.empty((most, 2), np.int64)
        found = legal(self.game.words, self.numbers, out)
        return core.RangedActions([range(start, stop) for start, stop in out[:found].tolist()])

    def apply_action(self, action: int) -> None:
        play(self.game.words, self.numbers, action)

    def clone(self) -> Self:
        copied = object.__new__(type(self))
        copied.game, copied.numbers = self.game, self.numbers.copy()
        return copied
