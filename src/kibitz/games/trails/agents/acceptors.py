"""Acceptors, the parts of negotiators that answer offers; look here for which offers an agent accepts."""

from kibitz import core
from kibitz.games.trails.agents.negotiator import Acceptor
from kibitz.games.trails.agents.proposers import grudge
from kibitz.games.trails.situation import Situation


class Gaining(Acceptor, frozen=True):
    """Accepts an offer that adds at least *least* points to its BestUse if both keep it."""

    least: int = 1

    def accepts(self, situation: Situation) -> float:
        return float(situation.gain(*situation.proposed_exchange()) >= self.least)


class Anything(Acceptor, frozen=True):
    """Accepts everything."""

    def accepts(self, situation: Situation) -> float:
        return 1.0


class Nothing(Acceptor, frozen=True):
    """Accepts nothing."""

    def accepts(self, situation: Situation) -> float:
        return 0.0


class Dear(Gaining, frozen=True):
    """Accepts an offer that it gains by, if it receives at least *ratio* chips for each that it gives."""

    ratio: float = 1.0

    def accepts(self, situation: Situation) -> float:
        given, received = situation.proposed_exchange()
        return super().accepts(situation) if sum(received) >= self.ratio * sum(given) else 0.0


class GrudgingAcceptor(Gaining, frozen=True):
    """Accepts an offer that it gains by, but after being cheated accepts none for *rounds* rounds, or for ever."""

    memory = True

    rounds: int | None = None

    def accepts(self, situation: Situation) -> float:
        return 0.0 if grudge(situation, self.rounds) else super().accepts(situation)

    def history_key(self, situation: Situation) -> core.Key:
        return grudge(situation, self.rounds)


class Selfish(Gaining, frozen=True):
    """Accepts an offer that it gains more by than the other player does."""

    def accepts(self, situation: Situation) -> float:
        sides = situation.proposed_exchange()
        return float(situation.gain(*sides) >= max(self.least, situation.other_gain(*sides)))
