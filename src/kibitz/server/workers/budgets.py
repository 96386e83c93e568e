"""Budgets: how much thinking and memory each person and each match may use, and how much they have used.

The unit is a second for which work holds a core, whether it computes or sleeps. A person's seconds come back steadily,
so that after an hour all are there again; those of a match do not. Operators, and work of the server itself, are not
limited.
"""

import math
import time
from collections.abc import Callable, Hashable

import msgspec

from kibitz.core.errors import Refused
from kibitz.server.workers.confinement import Confinement

HOUR = 3600.0
MOST_KNOWN = 10_000
"""Number of persons and matches whose use is remembered."""


class ThinkingStopped(Refused):
    """Work that was stopped because its match is over or its viewer has left."""


class BudgetSpent(ThinkingStopped):
    """Work that was stopped, or not begun, because it or its person used too much."""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one person, unless they are an operator."""

    seconds: float = 3600.0
    """Seconds on a core in an hour."""
    match_seconds: float = 3600.0
    """Seconds on a core for one match."""
    memory: int = 1 << 30
    """Bytes of one worker."""
    total_memory: int = 3 << 30
    """Bytes of all workers of a person."""
    workers: int = 200
    """Workers of a person at once."""


class Account(msgspec.Struct):
    """Seconds used, of which some come back every second."""

    used: float = 0.0
    at: float = 0.0

    def balance(self, now: float, back: float) -> float:
        """Seconds used that have not come back until *now*."""
        return max(0.0, self.used - back * (now - self.at))


class Budgets:
    """The use of every person and match. *unlimited* names the operators."""

    def __init__(self, budget: Budget | None = None, *, now: Callable[[], float] = time.monotonic) -> None:
        self.budget, self.now = budget or Budget(), now
        self.unlimited: dict[str, None] = {"": None}
        """Operators, those last who were named last; without accounts every browser is one, so they are bounded."""
        self.persons: dict[str, Account] = {}
        self.matches: dict[Hashable, Account] = {}

    def set_unlimited(self, name: str, *, unlimited: bool) -> None:
        """Say whether a person is an operator; a server says so whenever they ask for something."""
        self.unlimited.pop(name, None)
        if unlimited or not name:
            self.unlimited[name] = None
            if len(self.unlimited) > MOST_KNOWN:
                del self.unlimited[next(each for each in self.unlimited if each)]

    def match_seconds(self, match: Hashable) -> float:
        """The seconds that a match has used."""
        return self.matches.get(match, Account()).used

    def charge(self, payer: str, match: Hashable, seconds: float) -> None:
        """Book *seconds* to a person and a match."""
        now, back = self.now(), self.budget.seconds / HOUR
        person = self.persons.setdefault(payer, Account())
        person.used, person.at = person.balance(now, back) + seconds, now
        if match is not None:
            self.matches.setdefault(match, Account()).used += seconds
            if len(self.matches) > MOST_KNOWN:
                del self.matches[next(iter(self.matches))]
        if len(self.persons) > MOST_KNOWN:
            self.persons = {name: each for name, each in self.persons.items() if each.balance(now, back) > 0.0}

    def refusal(self, payer: str, match: Hashable) -> str:
        """Why a person or a match may not use more, in words; empty if they may."""
        if payer in self.unlimited:
            return ""
        budget, back = self.budget, self.budget.seconds / HOUR
        used = self.persons.get(payer, Account()).balance(self.now(), back)
        if used >= budget.seconds:
            minutes = math.ceil(max(used - 0.9 * budget.seconds, 0.0) / back / 60.0)
            return (
                f"{payer} has used {budget.seconds:,.0f} s of computing in an hour, which is the limit; "
                f"wait about {minutes} min"
            )
        if match is not None and self.matches.get(match, Account()).used >= budget.match_seconds:
            return f"the match has used its {budget.match_seconds:,.0f} s of computing"
        return ""

    def confinement(self, payer: str) -> Confinement:
        """The limits of a worker for a person."""
        return Confinement() if payer in self.unlimited else Confinement(self.budget.memory, forks=False)

    def recent_seconds(self) -> dict[str, float]:
        """The seconds that each person has used in the last hour, roughly: what has not come back."""
        now, back = self.now(), self.budget.seconds / HOUR
        return {name: round(each.balance(now, back), 3) for name, each in self.persons.items()}
