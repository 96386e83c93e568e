"""Agents with a personality (Talman et al. 2005): how cooperative and how reliable they are, to all or to each."""

from functools import cached_property

from kibitz import core
from kibitz.games.trails.agents.negotiator import (
    Acceptor,
    Design,
    Negotiator,
    Offering,
    Patient,
    Proposer,
    Sender,
    Sending,
)
from kibitz.games.trails.agents.proposers import Gaining, Trade, sale_offer
from kibitz.games.trails.agents.senders import part_of
from kibitz.games.trails.board import common, plus
from kibitz.games.trails.situation import Level, Situation, cooperation, first_of, kept_promises, level

RATIOS = {"low": 0.5, "medium": 1.0, "high": 1.5}
"""Chips given for each that is asked for, by how cooperative the agent is."""
LEAST = {"low": 20, "medium": 1, "high": 0}
"""Points that a deal must add."""
SHARES = {"low": 0.0, "medium": 0.5, "high": 1.0}
"""The share of a promise that is kept, by how reliable the agent is."""


class Personality(Proposer, Acceptor, Sender, frozen=True):
    """The agent's own levels: fixed for all, or with *multiple* those that the other player has shown, if any.

    A *helpful* agent offers and sends chips that the other needs, even where it gains nothing itself.
    """

    cooperation: Level = "medium"
    reliability: Level = "medium"
    helpful: bool = True
    multiple: bool = False

    @property
    def memory(self) -> bool:  # type: ignore[override]
        return self.multiple

    @property
    def honest(self) -> bool:  # type: ignore[override]
        return self.reliability == "high" and not self.multiple

    def cooperative(self, situation: Situation) -> Level:
        """How cooperative the agent is to this player."""
        value = cooperation(situation.board, situation.history, situation.other.player, situation.own.player)
        return level(value) if self.multiple and value is not None else self.cooperation

    def reliable(self, situation: Situation) -> Level:
        """How reliable the agent is to this player."""
        value = kept_promises(situation.history, situation.other.player, situation.own.player)
        return level(value) if self.multiple and value is not None else self.reliability

    def offers(self, situation: Situation) -> Offering:
        if situation.own.independent:
            return sale_offer(situation, 1.0 / RATIOS[self.cooperative(situation)]) if self.helpful else {}
        return Trade(ratio=RATIOS[self.cooperative(situation)]).offers(situation)

    def accepts(self, situation: Situation) -> float:
        return Gaining(LEAST[self.cooperative(situation)]).accepts(situation)

    def sends(self, situation: Situation) -> Sending:
        sent = part_of(situation, SHARES[self.reliable(situation)])
        if self.helpful and situation.promised_exchange() is None and self.reliable(situation) == "high":
            sent = plus(sent, first_of(common(situation.own.spare, situation.other.lacking), 1))
        return {sent: 1.0}

    def history_key(self, situation: Situation) -> core.Key:
        return self.cooperative(situation), self.reliable(situation)


class Talman(Negotiator):
    """Has one personality for all, or *multiple* ones: it treats each player as they treat it (Talman et al. 2005)."""

    def __init__(
        self,
        cooperation: Level = "high",
        reliability: Level = "high",
        helpful: bool = True,
        multiple: bool = False,
    ) -> None:
        self.cooperation, self.reliability, self.helpful, self.multiple = cooperation, reliability, helpful, multiple

    @cached_property
    def design(self) -> Design:  # type: ignore[override]
        whole = Personality(self.cooperation, self.reliability, self.helpful, self.multiple)
        return Design(whole, whole, whole, Patient())
