"""Odds of a contest that dice decide: the ability `ODDS` is an `OddsMaker`, and `kibitz odds` shows what it says."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import msgspec

from kibitz.core.registry.specs import Configurable


class Survivors(msgspec.Struct, frozen=True):
    """What may be left of both sides, by name, and how likely that is."""

    attacker: dict[str, int]
    defender: dict[str, int]
    probability: float


class Swing(msgspec.Struct, frozen=True):
    """What the attacker gains less what the attacker loses: its mean and its standard deviation."""

    mean: float
    sd: float


class Odds(msgspec.Struct, frozen=True):
    """How likely each side is to be the one that is left, what may be left, and what that is worth."""

    attacker: float
    draw: float
    defender: float
    survivors: tuple[Survivors, ...]
    swing: Swing
    wins: dict[str, float] = {}
    """What the attacker's wins are made of, by name, where winning is not all there is: they add up to *attacker*."""


class OddsMaker(Configurable, ABC):
    """Tells the odds of a contest that is written as a line of text; its parameters are the rules of the contest."""

    counted_in: ClassVar[str] = ""
    """What a swing is counted in."""

    def survivors_in_words(self, count: int, name: str) -> str:
        """So many survivors of a name, in words."""
        return f"{count} {name}"

    @abstractmethod
    def odds(self, text: str) -> Odds:
        """The exact odds; raises NotUnderstood where the line means nothing."""

    @abstractmethod
    def simulate_odds(self, text: str, times: int, seed: int, told: Callable[[int], None] | None = None) -> Odds:
        """The odds as they come out when it is fought *times* with dice; *told* hears of every so many more."""
