"""Time limits, and the clock an agent is handed with each request."""

import time
from collections.abc import Callable
from typing import Annotated

import msgspec

Now = Callable[[], float]
"""A source of seconds; tests put a false one here."""

Seconds = Annotated[float, msgspec.Meta(gt=0.0)]


class TimeControl(msgspec.Struct, frozen=True):
    """Seconds allowed per move and per game; None is no limit."""

    move: Seconds | None = None
    game: Seconds | None = None

    def allowance(self, used: float) -> float | None:
        """Seconds a player who has used so many may take for the next move."""
        bank = None if self.game is None else max(0.0, self.game - used)
        if self.move is None:
            return bank
        return self.move if bank is None else min(self.move, bank)


class Clock:
    """Runs from the moment it is made; `allowance` is None where there is no limit."""

    __slots__ = ("allowance", "now", "started")

    def __init__(
        self, allowance: float | None = None, now: Now = time.perf_counter, started: float | None = None
    ) -> None:
        self.allowance, self.now, self.started = allowance, now, now() if started is None else started

    def elapsed(self) -> float:
        """Seconds since the request."""
        return self.now() - self.started

    def remaining(self) -> float:
        """Seconds left, never below 0; infinite without a limit."""
        return float("inf") if self.allowance is None else max(0.0, self.allowance - self.elapsed())
