"""The odds of a contest decided by dice, computed by an `OddsMaker`; `kibitz odds` shows them."""

from abc import ABC, abstractmethod
from typing import ClassVar

import msgspec

from kibitz.core.errors import BadSpec
from kibitz.core.specs import Configurable


class Survivors(msgspec.Struct, frozen=True):
    """What may be left of both sides, by name, with its probability."""

    attacker: dict[str, int]
    defender: dict[str, int]
    probability: float


class Swing(msgspec.Struct, frozen=True):
    """The attacker's gains minus their losses: mean and standard deviation."""

    mean: float
    sd: float


class Odds(msgspec.Struct, frozen=True):
    """The probability that each side wins, the possible survivors, and the swing in value."""

    attacker: float
    draw: float
    defender: float
    survivors: tuple[Survivors, ...]
    swing: Swing
    wins: dict[str, float] = {}
    """The kinds of wins of the attacker, by name, if there are several: they add up to *attacker*."""
    profits: tuple[tuple[float, float], ...] = ()
    """How likely each swing is, the smallest first."""


class LeastArmy(msgspec.Struct, frozen=True):
    """The cheapest army that wins with a probability, how likely it wins, and how many armies were looked at."""

    army: dict[str, int]
    cost: int
    probability: float
    looked_at: int


class OddsMaker(Configurable, ABC):
    """Computes the odds of a contest written as a line of text; its parameters are the rules of the contest."""

    counted_in: ClassVar[str] = ""
    """The unit of a swing."""
    takes_all_rules: ClassVar[bool] = False
    """Whether it accepts the game's other parameters too, because they change no contest."""

    def survivors_in_words(self, count: int, name: str) -> str:
        """A number of survivors of one kind, in words."""
        return f"{count} {name}"

    @abstractmethod
    def odds(self, text: str) -> Odds:
        """The exact odds; raises NotUnderstood if the line cannot be parsed."""

    def least_army(self, text: str, chance: float) -> LeastArmy:
        """The cheapest attackers that beat the defenders in a line with at least this probability."""
        raise BadSpec(text, "this game has no prices, so that no army is the cheapest")
