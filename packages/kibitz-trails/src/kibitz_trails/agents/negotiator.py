"""`Negotiator` and its four replaceable parts: proposer, acceptor, sender and mover. Start here to write an agent."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, TypeAlias

import msgspec

from kibitz import core
from kibitz_trails.board import Chips
from kibitz_trails.offers import PASS, Offer, Offers
from kibitz_trails.rules import ACCEPT, ONLY, REJECT, STAY, State
from kibitz_trails.situation import History, Situation

Offering: TypeAlias = Mapping[Offer, float]
"""Offers, and how likely each is made; an empty mapping is a pass."""
Sending: TypeAlias = Mapping[Chips, float]
Moving: TypeAlias = Mapping[int, float]


class Part(msgspec.Struct, frozen=True, cache_hash=True):
    """A part of a negotiator. It has no memory: it reads the history in the situation."""

    stochastic: ClassVar[bool] = False
    """Whether it chooses at random."""
    memory: ClassVar[bool] = False
    """Whether it depends on earlier rounds."""
    honest: ClassVar[bool] = True
    """Whether it always sends at least what it promised."""

    def history_key(self, situation: Situation) -> core.Key:
        """All that its choices depend on besides the position."""
        return None


class Proposer(Part, frozen=True):
    """Chooses offers."""

    @abstractmethod
    def offers(self, situation: Situation) -> Offering:
        """The offers it may make here."""


class Acceptor(Part, frozen=True):
    """Answers offers."""

    @abstractmethod
    def accepts(self, situation: Situation) -> float:
        """How likely it accepts the offer on the table."""


class Sender(Part, frozen=True):
    """Chooses what to send, whatever was promised."""

    @abstractmethod
    def sends(self, situation: Situation) -> Sending:
        """The sets of chips it may send."""


class Mover(Part, frozen=True):
    """Chooses steps."""

    @abstractmethod
    def moves(self, situation: Situation) -> Moving:
        """The steps it may take."""


class Design(msgspec.Struct, frozen=True):
    """The four parts of a negotiator."""

    proposer: Proposer
    acceptor: Acceptor
    sender: Sender
    mover: Mover

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.proposer, self.acceptor, self.sender, self.mover


class Traits(msgspec.Struct, frozen=True):
    """Properties of a negotiator that are known without playing it."""

    stochastic: bool
    memory: bool
    honest: bool


class Negotiator(core.Strategy):
    """Plays Colored Trails by its `design`; its memory is the history of the game."""

    design: Design
    """A class attribute, or a property where the parts take parameters."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.history = History()

    def observe(self, transition: core.Transition) -> None:
        self.history.observe(transition)

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        return self.policy_in(Situation(view, self.player, self.history))

    def policy_in(self, situation: Situation) -> core.Distribution:
        """How likely each action is in a situation of this player."""
        legal, design = situation.legal, self.design
        if legal is ONLY:
            return core.Distribution.certain(legal[0], legal)
        match situation.view.phase:
            case "offer":
                assert isinstance(legal, Offers)
                named = {legal.of(*offer): share for offer, share in design.proposer.offers(situation).items()}
                return core.Distribution(legal_shares(named, legal), legal)
            case "answer":
                share = design.acceptor.accepts(situation)
                return core.Distribution({ACCEPT: share, REJECT: 1.0 - share}, legal)
            case "exchange":
                assert isinstance(legal, core.ProductActions)
                sent = {legal.action(chips): share for chips, share in design.sender.sends(situation).items()}
                return core.Distribution(sent, legal)
        return core.Distribution(design.mover.moves(situation), legal)

    @property
    def traits(self) -> Traits:
        """The negotiator's traits."""
        parts = self.design.parts
        return Traits(
            stochastic=any(part.stochastic for part in parts),
            memory=any(part.memory for part in parts),
            honest=all(part.honest for part in parts),
        )

    def state_key(self, view: State) -> core.Key:
        """All that its choices from *view* on depend on besides the position."""
        situation = Situation(view, self.player, self.history)
        return tuple(part.history_key(situation) for part in self.design.parts)


def legal_shares(offers: dict[int, float], legal: Offers) -> dict[int, float]:
    """Offers that may be made; a player who has none passes."""
    found = {action: share for action, share in offers.items() if action in legal}
    total = sum(found.values())
    if total <= 0.0:
        return {PASS: 1.0}
    return {action: share / total for action, share in found.items()}


class Patient(Mover, frozen=True):
    """Moves a step in each round once it is independent; before that, only when the game would end otherwise.

    With the *stop_rule* it lets the game end rather than move at a loss.
    """

    stop_rule: bool = False

    def moves(self, situation: Situation) -> Moving:
        own = situation.own
        if own.independent:
            return {best_step(situation): 1.0}
        if not situation.must_move(own.player):
            return {STAY: 1.0}
        step = nearest_step(situation)
        lost = step != STAY and situation.side_after_step(step).best_use < own.best_use
        return {STAY if self.stop_rule and lost else step: 1.0}


def best_step(situation: Situation) -> int:
    """The first step that keeps the BestUse; STAY where every step lowers it."""
    best = situation.own.best_use
    return next((step for step in situation.steps() if situation.side_after_step(step).best_use >= best), STAY)


def nearest_step(situation: Situation) -> int:
    """Forward if possible, to where the fewest chips are missing; else back; STAY if no step can be paid."""
    here = situation.board.distances[situation.own.place]

    def worse(step: int) -> tuple[bool, int, int]:
        after = situation.side_after_step(step)
        return situation.board.distances[after.place] > here, after.missing, step

    return min(situation.steps(), key=worse, default=STAY)


class Racer(Mover, frozen=True):
    """Moves in every round where a step keeps its BestUse, or where the game would end otherwise."""

    def moves(self, situation: Situation) -> Moving:
        step = best_step(situation)
        if step == STAY and situation.must_move(situation.own.player):
            step = nearest_step(situation)
        return {step: 1.0}


class Sleeper(Mover, frozen=True):
    """Stays where it is while it has the better score, which ends the game."""

    def moves(self, situation: Situation) -> Moving:
        ahead = situation.own.best_use > situation.other.best_use
        return {STAY: 1.0} if ahead else Patient().moves(situation)
