"""Classic strategies of the iterated prisoner's dilemma."""

from kibitz import core
from kibitz.games.dilemma.rules import COOPERATE, DEFECT, round_played


class RoundMemory(core.Strategy):
    """Remembers the last round, and how often the other defected in a row and in all."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.own = self.other = COOPERATE
        self.in_a_row = self.in_all = 0

    def observe(self, transition: core.Transition) -> None:
        done = round_played(transition)
        if done is None:  # chance has yet to settle what the choices become
            return
        self.own, self.other = done[self.player], done[1 - self.player]
        self.in_all += self.other
        self.in_a_row = self.in_a_row + 1 if self.other == DEFECT else 0

    def policy(self, view: core.State) -> core.Distribution:
        defection = self.defection()
        named = {COOPERATE: 1.0 - defection, DEFECT: defection}
        return core.Distribution(named, view.legal_actions(self.player))

    def act(self, view: core.State, clock: core.Clock) -> int:
        defection = self.defection()
        if defection in (0.0, 1.0):
            return int(defection)
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
        return float(self.other == DEFECT)


class Grim(RoundMemory):
    """Cooperates until the other defects once, then never again (Friedman 1971)."""

    def defection(self) -> float:
        return float(self.in_all > 0)


class Pavlov(RoundMemory):
    """Win, stay; lose, shift: cooperates exactly if both did the same last time (Nowak & Sigmund 1993)."""

    def defection(self) -> float:
        return float(self.own != self.other)


class TwoTats(RoundMemory):
    """Defects only after two defections in a row (Axelrod 1984)."""

    def defection(self) -> float:
        return float(self.in_a_row >= 2)


class Generous(RoundMemory):
    """Tit for tat that forgives a defection with probability *mercy* (Nowak & Sigmund 1992)."""

    def __init__(self, mercy: core.Probability = 0.3) -> None:
        self.mercy = mercy

    def defection(self) -> float:
        return 1.0 - self.mercy if self.other == DEFECT else 0.0
