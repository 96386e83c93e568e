"""Negotiators generated for judging: a family of other rules than the one that `trails.types` infers.

They insist on points, not on shares; they concede in steps; their trust is in points at risk and grows by factors; what
they keep depends on the size or the number of their promises. So the belief is judged on players that it cannot have.
"""

from kibitz import core
from kibitz.core.seeds import stream
from kibitz.games.trails.agents.acceptors import Gaining
from kibitz.games.trails.agents.movers import Patient, Racer, Sleeper
from kibitz.games.trails.agents.negotiator import Acceptor, Design, Mover, Negotiator, Proposer, Sender, Sending
from kibitz.games.trails.agents.parametric import promises_kept
from kibitz.games.trails.agents.proposers import Bargain, Conceding, Growing, Hoarding, Once, Silent, Trade
from kibitz.games.trails.agents.senders import (
    Coin,
    Deceives,
    Grudge,
    Keeps,
    KeepsWhileDependent,
    Reneges,
    Returns,
    nothing,
    promise,
)
from kibitz.games.trails.lookahead.plans import Composition
from kibitz.games.trails.situation import Situation

SLOW, TRUSTING, ANY = "slow conceder", "trust builder", "any"
KINDS = (SLOW, TRUSTING, ANY, ANY, ANY, ANY)
"""The kinds in turn: every third newcomer is one of the two that look-ahead without a belief about numbers fails at."""


class Stepwise(Acceptor, frozen=True):
    """Accepts an offer that adds so many points to its BestUse: *first* at first, *last* from round *until* on.

    The demand falls in *steps* equal steps; with one it gives in all at once.
    """

    first: int
    last: int
    until: int
    steps: int = 1

    def accepts(self, situation: Situation) -> float:
        done = min(situation.view.round * self.steps // self.until, self.steps) / self.steps
        return float(situation.gain(*situation.proposed_exchange()) >= self.first + done * (self.last - self.first))


class Wary(Gaining, frozen=True):
    """Accepts an offer that it gains by, if it loses at most *risk* points should the other send nothing.

    Each promise that was kept to it multiplies what it risks by *trust*; one that was broken divides by its square.
    """

    memory = True

    risk: float = 10.0
    trust: float = 2.0

    def accepts(self, situation: Situation) -> float:
        kept, broken = promises_kept(situation)
        given, _ = situation.proposed_exchange()
        lost = situation.own.best_use - situation.use_after(given, nothing(situation))
        return super().accepts(situation) if lost <= self.risk * self.trust ** (kept - 2 * broken) else 0.0

    def history_key(self, situation: Situation) -> core.Key:
        return promises_kept(situation)


class KeepsSmall(Sender, frozen=True):
    """Keeps promises of at most *most* chips, and sends nothing for larger ones."""

    honest = False

    most: int = 2

    def sends(self, situation: Situation) -> Sending:
        promised = promise(situation)
        return {promised if sum(promised) <= self.most else nothing(situation): 1.0}


class KeepsFirst(Sender, frozen=True):
    """Keeps its first *count* promises, and none after them."""

    memory = True
    honest = False

    count: int = 2

    def sends(self, situation: Situation) -> Sending:
        return {promise(situation) if self.deals(situation) < self.count else nothing(situation): 1.0}

    def deals(self, situation: Situation) -> int:
        """How many deals it has made."""
        return sum(1 for _ in situation.history.deals(situation.own.player, situation.other.player))

    def history_key(self, situation: Situation) -> core.Key:
        return self.deals(situation)


def newcomer(number: int, seed: int) -> Negotiator:
    """One of the family: the same number and seed are the same negotiator."""
    rng = stream(seed, "newcomer", number)
    kind = KINDS[number % len(KINDS)]
    return Composition({SLOW: slow_conceder, TRUSTING: trust_builder, ANY: any_design}[kind](rng))


def slow_conceder(rng: core.Rng) -> Design:
    """Accepts nothing for rounds, and then what brings it something; it mostly stays silent."""
    until, last = int(rng.integers(6, 10)), int(rng.integers(5, 60))
    proposer: Proposer = Silent() if rng.random() < 0.7 else Trade(ratio=0.5)
    sender: Sender = Keeps() if rng.random() < 0.5 else KeepsWhileDependent()
    return Design(proposer, Stepwise(1000, last, until), sender, Patient())


def trust_builder(rng: core.Rng) -> Design:
    """Risks little at first, and more with every kept promise."""
    acceptor = Wary(risk=float(rng.integers(5, 25)), trust=1.5 + 1.5 * rng.random())
    proposer: Proposer = Growing() if rng.random() < 0.5 else Trade(most=1)
    sender: Sender = Keeps() if rng.random() < 0.5 else Returns()
    return Design(proposer, acceptor, sender, Patient())


def any_design(rng: core.Rng) -> Design:
    """Four parts drawn one by one."""
    ratio = (0.5, 1.0, 1.5)[int(rng.integers(3))]
    proposers: tuple[Proposer, ...] = (
        Silent(),
        Trade(most=int(rng.integers(1, 4)), ratio=ratio),
        Trade(ratio=ratio, useful=rng.random() < 0.7),
        Conceding(ratio=0.34, last=1.0 + rng.random(), patience=int(rng.integers(2, 7)), shape=0.3 + 4 * rng.random()),
        Growing(),
        Once(),
        Hoarding(),
        Bargain(),
    )
    demand = int(rng.integers(20, 160))
    acceptors: tuple[Acceptor, ...] = (
        Gaining(int(rng.integers(1, 60))),
        Stepwise(demand, int(rng.integers(1, demand)), int(rng.integers(2, 9)), int(rng.integers(1, 5))),
        Wary(risk=float(rng.integers(5, 40)), trust=1.0 + 2.0 * rng.random()),
    )
    senders: tuple[Sender, ...] = (
        Keeps(),
        Reneges(),
        Coin(0.2 + 0.7 * rng.random()),
        KeepsWhileDependent(last=rng.random() < 0.5),
        Deceives(),
        Returns(proof=rng.random() < 0.3),
        Grudge(int(rng.integers(1, 5))),
        KeepsSmall(int(rng.integers(1, 5))),
        KeepsFirst(int(rng.integers(1, 4))),
    )
    movers: tuple[Mover, ...] = (Patient(), Patient(), Patient(stop_rule=True), Racer(), Sleeper())
    return Design(*(each[int(rng.integers(len(each)))] for each in (proposers, acceptors, senders, movers)))  # type: ignore[arg-type]


def random_board(number: int, seed: int) -> str:
    """The spec of a board drawn at random: its size, what both lack, and what they have to spare."""
    rng = stream(seed, "board", number)
    rows, cols = int(rng.integers(4, 8)), int(rng.integers(3, 6))
    missing = [int(rng.integers(1, 4)), int(rng.integers(0, 4))][:: 1 if rng.random() < 0.5 else -1]
    missing[0] -= max(0, sum(missing) - (rows + cols // 2 - 2))  # more layers than that a board has not
    spare = int(rng.integers(4, 9))
    return f"layers(rows={rows}, cols={cols}, missing={missing}, spare={spare}, seed={number})"
