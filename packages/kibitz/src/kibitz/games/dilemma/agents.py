"""Classic strategies of the iterated prisoner's dilemma."""

from itertools import product
from typing import NamedTuple

from kibitz import core
from kibitz.games.dilemma.rules import COOPERATE, DEFECT, round_played


class Memory(NamedTuple):
    """What is remembered of the rounds: the last one, the other's defections in a row, up to two, and any ever."""

    own: int = COOPERATE
    other: int = COOPERATE
    in_a_row: int = 0
    betrayed: bool = False

    def after(self, own: int, other: int) -> "Memory":
        """The memory after another round."""
        in_a_row = min(self.in_a_row + 1, 2) if other == DEFECT else 0
        return Memory(own, other, in_a_row, self.betrayed or other == DEFECT)


START = 0
"""The memory before the first round, a place in MEMORIES."""
CHOICES = (COOPERATE, DEFECT)
MEMORIES = tuple(
    Memory(own, other, in_a_row, betrayed)
    for own, other, in_a_row, betrayed in product(CHOICES, CHOICES, range(3), (False, True))
)
NEXTS = tuple(
    tuple(tuple(MEMORIES.index(memory.after(own, other)) for other in CHOICES) for own in CHOICES)
    for memory in MEMORIES
)
"""The memories that follow each one, by what the player does and by what the other does."""


class RoundMemory(core.Strategy):
    """Remembers the last round, whether the other has defected in the last two, and whether ever.

    Its memory is a place in MEMORIES: copies are cheap, and a round costs a look into NEXTS.
    """

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.memory = START

    def observe(self, transition: core.Transition) -> None:
        done = round_played(transition)
        if done is not None:  # else chance has yet to settle what the choices become
            self.memory = NEXTS[self.memory][done[self.player]][done[1 - self.player]]

    def policy(self, view: core.State) -> core.Distribution:
        defection = self.defection()
        named = {COOPERATE: 1.0 - defection, DEFECT: defection}
        return core.Distribution(named, view.legal_actions(self.player))

    @core.ignores_view
    def act(self, view: core.State, clock: core.Clock) -> int:
        defection = self.defection()
        if defection == 0.0:
            return COOPERATE
        if defection == 1.0:
            return DEFECT
        return COOPERATE if self.rng.random() < 1.0 - defection else DEFECT  # as drawn from `policy`

    def defection(self) -> float:
        """How likely it is to defect now."""
        return 0.0


class Cooperator(RoundMemory):
    """Always cooperates."""


class Defector(RoundMemory):
    """Always defects."""

    def defection(self) -> float:
        return 1.0


class TitForTat(RoundMemory):
    """Cooperates first, then does what the other did last (Rapoport, in Axelrod 1980)."""

    def defection(self) -> float:
        return float(MEMORIES[self.memory].other == DEFECT)


class Grim(RoundMemory):
    """Cooperates until the other defects once, then never again (Friedman 1971)."""

    def defection(self) -> float:
        return float(MEMORIES[self.memory].betrayed)


class Pavlov(RoundMemory):
    """Win, stay; lose, shift: cooperates exactly if both did the same last time (Nowak & Sigmund 1993)."""

    def defection(self) -> float:
        last = MEMORIES[self.memory]
        return float(last.own != last.other)


class TwoTats(RoundMemory):
    """Defects only after two defections in a row (Axelrod 1984)."""

    def defection(self) -> float:
        return float(MEMORIES[self.memory].in_a_row == 2)


class Generous(RoundMemory):
    """Tit for tat that forgives a defection with probability *mercy* (Nowak & Sigmund 1992)."""

    def __init__(self, mercy: core.Probability = 0.3) -> None:
        self.mercy = mercy

    def defection(self) -> float:
        return 1.0 - self.mercy if MEMORIES[self.memory].other == DEFECT else 0.0
