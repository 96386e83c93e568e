"""Trust in a model's predictions of one player: none at first, more with every choice that the model predicted well.

A model that knows many players is still wrong about somebody. In a prediction chance counts most until the player is
seen, so a bad prediction of anybody costs little.
"""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.insight import UNKNOWN
from kibitz.core.memory import CHANGED, Learned

KEPT = "chance"
"""The name under which a memory keeps the weight of chance."""
CHANCE = 0.8
"""The weight of chance before the first choice of a player."""
RELEASED = 0.05
"""The part of the weight of chance that goes over to the model before every choice."""

COUNTED = 0.75
"""In predictions strangers count as if they were at least this share of all players: to trust a wrong strategy costs
more than not to trust a right one, which a stranger soon predicts as well."""


class Trust:
    """The weight of chance beside a model, by Bayes' rule with release (fixed share; Herbster and Warmuth 1998).

    For every player, after T choices the log loss of `mix_with_chance` is at most that of a uniform prediction plus
    -log(chance) - T log(1 - released), which is 0.22 + 0.051 T by default. If the model predicts well, nearly all of
    the weight is its own after a few choices.
    """

    def __init__(self, chance: float = CHANCE, released: float = RELEASED) -> None:
        self.chance, self.released = chance, released

    def before_choice(self) -> float:
        """The weight of chance at the next choice."""
        return (1.0 - self.released) * self.chance

    def mix_with_chance(self, predicted: core.Distribution, legal: Sequence[int]) -> core.Distribution:
        """A prediction with chance in it."""
        chance = self.before_choice()
        if chance <= 0.0 or len(legal) == 1:
            return predicted
        return core.Distribution.mixture([(1.0 - chance, predicted), (chance, core.Distribution.uniform(legal))], legal)

    def learn(self, likely: float, options: int) -> None:
        """Learn from a choice among so many *options*, to which the model gave the probability *likely*."""
        if options > 1:
            even = self.before_choice() / options
            self.chance = even / (even + (1.0 - self.before_choice()) * likely)

    def remember(self) -> Learned:
        """What a memory keeps."""
        return {KEPT: self.chance}

    def recall(self, learned: Learned) -> None:
        """Begin with what an earlier match ended with, unless the player has changed since.

        Chance counts no more than the player is unknown: who is met again need not earn all trust once more.
        """
        if KEPT in learned:
            held = min(learned[KEPT], learned.get(UNKNOWN, 1.0), 1.0)
            self.chance = (1.0 - CHANGED) * held + CHANGED * self.chance


def caution_of(unknown: float, counted: float = COUNTED) -> float:
    """How much more a stranger with this prior counts in predictions than in beliefs, so that *counted* is reached."""
    odds = unknown / (1.0 - unknown) if unknown < 1.0 else 1.0
    return max(1.0, counted / (1.0 - counted) / odds) if odds > 0.0 else 1.0
