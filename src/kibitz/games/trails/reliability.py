"""How well promises are kept: by what they were worth to the receiver (Pozin 2010, 3.2.1), or by counting chips."""

from typing import Literal

from kibitz.games.trails.board import Board
from kibitz.games.trails.chips import Chips, common, plus
from kibitz.games.trails.history import Exchange, History

TransferClass = Literal["none", "some", "all"]
DEFAULT = 1.0
"""The reliability of a player before anything is known."""


BASE_RATES = {"accept": 0.468, "none": 0.578, "some": 0.037, "all": 0.385}
"""How often peer-designed agents accepted and paid (Pozin 2010, Table 5.4): what is expected of one nobody has seen."""


def kept_share(board: Board, place: int, chips: Chips, promised: Chips, sent: Chips, default: float = DEFAULT) -> float:
    """What was *sent* to a receiver at *place* with *chips*, as a share of *promised*, by the receiver's BestUse."""
    before = board.best_use(place, chips)
    gain = board.best_use(place, plus(chips, promised)) - before
    got = board.best_use(place, plus(chips, sent)) - before
    if gain == 0:
        return default if got == 0 else 1.0
    return got / gain


def reliability(board: Board, exchange: Exchange, sender: int, default: float = DEFAULT) -> float:
    """The myopic reliability of *sender* in one round; without a deal a gift counts as kept, no gift as the default."""
    receiver = exchange.pair[1 - exchange.pair.index(sender)]
    promised = exchange.promise_of(sender) or (0,) * len(board.colours)
    place, chips = exchange.positions[receiver], exchange.chips[receiver]
    return kept_share(board, place, chips, promised, exchange.sent_by(sender), default)


def transfer_class(share: float) -> TransferClass:
    """A reliability in words."""
    return "none" if share <= 0.0 else "some" if share < 1.0 else "all"


def chip_share(exchange: Exchange, sender: int) -> float:
    """The share of the promised chips that *sender* sent; 1 where none were promised."""
    promised = exchange.promise_of(sender)
    if promised is None or not any(promised):
        return 1.0
    return sum(common(promised, exchange.sent_by(sender))) / sum(promised)


def recent(board: Board, history: History, sender: int, receiver: int, default: float = DEFAULT) -> tuple[float, float]:
    """The reliability of *sender* in the last round and in the one before; the default where nothing was agreed."""
    past = history.between(sender, receiver)
    found = [reliability(board, each, sender, default) for each, _ in zip(past, range(2), strict=False)]
    newest, older = [*found, default, default][:2]
    return newest, older
