"""Statistics of negotiations: offers, acceptance, deals, and how much of the promises is kept."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from kibitz.core.match.play import playing
from kibitz.core.registry import make_game
from kibitz.games.trails.board import Board
from kibitz.games.trails.history import History
from kibitz.games.trails.reliability import TransferClass, reliability, transfer_class
from kibitz.games.trails.rules import Trails


class Dealings(msgspec.Struct, frozen=True):
    """Counts of some games."""

    games: int = 0
    offers: int = 0
    accepted: int = 0
    none: int = 0
    some: int = 0
    all: int = 0
    """Promises by how much of them was sent, measured by its worth to the receiver."""

    def __add__(self, other: "Dealings") -> "Dealings":
        return Dealings(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))

    @property
    def acceptance(self) -> float:
        """The share of offers that were accepted."""
        return self.accepted / self.offers if self.offers else 0.0

    def share(self, transfer: TransferClass) -> float:
        """The share of promises of which none, some or all was sent."""
        promises = self.none + self.some + self.all
        return float(getattr(self, transfer) / promises) if promises else 0.0


def dealings(board: Board, history: History) -> Dealings:
    """What happened in one game."""
    kept: Counter[TransferClass] = Counter()
    for exchange in history.exchanges:
        for sender in exchange.pair:
            if any(exchange.promise_of(sender) or ()):
                kept[transfer_class(reliability(board, exchange, sender))] += 1
    accepted = sum(bool(each.accepted) for each in history.proposals)
    return Dealings(1, len(history.proposals), accepted, kept["none"], kept["some"], kept["all"])


def history_of(game: Trails, agents: Iterable[str], seed: int) -> History:
    """A game as an outsider sees it."""
    history = History()
    for moment in playing(game, list(agents), seed=seed):
        if moment.event is not None:
            history.observe(moment.event.transition(None))
    return history


def dealings_among(agents: Iterable[str], game: str = "trails", seed: int = 0) -> Dealings:
    """What happens when everyone meets everyone else in both seats, once."""
    made = make_game(game)
    assert isinstance(made, Trails)
    names = list(agents)
    pairs = [(one, other) for one in names for other in names if one != other]
    found = (dealings(made.layout, history_of(made, pair, seed + number)) for number, pair in enumerate(pairs))
    return sum(found, Dealings())
