"""Measures of a player's personality: how reliable and how cooperative, low, medium or high (Talman et al. 2005)."""

from functools import lru_cache
from typing import Literal

from kibitz.games.trails.board import Board
from kibitz.games.trails.chips import common, minus, plus
from kibitz.games.trails.history import History, Proposal
from kibitz.games.trails.reliability import chip_share

Level = Literal["low", "medium", "high"]
LEVELS: tuple[Level, ...] = ("low", "medium", "high")
NEWEST = 0.5
"""What the newest deal counts."""


def level(value: float | None) -> Level:
    """A number from 0 to 1 in words; medium where nothing is known."""
    if value is None:
        return "medium"
    return LEVELS[sum(value > bound for bound in (1 / 3, 2 / 3))]


def kept_promises(history: History, sender: int, receiver: int) -> float | None:
    """How well *sender* has kept their promises so far, counted in chips; None before the first deal."""
    value = None
    for deal in reversed(list(history.deals(sender, receiver))):
        share = chip_share(deal, sender)
        value = share if value is None else NEWEST * share + (1.0 - NEWEST) * value
    return value


def cooperation(board: Board, history: History, player: int, other: int) -> float | None:
    """How cooperative *player* is to *other*: the mean of the offers they accept and of what theirs leave the other."""
    found = []
    answered = [each for each in history.proposed_by(other, player) if each.accepted is not None]
    if answered:
        found.append(sum(bool(each.accepted) for each in answered) / len(answered))
    made = history.proposed_by(player, other)
    if made:
        found.append(sum(left_share(board, each) for each in made) / len(made))
    return sum(found) / len(found) if found else None


@lru_cache(maxsize=4096)
def left_share(board: Board, proposal: Proposal) -> float:
    """The share of what both would gain by an offer that it leaves to the partner."""
    proposer, partner = proposal.proposer, proposal.partner
    gains = []
    for player, other in ((proposer, partner), (partner, proposer)):
        held, place = proposal.chips[player], proposal.positions[player]
        kept = minus(held, common(held, proposal.sends(player)))
        gains.append(max(0, board.best_use(place, plus(kept, proposal.sends(other))) - board.best_use(place, held)))
    return gains[1] / sum(gains) if any(gains) else 0.0
