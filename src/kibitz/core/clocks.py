"""Time limits, and the clock that an agent gets with each request."""

import time
from collections.abc import Callable
from typing import Annotated

import msgspec

Now = Callable[[], float]
"""A source of seconds; tests replace it."""

MOVES_TO_COME = 30
"""Number of further moves for which a pacing player reserves time."""
Seconds = Annotated[float, msgspec.Meta(gt=0.0)]


class TimeControl(msgspec.Struct, frozen=True):
    """Seconds allowed per move and per game; None is no limit."""

    move: Seconds | None = None
    game: Seconds | None = None

    def bank(self, used: float) -> float | None:
        """Seconds left for the game after *used* seconds."""
        return None if self.game is None else max(0.0, self.game - used)

    def allowance(self, used: float) -> float | None:
        """Seconds allowed for the next move after *used* seconds."""
        bank = self.bank(used)
        if self.move is None:
            return bank
        return self.move if bank is None else min(self.move, bank)


class Clock:
    """Starts when it is created; `allowance` (this move) and `bank` (the game) are None without a limit."""

    __slots__ = ("allowance", "bank", "now", "started")

    def __init__(
        self,
        allowance: float | None = None,
        now: Now = time.perf_counter,
        started: float | None = None,
        bank: float | None = None,
    ) -> None:
        self.allowance, self.now, self.bank = allowance, now, bank
        self.started = now() if started is None else started

    def pace(self) -> float:
        """Seconds to plan for this move: its limit, and at most a fraction of the time left for the game."""
        move = float("inf") if self.allowance is None else self.allowance
        return move if self.bank is None else min(move, self.bank / MOVES_TO_COME)

    def elapsed_seconds(self) -> float:
        """Seconds since the request."""
        return self.now() - self.started

    def remaining(self) -> float:
        """Seconds left, never below 0; infinite without a limit."""
        return float("inf") if self.allowance is None else max(0.0, self.allowance - self.elapsed_seconds())
