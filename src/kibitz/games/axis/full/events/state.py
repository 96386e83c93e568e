"""The whole game with events over kernels: turns are played over arrays, what happens between them by the rules."""

from typing import Any, Self

import numpy as np

from kibitz import core
from kibitz.core.kernels.random import draw_below
from kibitz.games.axis.full.board import World
from kibitz.games.axis.full.events.book import Events
from kibitz.games.axis.full.events.play import event_chance, roll_event, settle_events
from kibitz.games.axis.full.fast import FastState
from kibitz.games.axis.full.game import REMEMBERED
from kibitz.games.axis.full.kernels.layout import PHASE, Rng, Words
from kibitz.games.axis.full.kernels.packing import board_words, situation_of, situation_words
from kibitz.games.axis.full.kernels.turns import MOST_ORDERS, advance, play_at_random
from kibitz.games.axis.full.situation import EVENTS, OVER, Situation


class EventState(FastState):
    """A situation as numbers, its board, which events may have changed, and how far the game is with them."""

    def __init__(self, game: core.Game, situation: Situation) -> None:
        self.game = game
        self.trail: Any = []
        self._take(situation)

    def _take(self, situation: Situation) -> None:
        """Go on from a situation."""
        self.world, self.events = situation.world, situation.events
        self.board_numbers = numbers_of_board(self.world, situation)
        self.numbers = situation_words(self.board_numbers, situation)
        self._forget()

    @property
    def situation(self) -> Situation:  # type: ignore[override]
        if self._situation is None:
            game: Any = self.game
            plain = situation_of(self.world, game.full_rules, self.board_numbers, self.numbers)
            self._situation = plain.replace(events=self.events)
        return self._situation

    @property
    def is_between_turns(self) -> bool:
        """Whether events happen now."""
        return bool(self.numbers[PHASE] == EVENTS)

    def current_player(self) -> int:
        return core.CHANCE if self.is_between_turns else super().current_player()

    def apply_action(self, action: int) -> None:
        before = self._memory()
        if self.is_between_turns:
            self._go_on(roll_event(self.situation, action))
        else:
            super().apply_action(action)
            self.trail.pop()
            if self.is_between_turns:
                self._go_on(self.situation)
        self.trail.append(before)
        del self.trail[:-REMEMBERED]

    def _memory(self) -> tuple[World, Events | None, Words, Words]:
        return self.world, self.events, self.board_numbers, self.numbers

    def _go_on(self, situation: Situation) -> None:
        """Let events happen until dice or a decision are needed; turns without any decision pass over arrays."""
        self._take(settle_events(situation))
        while self.numbers[PHASE] < OVER:
            advance(self.board_numbers, self.numbers, np.empty((MOST_ORDERS, 2), dtype=np.int64))
            self._forget()
            if not self.is_between_turns:
                return
            self._take(settle_events(self.situation))
            if self.is_between_turns:
                return

    def play_out(self, rng: Rng) -> None:
        """Play to the end at random, all legal actions equally likely."""
        while self.numbers[PHASE] != OVER:
            if self.is_between_turns:
                situation = settle_events(self.situation)
                while situation.phase == EVENTS:
                    chance = event_chance(situation)
                    assert chance is not None
                    situation = settle_events(roll_event(situation, int(draw_below(rng, chance[2]) < chance[1])))
                self._take(situation)
            else:
                self.numbers = self.numbers.copy()
                play_at_random(self.board_numbers, self.numbers, 10**9, rng)
                self._forget()
        self.trail = []

    def undo_action(self, player: int, action: int) -> None:
        self.world, self.events, self.board_numbers, self.numbers = self.trail.pop()
        self._forget()

    def clone(self) -> Self:
        copied = object.__new__(type(self))
        copied.game, copied.trail = self.game, []
        copied.world, copied.events, copied.board_numbers, copied.numbers = self._memory()
        copied._forget()
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return restore_event_state, (self.game, self.key())


def numbers_of_board(world: World, situation: Situation) -> Words:
    """The numbers of a board, made once for it and its rules."""
    made: dict[Any, Words] = world.__dict__.setdefault("numbers of board", {})
    rules = repr(situation.rules)
    if rules not in made:
        made[rules] = board_words(world, situation.rules)
    return made[rules]


def restore_event_state(game: Any, fields: tuple[Any, ...]) -> EventState:
    """A state from its game and its key."""
    from kibitz.games.axis.full.game import restore_state

    return EventState(game, restore_state(game, fields).situation)
